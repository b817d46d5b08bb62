/** Bundles a bench script, as type stripping takes 30 MB of memory that the product does not use. */
import path from 'node:path';
import { build } from 'vite';

const root = path.join(import.meta.dirname, '..', '..');

/** Returns the path of the bundle, beside the built product. */
export async function bundled(script: string): Promise<string> {
  const outDir = path.join(root, 'out', 'bench');
  const name = path.basename(script, '.ts');
  await build({
    configFile: false,
    root,
    logLevel: 'error',
    build: {
      ssr: path.join(import.meta.dirname, script),
      outDir,
      emptyOutDir: false,
      target: 'node24',
      rolldownOptions: { output: { entryFileNames: `${name}.js` } },
    },
  });
  return path.join(outDir, `${name}.js`);
}
