import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'vitest/config';

// Threads and processes started by tests run from the sources; the cache strips types and compiles once for all of them.
process.env['NODE_COMPILE_CACHE'] ??= path.join(import.meta.dirname, '.cache/compiled');

const shared = {
  environment: 'node' as const,
  // Far above the duration of a passing test, even on a machine ten times slower; as in playwright.config.ts.
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 30_000 } },
  // Among others: an uncaught error in any thread or process that a test starts fails the test.
  setupFiles: [
    'tests/support/cost-setup.ts',
    'tests/support/uncaught-setup.ts',
    'tests/support/threads-setup.ts',
    'tests/support/toasts-setup.ts',
  ],
};

// These parts use threads, processes and sockets of the machine, so they retry once, as in playwright.config.ts.
const real = { ...shared, retry: 1 };

const PARTS = [
  { ...shared, name: 'unit', include: ['src/**/*.test.{ts,tsx}'] },
  { ...real, name: 'service', include: ['tests/{contract,integration,store}/**/*.test.ts'] },
  { ...real, name: 'faults', include: ['tests/faults/**/*.test.ts'] },
];

/** Replaced modules would stay replaced in later files of the process. */
const isMocking = (source: string): boolean => /\bvi\.(?:do)?[mM]ock\(/.test(source);
/** Renders parts of the window. */
const isRendering = (source: string): boolean => source.includes('@vitest-environment happy-dom');

/**
 * Files share three processes and their loaded modules, which saves a fifth of the work. Files that render share the
 * libraries alone, which saves four fifths of theirs; files that replace modules run in a process each.
 */
const projects = PARTS.flatMap(({ include, ...part }) => {
  const files = globSync(include, { cwd: import.meta.dirname }).map((file) => ({
    // The paths are used as patterns, in which a backslash would escape.
    pattern: file.replaceAll(path.sep, '/'),
    source: readFileSync(path.join(import.meta.dirname, file), 'utf8'),
  }));
  const patterns = (of: typeof files) => of.map(({ pattern }) => pattern);
  const alone = patterns(files.filter(({ source }) => isMocking(source)));
  const rendering = patterns(files.filter(({ source }) => isRendering(source) && !isMocking(source)));
  const setupFiles = ['tests/support/fresh-modules-setup.ts', ...part.setupFiles];
  return [
    { test: { ...part, include, exclude: [...alone, ...rendering], isolate: false } },
    ...(rendering.length === 0
      ? []
      : [{ test: { ...part, name: `${part.name}-dom`, include: rendering, isolate: false, setupFiles } }]),
    { test: { ...part, name: `${part.name}-alone`, include: alone } },
  ];
});

export default defineConfig({
  test: {
    // One more than the smallest machine has cores: with two workers, the cores are idle for a seventh of the time.
    maxWorkers: 3,
    projects,
  },
});
