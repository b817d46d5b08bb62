/** Fixtures for end-to-end tests: one browser per worker, one host per file, a new window per test. */
import path from 'node:path';
import { type Browser, test as base, type Download, type Page } from '@playwright/test';
import { costFile, noteCost, processorSeconds } from '../support/cost.ts';
import { chromiumLaunch } from './chromium.ts';
import { type Host, startHost } from './host.ts';

interface TestFixtures {
  /** The connection that the host opens at start; change it for a file with `test.use({ connect })`. */
  connect: string;
  /** Shared by the tests of a file; a test that needs it unchanged starts its own host. */
  host: Host;
  /** Records the processor time of each test (worker, hosts and windows), if requested. */
  cost: undefined;
}

interface WorkerFixtures {
  browser: Browser;
  hostOf: (file: string, connect: string) => Promise<Host>;
  /** The shared window of a file that uses `one-window.ts`. */
  windowOf: (file: string) => Promise<Page>;
}

let counted = 0;
/** The shared windows of this worker, by file; each closes with its host. */
const windows = new Map<string, Page>();

export const test = base.extend<TestFixtures, WorkerFixtures>({
  connect: ['demo', { option: true }],
  browser: [
    async ({ playwright }, use) => {
      const browser = await playwright.chromium.launch(chromiumLaunch());
      await use(browser);
      await browser.close();
    },
    { scope: 'worker' },
  ],
  hostOf: [
    async ({ playwright: _ }, use) => {
      const running = new Map<string, Host>();
      const stop = async () => {
        for (const page of windows.values()) await page.context().close();
        windows.clear();
        for (const host of running.values()) await host.stop();
        running.clear();
      };
      await use(async (file, connect) => {
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
  host: async ({ hostOf, connect }, use, { file }) => use(await hostOf(file, connect)),
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

/** The next download that is not a manifest; most files come with one as a second download. */
export const nextFile = (page: Page): Promise<Download> =>
  page.waitForEvent('download', (one) => !one.suggestedFilename().endsWith('.manifest.json'));
