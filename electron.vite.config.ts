import { readFileSync } from 'node:fs';
import path from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';

const root = import.meta.dirname;
const at = (file: string) => path.join(root, file);
const manifest: { dependencies: Record<string, string> } = JSON.parse(
  readFileSync(at('package.json'), 'utf8'),
);

/** Main entries: the two composition roots, and what runs in threads or processes of its own. */
const entries = {
  index: 'src/main/index.ts',
  node: 'src/main/node.ts',
  'store-worker': 'src/main/results/store-worker.ts',
  'export-worker': 'src/main/export/worker.ts',
  'parse-worker': 'src/main/queries-file/parse-worker.ts',
  embedded: 'src/service/worker.ts',
  service: 'src/service/cli.ts',
};

export default defineConfig({
  main: {
    build: {
      outDir: 'out/main',
      target: 'node24',
      sourcemap: true,
      externalizeDeps: { include: Object.keys(manifest.dependencies) },
      rolldownOptions: {
        input: Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, at(file)])),
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
      },
    },
  },
  preload: {
    build: {
      outDir: 'out/preload',
      // A sandboxed preload can require nothing but electron: it is one CommonJS file.
      externalizeDeps: false,
      rolldownOptions: {
        input: { index: at('src/preload/index.ts') },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: at('src/renderer'),
    base: './',
    // Libraries written for bundlers expect Node's name for the global object.
    define: { global: 'globalThis' },
    plugins: [react()],
    build: {
      outDir: at('out/renderer'),
      emptyOutDir: true,
      target: 'chrome140',
      // Icons and fonts as files: the content policy allows fonts from the page's own origin only.
      assetsInlineLimit: 0,
      chunkSizeWarningLimit: 4000,
      rolldownOptions: { input: { index: at('src/renderer/index.html') } },
    },
  },
});
