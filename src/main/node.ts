/** Composition root of the browser host: the same core, carried by a loopback server. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { createApp } from './app.ts';
import { startBrowserHost } from './host/browser/host.ts';
import { runUntilStopped } from './host/lifetime.ts';
import { parseOptions, printInstead } from './host/options.ts';
import { readPolicy } from './host/policy.ts';

const here = import.meta.dirname;
const rootDir = path.resolve(here, '../..');
const { version } = JSON.parse(readFileSync(path.join(rootDir, 'package.json'), 'utf8')) as {
  version: string;
};
const parsed = parseOptions(process.argv.slice(2), process.cwd());

if (parsed.ok) {
  await runUntilStopped(() =>
    startBrowserHost(parsed.options, {
      version,
      rendererDir: path.join(rootDir, 'out/renderer'),
      resources: path.join(rootDir, 'resources'),
      workers: {
        store: pathToFileURL(path.join(here, 'store-worker.js')),
        embedded: pathToFileURL(path.join(here, 'embedded.js')),
        exports: pathToFileURL(path.join(here, 'export-worker.js')),
        parsing: pathToFileURL(path.join(here, 'parse-worker.js')),
      },
      policy: readPolicy(),
      createApp,
    }),
  );
} else {
  const { text, code } = printInstead(parsed, version);
  (code === 0 ? process.stdout : process.stderr).write(text);
  process.exitCode = code;
}
