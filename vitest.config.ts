import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'vitest/config';

// Threads and processes that tests start run from the sources: stripped of types and compiled once for all of them.
process.env['NODE_COMPILE_CACHE'] ??= path.join(import.meta.dirname, '.cache/compiled');

const shared = {
  environment: 'node' as const,
  // What a test that works never comes near, on a machine that is ten times slower as well; as in playwright.config.ts.
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 30_000 } },
  // What nobody caught, in any thread or process that a test starts, fails it.
  setupFiles: [
    'tests/support/cost-setup.ts',
    'tests/support/uncaught-setup.ts',
    'tests/support/threads-setup.ts',
    'tests/support/toasts-setup.ts',
  ],
};

// Threads, processes and sockets of a whole machine: as in playwright.config.ts.
const real = { ...shared, retry: 1 };

const PARTS = [
  { ...shared, name: 'unit', include: ['src/**/*.test.{ts,tsx}'] },
  { ...real, name: 'service', include: ['tests/{contract,integration}/**/*.test.ts'] },
  { ...real, name: 'faults', include: ['tests/faults/**/*.test.ts'] },
];

/** Replaces modules, or draws parts of the window, whose stores keep what a test did: files after it would see that. */
const runsAlone = (file: string): boolean =>
  /\bvi\.(?:do)?[mM]ock\(|@vitest-environment happy-dom/.test(readFileSync(file, 'utf8'));

/** Files share three processes and what they have loaded, which is a fifth of the work; some have one to themselves. */
const projects = PARTS.flatMap(({ include, ...part }) => {
  const alone = globSync(include, { cwd: import.meta.dirname })
    .filter((file) => runsAlone(path.join(import.meta.dirname, file)))
    // These are patterns, in which a backslash would escape.
    .map((file) => file.replaceAll(path.sep, '/'));
  return [
    { test: { ...part, include, exclude: alone, isolate: false } },
    { test: { ...part, name: `${part.name}-alone`, include: alone } },
  ];
});

export default defineConfig({
  test: {
    // One more than the smallest machine has cores: with two, a seventh of them stands still.
    maxWorkers: 3,
    projects,
  },
});
