/** Entries of the core's threads in tests. */

/** The built entries need no type stripping, so they start in two thirds of the time. */
export const BUILT = {
  store: new URL('../../out/main/store-worker.js', import.meta.url),
  embedded: new URL('../../out/main/embedded.js', import.meta.url),
  exports: new URL('../../out/main/export-worker.js', import.meta.url),
  parsing: new URL('../../out/main/parse-worker.js', import.meta.url),
};

const SOURCES = {
  store: new URL('../../src/main/results/store-worker.ts', import.meta.url),
  embedded: new URL('../../src/service/worker.ts', import.meta.url),
  exports: new URL('../../src/main/export/worker.ts', import.meta.url),
  parsing: new URL('../../src/main/queries-file/parse-worker.ts', import.meta.url),
};

/** The built entries under `npm test`, which builds first; the sources when Vitest runs alone. */
export const THREADS = process.env['PARAPET_BUILT'] === '1' ? BUILT : SOURCES;
