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

/** Less source to load and parse; names stay, so that stack traces are readable. */
const withoutSpace = { compress: false, mangle: false, codegen: { removeWhitespace: true } };

/** Lists the packages in each bundle, for the third-party notices (scripts/notices.mjs). */
const license = { fileName: 'licences.json' };

/** Main entries: the two composition roots, and the entries of threads and separate processes. */
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
 * V8 holds the source of every module in every thread that runs it, with two bytes per character as soon as one is beyond
 * Latin-1. In our sources such characters occur only in strings, templates and patterns, where they can be escaped.
 */
const plainSource = {
  name: 'plain-source',
  generateBundle(
    this: { parse: (code: string) => unknown },
    _options: unknown,
    bundle: Record<string, { type: string; code?: string }>,
  ): void {
    for (const file of Object.values(bundle)) {
      if (file.type !== 'chunk' || file.code === undefined) continue;
      file.code = file.code.replace(
        /[^\0-\x7f]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
      // Fails the build if such a character stood elsewhere.
      this.parse(file.code);
    }
  },
};

export default defineConfig({
  main: {
    plugins: [plainSource],
    // A key of a JSON table would become the name of a variable, which cannot be escaped beyond the basic plane.
    json: { namedExports: false },
    build: {
      outDir: 'out/main',
      license,
      target: 'node24',
      sourcemap: true,
      // unhomoglyph is a JSON table: Node needs an import attribute for it, which bundling removes. Bundling zod drops its
      // 50 languages, which every thread would load; bundling tldts avoids the two copies that Node keeps of the source of
      // an imported CommonJS module, and only two tables are used of iconv-lite.
      externalizeDeps: {
        include: Object.keys(manifest.dependencies),
        exclude: ['iconv-lite', 'tldts', 'unhomoglyph', 'zod'],
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
      // A sandboxed preload can only require electron, so it must be one CommonJS file.
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
      // Icons and fonts stay files: the content policy allows fonts only from the page's own origin.
      assetsInlineLimit: 0,
      chunkSizeWarningLimit: 4000,
      rolldownOptions: {
        input: { index: at('src/renderer/index.html') },
        output: {
          comments: false,
          minify: withoutSpace,
          codeSplitting: {
            // zod's setting is in one file with zod, so that it applies before any schema is created. Everything else that
            // the first screen needs is one file: some 90 separate requests took a third more processor time until it was
            // drawn.
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
