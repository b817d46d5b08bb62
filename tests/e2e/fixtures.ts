/** Tests of the whole product: one browser per worker, one host per file, a new window per test. */
import path from 'node:path';
import { type Browser, test as base, type Download, type Page } from '@playwright/test';
import { costFile, noteCost, processorSeconds } from '../support/cost.ts';
import { chromiumLaunch } from './chromium.ts';
import { type Host, startHost } from './host.ts';

interface TestFixtures {
  /** Shared by the tests of a file: one that changes the connection, or the tenant for others, starts one of its own. */
  host: Host;
  /** Notes what each test cost, when asked to: its worker, hosts and windows since the test before it. */
  cost: undefined;
}

interface WorkerFixtures {
  browser: Browser;
  /** What the host connects to at start; `test.use({ connect })` changes it. */
  connect: string;
  hostOf: (file: string) => Promise<Host>;
  /** The window of a file whose tests share one (`one-window.ts`). */
  windowOf: (file: string) => Promise<Page>;
}

let counted = 0;
/** Of this worker; they end with the host that they show. */
const windows = new Map<string, Page>();

export const test = base.extend<TestFixtures, WorkerFixtures>({
  connect: ['demo', { option: true, scope: 'worker' }],
  browser: [
    async ({ playwright }, use) => {
      const browser = await playwright.chromium.launch(chromiumLaunch());
      await use(browser);
      await browser.close();
    },
    { scope: 'worker' },
  ],
  hostOf: [
    async ({ connect }, use) => {
      const running = new Map<string, Host>();
      const stop = async () => {
        for (const page of windows.values()) await page.context().close();
        windows.clear();
        for (const host of running.values()) await host.stop();
        running.clear();
      };
      await use(async (file) => {
        const known = running.get(file);
        if (known) return known;
        await stop();
        const host = await startHost({ connect });
        running.set(file, host);
        return host;
      });
      await stop();
    },
    { scope: 'worker' },
  ],
  windowOf: [
    async ({ browser }, use) => {
      await use(async (file) => {
        const known = windows.get(file);
        if (known) return known;
        const page = await (await browser.newContext()).newPage();
        windows.set(file, page);
        return page;
      });
    },
    { scope: 'worker' },
  ],
  host: async ({ hostOf }, use, { file }) => use(await hostOf(file)),
  cost: [
    async ({ playwright: _ }, use, { file, title }) => {
      await use(undefined);
      if (costFile === undefined) return;
      const now = processorSeconds();
      noteCost(path.relative(process.cwd(), file), title, now - counted);
      counted = now;
    },
    { auto: true },
  ],
});

export { expect } from '@playwright/test';

/** The next file that is not a manifest: most files come with one, as a download of its own. */
export const nextFile = (page: Page): Promise<Download> =>
  page.waitForEvent('download', (one) => !one.suggestedFilename().endsWith('.manifest.json'));
