/** 857 142 logins in 172 pages by key, in Chromium: until the first picture, until all are shown, and for one user. */
import { readFileSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright';
import { HEAT_MAP_PAGE_MAX } from '#shared/model/constants.ts';
import { chromiumLaunch, prepareChromium } from '../e2e/chromium.ts';
import { startLoginFront } from './login-front.ts';
import { packed, userOf } from './login-pages.ts';
import { connectTo, startProduct } from './product.ts';
import { type BenchSuite, print } from './support.ts';
import { inFront, openWindow } from './window.ts';

const ROWS = 857_142;
const USER = userOf(7);

/** Processor time of a process so far, ms. */
function processorOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** A window and its renderer process. */
async function windowOf(browser: Browser, url: string) {
  const page = await openWindow(browser, url);
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const pids = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
  await session.detach();
  /** The renderers' unshared memory, MB. */
  const memory = () =>
    pids.reduce((sum, pid) => {
      try {
        const [, kib = '0'] = /RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
        return sum + Number(kib) / 1024;
      } catch {
        return sum; // The process has ended.
      }
    }, 0);
  const processor = () => pids.reduce((sum, pid) => sum + processorOf(pid), 0);
  return { page, memory, processor };
}

const mb = (value: number) => `${Math.round(value)} MB`;
const drawn = (page: Page, rows: string) =>
  page.locator(`${inFront} .pp-map-canvas${rows}`).waitFor({ timeout: 300_000 });

export const suite: BenchSuite = {
  names: ['heatmap-million'],
  async run(bench) {
    await prepareChromium();
    const product = await startProduct(500);
    const pageCount = Math.ceil(ROWS / HEAT_MAP_PAGE_MAX);
    const numbers = Array.from({ length: ROWS }, (_, index) => index);
    const whole = Array.from({ length: pageCount }, (_, page) =>
      packed(numbers.slice(page * HEAT_MAP_PAGE_MAX, (page + 1) * HEAT_MAP_PAGE_MAX)),
    );
    const front = await startLoginFront(product.service.base, (query) => {
      const page = Number(query.get('after') ?? 0);
      const user = query.get('user');
      if (user !== null) {
        const mine = numbers.slice(page * HEAT_MAP_PAGE_MAX).filter((number) => userOf(number) === user);
        return { data: packed(mine), total_rows: mine.length, next: null };
      }
      const next = page + 1 < pageCount ? String(page + 1) : null;
      return { data: whole[page] ?? '', total_rows: ROWS, next };
    });
    const browser = await chromium.launch(chromiumLaunch());
    const record = (variant: string, median_ms: number) =>
      bench.record({ name: 'heatmap-million', variant, rows: ROWS, median_ms });
    try {
      await connectTo(product, front.url, 'Logins');
      const window = await windowOf(browser, product.host.url);
      let before = window.memory();
      let began = performance.now();
      await window.page.keyboard.press('Control+k');
      await window.page.locator('.pp-palette').getByRole('combobox').fill(USER);
      await window.page.getByRole('option', { name: /^Show logins of this user on the map/ }).click();
      await window.page.locator(`${inFront} .pp-login-map[aria-busy="false"]`).waitFor({ timeout: 300_000 });
      await drawn(window.page, ':not([data-rows=""])');
      record('one user, until all of the user’s logins are there', performance.now() - began);
      print('One user', [
        ['pages asked for', String(front.asked.length)],
        ['memory of the window', mb(window.memory() - before)],
      ]);
      await window.page.close();

      front.asked.length = 0;
      // A new connection with an empty cache.
      await connectTo(product, front.url, 'Logins again');
      const all = await windowOf(browser, product.host.url);
      before = all.memory();
      const processor = all.processor();
      began = performance.now();
      await all.page
        .getByRole('navigation', { name: 'Sections' })
        .getByRole('button', { name: 'Login map' })
        .click();
      await drawn(all.page, ':not([data-rows=""])');
      record('everything, until the first picture', performance.now() - began);
      const first = front.asked.length;
      await drawn(all.page, `[data-rows="${ROWS}"]`);
      bench.record({
        name: 'heatmap-million',
        variant: 'everything, until all are on the map',
        rows: ROWS,
        median_ms: performance.now() - began,
        cpu_ms: all.processor() - processor,
      });
      print('Everything', [
        ['pages asked for until the first picture', String(first)],
        ['pages asked for', String(front.asked.length)],
        ['memory of the window', mb(all.memory() - before)],
      ]);
    } finally {
      await browser.close();
      front.close();
      await product.stop();
    }
  },
};
