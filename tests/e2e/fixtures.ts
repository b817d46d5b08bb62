/** Tests of the whole product: one host per worker, a new window per test. */
import { type Browser, test as base, type Download, type Page } from '@playwright/test';
import { chromiumLaunch } from './chromium.ts';
import { type Host, startHost } from './host.ts';

interface WorkerFixtures {
  browser: Browser;
  /** What the host connects to at start; `test.use({ connect })` changes it. */
  connect: string;
  /** Shared by the tests of a worker, across files: a test that changes the connection starts one of its own. */
  host: Host;
}

export const test = base.extend<object, WorkerFixtures>({
  connect: ['demo', { option: true, scope: 'worker' }],
  browser: [
    async ({ playwright }, use) => {
      const browser = await playwright.chromium.launch(chromiumLaunch());
      await use(browser);
      await browser.close();
    },
    { scope: 'worker' },
  ],
  host: [
    async ({ connect }, use) => {
      const host = await startHost({ connect });
      await use(host);
      await host.stop();
    },
    { scope: 'worker' },
  ],
});

export { expect } from '@playwright/test';

/** The next file that is not a manifest: most files come with one, as a download of its own. */
export const nextFile = (page: Page): Promise<Download> =>
  page.waitForEvent('download', (one) => !one.suggestedFilename().endsWith('.manifest.json'));
