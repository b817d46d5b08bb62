/** Fixtures for end-to-end tests: one browser per worker; one host per file and a new window per test, or shared ones. */
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

export interface WorkerFixtures {
  browser: Browser;
  /** The host of a file, which stops when another file starts its own; or, if the key is `connect`, that of the worker. */
  hostOf: (key: string, connect: string) => Promise<Host>;
  /** The shared window on that host. */
  windowOf: (key: string) => Promise<Page>;
}

let counted = 0;
/** The shared windows of this worker, by the key of their host; each closes with it. */
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
      const stop = async (ended: (key: string) => boolean) => {
        for (const [key, host] of [...running].filter(([path]) => ended(path))) {
          await windows.get(key)?.context().close();
          windows.delete(key);
          await host.stop();
          running.delete(key);
        }
      };
      /** The file whose host runs. */
      let file: string | null = null;
      await use(async (key, connect) => {
        if (key !== file) await stop((path) => path === file);
        if (key !== connect) file = key;
        const cached = running.get(key);
        if (cached) return cached;
        const host = await startHost({ connect });
        running.set(key, host);
        return host;
      });
      await stop(() => true);
    },
    { scope: 'worker' },
  ],
  windowOf: [
    async ({ browser }, use) => {
      await use(async (key) => {
        const window = windows.get(key);
        if (window) return window;
        const page = await (await browser.newContext()).newPage();
        windows.set(key, page);
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
  page.waitForEvent('download', (download) => !download.suggestedFilename().endsWith('.manifest.json'));
