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
  { ...real, name: 'service', include: ['tests/{contract,integration}/**/*.test.ts'] },
  { ...real, name: 'faults', include: ['tests/faults/**/*.test.ts'] },
];

/** Whether a file replaces modules, or draws parts of the window, whose stores keep state that later files would see. */
const runsAlone = (file: string): boolean =>
  /\bvi\.(?:do)?[mM]ock\(|@vitest-environment happy-dom/.test(readFileSync(file, 'utf8'));

/** Files share three processes and their loaded modules, which saves a fifth of the work; some run in a separate process. */
const projects = PARTS.flatMap(({ include, ...part }) => {
  const alone = globSync(include, { cwd: import.meta.dirname })
    .filter((file) => runsAlone(path.join(import.meta.dirname, file)))
    // The paths are used as patterns, in which a backslash would escape.
    .map((file) => file.replaceAll(path.sep, '/'));
  return [
    { test: { ...part, include, exclude: alone, isolate: false } },
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
