// Files that a document names with their folder exist, so that a moved file takes its mentions along.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../node.mjs';

const FILE = /`((?:[\w.-]+\/)+[\w.-]+\.(?:tsx?|mjs|css|json))`/g;

const filesIn = (folder) =>
  readdirSync(path.join(root, folder), { recursive: true }).map(
    (file) => `${folder}/${file.replaceAll('\\', '/')}`,
  );

export function brokenDocuments() {
  const files = ['src', 'tests', 'scripts', 'docs', 'resources'].flatMap(filesIn);
  const documents = ['README.md', 'CONTRIBUTING.md', ...files.filter((file) => file.endsWith('.md'))];
  return documents.flatMap((document) =>
    [...readFileSync(path.join(root, document), 'utf8').matchAll(FILE)]
      .map(([, name]) => name)
      .filter((name) => !files.some((file) => `/${file}`.endsWith(`/${name}`)))
      .map((name) => `${document} names ${name}, which does not exist`),
  );
}
