import path from 'node:path';
import { defineConfig } from '@playwright/test';

// Hosts and services started by tests share one compile cache.
process.env['NODE_COMPILE_CACHE'] ??= path.join(import.meta.dirname, '.cache/compiled');

export default defineConfig({
  testDir: 'tests/e2e',
  outputDir: 'test-results/artifacts',
  globalSetup: './tests/e2e/global-setup.ts',
  fullyParallel: false,
  // One more than the smallest machine has cores, as each worker waits for its window or its host two fifths of the time.
  // The tests of a file stay together.
  workers: 3,
  // Far above the duration of a passing test, even on a machine ten times slower.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  // A test that passes only on the retry is named at the end of `npm test`: a bug, in the test or in the product.
  retries: 1,
  reporter: [['list'], ['json', { outputFile: 'test-results/e2e.json' }]],
  use: {
    // Recording costs time; turn it on with `npm test -- e2e NAME --trace retain-on-failure`.
    trace: 'off',
    screenshot: 'only-on-failure',
    locale: 'en-GB',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
    // As a browser with a window grants it to the page in front.
    permissions: ['clipboard-write'],
    actionTimeout: 45_000,
  },
  projects: [
    // The same specs in Chromium under the stand-in for Electron, and in Electron if its binary is available. They come
    // first, as they are one long file of sequential tests: at the end it would leave the other workers idle.
    { name: 'window', testMatch: 'tests/e2e/electron/*.e2e.ts' },
    { name: 'electron', testMatch: 'tests/e2e/electron/*.e2e.ts' },
    { name: 'chromium', testMatch: 'tests/e2e/*.e2e.ts' },
  ],
});
