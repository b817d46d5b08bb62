import { defineConfig } from 'vitest/config';

const shared = { environment: 'node' as const, testTimeout: 60_000, hookTimeout: 60_000 };

export default defineConfig({
  test: {
    // Two cores on the smallest machine that runs these.
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: ['src/**/*.test.ts', 'src/**/*.test.tsx', 'scripts/**/*.test.ts'],
        },
      },
      { test: { ...shared, name: 'contract', include: ['tests/contract/**/*.test.ts'] } },
      { test: { ...shared, name: 'integration', include: ['tests/integration/**/*.test.ts'] } },
      { test: { ...shared, name: 'faults', include: ['tests/faults/**/*.test.ts'] } },
    ],
  },
});
