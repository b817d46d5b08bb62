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
  setupFiles: ['tests/support/cost-setup.ts', 'tests/support/uncaught-setup.ts'],
};

// Threads, processes and sockets of a whole machine: as in playwright.config.ts.
const real = { ...shared, retry: 1 };

export default defineConfig({
  test: {
    // Two cores on the smallest machine that runs these.
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: ['src/**/*.test.ts', 'src/**/*.test.tsx'],
        },
      },
      {
        test: {
          ...real,
          name: 'service',
          include: ['tests/contract/**/*.test.ts', 'tests/integration/**/*.test.ts'],
        },
      },
      { test: { ...real, name: 'faults', include: ['tests/faults/**/*.test.ts'] } },
    ],
  },
});
