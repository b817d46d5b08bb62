/** What a built file loads as it starts, read by the bundler's own parser. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseAst } from 'vite';

/** The names that a module imports or exports from, as they stand there; what it imports later is not among them. */
function staticImports(file: string): string[] {
  return parseAst(readFileSync(file, 'utf8')).body.flatMap((node) =>
    'source' in node && node.source ? [String(node.source.value)] : [],
  );
}

/** `files`: all that the entries load of their own kind, themselves too. `packages`: what they name of others, without Node's own, in order. */
export function loadedBy(entries: readonly string[]): { files: string[]; packages: string[] } {
  const files = new Set(entries);
  const packages = new Set<string>();
  for (const file of files)
    for (const name of staticImports(file))
      if (name.startsWith('.')) files.add(path.resolve(path.dirname(file), name));
      else if (!name.startsWith('node:')) packages.add(name);
  return { files: [...files], packages: [...packages].sort() };
}
