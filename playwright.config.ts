import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: 'tests/e2e',
  outputDir: 'test-results/artifacts',
  globalSetup: './tests/e2e/global-setup.ts',
  fullyParallel: false,
  workers: 1,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  // A whole product on a machine that may be busy: tried again once, and told when that was needed.
  retries: 1,
  reporter: [['list'], ['json', { outputFile: 'test-results/e2e.json' }]],
  use: {
    trace: 'retain-on-failure',
    locale: 'en-GB',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
    actionTimeout: 45_000,
  },
  projects: [
    { name: 'chromium', testMatch: 'tests/e2e/*.e2e.ts' },
    { name: 'electron', testMatch: 'tests/e2e/electron/*.e2e.ts' },
  ],
});
