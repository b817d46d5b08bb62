import path from 'node:path';
import { defineConfig } from '@playwright/test';

// Hosts and services that tests start are compiled once for all of them.
process.env['NODE_COMPILE_CACHE'] ??= path.join(import.meta.dirname, '.cache/compiled');

export default defineConfig({
  testDir: 'tests/e2e',
  outputDir: 'test-results/artifacts',
  globalSetup: './tests/e2e/global-setup.ts',
  fullyParallel: false,
  // One more than the smallest machine has cores, as each waits for its window or its host two fifths of the time; a
  // file's tests stay together.
  workers: 3,
  // What a test that works never comes near, on a machine that is ten times slower as well.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  // A test that passes only the second time is named at the end of `npm test`: a bug, of it or of the product.
  retries: 1,
  reporter: [['list'], ['json', { outputFile: 'test-results/e2e.json' }]],
  use: {
    // Recorded when asked for, as all of it costs time: `npm test -- e2e NAME --trace retain-on-failure`.
    trace: 'off',
    screenshot: 'only-on-failure',
    locale: 'en-GB',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
    actionTimeout: 45_000,
  },
  projects: [
    // The same specs: in Chromium under the stand-in for Electron, and in Electron where its binary is. First, as they
    // are one long file whose tests follow each other, and at the end would leave the other workers without work.
    { name: 'window', testMatch: 'tests/e2e/electron/*.e2e.ts' },
    { name: 'electron', testMatch: 'tests/e2e/electron/*.e2e.ts' },
    { name: 'chromium', testMatch: 'tests/e2e/*.e2e.ts' },
  ],
});
