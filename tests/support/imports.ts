/** The modules that a built file loads at start, found by the bundler's own parser. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseAst } from 'vite';

/** The specifiers of a module's static imports and re-exports; dynamic imports are excluded. */
function staticImports(file: string): string[] {
  return parseAst(readFileSync(file, 'utf8')).body.flatMap((node) =>
    'source' in node && node.source ? [String(node.source.value)] : [],
  );
}

/** `files`: the built files that the entries load, with themselves. `packages`: imported packages, except Node's own. */
export function loadedBy(entries: readonly string[]): { files: string[]; packages: string[] } {
  const files = new Set(entries);
  const packages = new Set<string>();
  for (const file of files)
    for (const name of staticImports(file))
      if (name.startsWith('.')) files.add(path.resolve(path.dirname(file), name));
      else if (!name.startsWith('node:')) packages.add(name);
  return { files: [...files], packages: [...packages].sort() };
}
