import { readFileSync } from 'node:fs';
import path from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';
import { guidePages } from './scripts/guide-pages.ts';

const root = import.meta.dirname;
const at = (file: string) => path.join(root, file);
const manifest: { dependencies: Record<string, string> } = JSON.parse(
  readFileSync(at('package.json'), 'utf8'),
);

/** Less to read and to scan; names stay, so that what is reported of an error says where it was. */
const withoutSpace = { compress: false, mangle: false, codegen: { removeWhitespace: true } };

/** What each build holds of others goes into the notices (scripts/notices.mjs). */
const license = { fileName: 'licences.json' };

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

/**
 * V8 keeps the source of every module in every thread that runs it, with two bytes for each character as soon as one of
 * them is beyond Latin-1. Only strings, templates and patterns hold such characters, and all of them know the escape.
 */
const plainSource = {
  name: 'plain-source',
  generateBundle(_options: unknown, bundle: Record<string, { type: string; code?: string }>): void {
    for (const file of Object.values(bundle))
      if (file.type === 'chunk')
        file.code = file.code?.replace(
          /[^\0-\x7f]/g,
          (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
        );
  },
};

export default defineConfig({
  main: {
    plugins: [plainSource],
    build: {
      outDir: 'out/main',
      license,
      target: 'node24',
      sourcemap: true,
      // unhomoglyph is a table in JSON, whose import Node takes only with an attribute that bundles lose. Of zod its 50
      // languages fall away, which every thread would hold, and of tldts the two copies of its source that Node keeps of a
      // CommonJS module which a module imports.
      externalizeDeps: {
        include: Object.keys(manifest.dependencies),
        exclude: ['tldts', 'unhomoglyph', 'zod'],
      },
      rolldownOptions: {
        input: Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, at(file)])),
        output: {
          format: 'es',
          comments: false,
          minify: withoutSpace,
          entryFileNames: '[name].js',
          chunkFileNames: 'chunks/[name]-[hash].js',
        },
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
    plugins: [react(), guidePages()],
    build: {
      outDir: at('out/renderer'),
      license,
      emptyOutDir: true,
      target: 'chrome140',
      // Icons and fonts as files: the content policy allows fonts from the page's own origin only.
      assetsInlineLimit: 0,
      chunkSizeWarningLimit: 4000,
      rolldownOptions: {
        input: { index: at('src/renderer/index.html') },
        output: {
          comments: false,
          minify: withoutSpace,
          codeSplitting: {
            // In one file with zod, its setting is made before any schema is. All else that the first screen needs is one
            // file: as some 90, each asked for by itself, it cost a third more processor time until it was drawn.
            groups: [
              { name: 'zod', test: /node_modules\/zod\/|no-eval/, priority: 1 },
              { name: 'initial', tags: ['$initial'] },
            ],
          },
        },
      },
    },
  },
});
