/** 200 000 logins on the map in Chromium: the work of the window's thread, and the time from a brush to its redraw. */
import { readdirSync, readFileSync } from 'node:fs';
import { chromium, type Page } from 'playwright';
import { HEAT_MAP_PAGE_MAX } from '#shared/model/constants.ts';
import { chromiumLaunch, prepareChromium } from '../e2e/chromium.ts';
import { startLoginFront } from './login-front.ts';
import { PAGES, pageOf } from './login-pages.ts';
import { connectTo, startProduct } from './product.ts';
import { type BenchSuite, median } from './support.ts';
import { inFront, openWindow } from './window.ts';

const BRUSHES = 30;
const COUNT = `${inFront} .pp-map-side .pp-panel-count`;

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  dur?: number;
  tdur?: number;
  args: { name?: string };
}

/** Milliseconds that each process's main thread has waited for a core; empty if the kernel does not report it. */
function coreWaits(): Map<number, number> {
  if (process.platform !== 'linux') return new Map();
  return new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((pid): [number, number][] => {
        try {
          const [, waited] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
          return [[Number(pid), Number(waited) / 1e6]];
        } catch {
          return []; // It has ended.
        }
      }),
  );
}

interface Tasks {
  /** The longest task in wall-clock time, and the one with the most processor time, milliseconds. */
  clock: number;
  cpu: number;
  /** Over all tasks: time without a core, and the thread's wait for one as counted by the kernel. */
  off: number;
  waited: number;
}

/**
 * Tasks of the window's thread during some work. On two cores, worker, host, service and drawing sometimes displace the
 * thread.
 */
async function tasksOf(page: Page, work: () => Promise<void>): Promise<Tasks> {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => void events.push(...(value as unknown as TraceEvent[])));
  await session.send('Tracing.start', { transferMode: 'ReportEvents', categories: 'toplevel' });
  const before = coreWaits();
  await work();
  const after = coreWaits();
  const over = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.end');
  await over;
  await session.detach();
  const place = ({ pid, tid }: TraceEvent) => `${pid}:${tid}`;
  const threads = new Set(
    events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(place),
  );
  const tasks = events.filter(
    (event) =>
      event.ph === 'X' && event.name === 'ThreadControllerImpl::RunTask' && threads.has(place(event)),
  );
  if (tasks.length === 0) throw new Error('the trace has no tasks of the window');
  const most = (of: (event: TraceEvent) => number) => Math.max(...tasks.map(of)) / 1000;
  const off = tasks.reduce((sum, { dur = 0, tdur = 0 }) => sum + dur - tdur, 0) / 1000;
  const pid = tasks[0]?.pid ?? 0;
  return {
    clock: most(({ dur = 0 }) => dur),
    cpu: most(({ tdur = 0 }) => tdur),
    off,
    waited: (after.get(pid) ?? 0) - (before.get(pid) ?? 0),
  };
}

/** Runs in the page: brushes over the histogram, each time until the count has changed and a frame is drawn. */
async function brush(rounds: number): Promise<number[]> {
  const screen = '.pp-screen:not([hidden])';
  const chart = document.querySelector(`${screen} .pp-map-chart svg`);
  const map = document.querySelector(`${screen} .pp-map-canvas`);
  if (!chart || !map) throw new Error('The map has no histogram');
  const box = chart.getBoundingClientRect();
  const send = (type: string, part: number) =>
    chart.dispatchEvent(
      new PointerEvent(type, {
        bubbles: true,
        pointerId: 1,
        button: 0,
        clientX: box.left + box.width * part,
        clientY: box.top + box.height / 2,
      }),
    );
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  // A synthetic pointer cannot be captured.
  chart.setPointerCapture = () => undefined;
  send('pointerdown', 0.2);
  send('pointermove', 0.3);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const changed = new Promise((resolve, reject) => {
      setTimeout(() => reject(new Error(`Nothing changed in round ${round}`)), 10_000);
      const observer = new MutationObserver(() => {
        observer.disconnect();
        resolve(undefined);
      });
      observer.observe(map, { attributeFilter: ['data-rows'] });
    });
    const began = performance.now();
    send('pointermove', 0.35 + (0.6 * round) / rounds);
    await changed;
    // The next frame has been drawn when the one after it begins.
    await frame();
    await frame();
    times.push(performance.now() - began);
  }
  send('pointerup', 0.95);
  return times;
}

export const suite: BenchSuite = {
  names: ['heatmap-window'],
  async run(bench) {
    await prepareChromium();
    const product = await startProduct(500);
    const pages = Array.from({ length: PAGES }, (_, page) => pageOf(page));
    const front = await startLoginFront(product.service.base, (query) => ({
      data: pages[Number(query.get('page') ?? 0)] ?? '',
      total_rows: PAGES * HEAT_MAP_PAGE_MAX,
    }));
    const browser = await chromium.launch(chromiumLaunch());
    try {
      await connectTo(product, front.url, 'Logins');
      const page = await openWindow(browser, product.host.url);
      await page.waitForTimeout(2000);
      const rows = PAGES * HEAT_MAP_PAGE_MAX;
      let shown = 0;
      const loading = await tasksOf(page, async () => {
        const began = performance.now();
        await page
          .getByRole('navigation', { name: 'Sections' })
          .getByRole('button', { name: 'Login map' })
          .click();
        await page.locator(COUNT, { hasText: rows.toLocaleString('en-GB') }).waitFor({ timeout: 120_000 });
        await page.locator(`${inFront} .pp-map-canvas[data-rows="${rows}"]`).waitFor({ timeout: 120_000 });
        shown = performance.now() - began;
        await page.waitForTimeout(500);
      });
      const times = await page.evaluate(brush, BRUSHES);
      const brushing = await tasksOf(page, async () => void (await page.evaluate(brush, BRUSHES)));
      const record = (variant: string, median_ms: number) =>
        bench.record({ name: 'heatmap-window', variant, rows, median_ms });
      record('from the click to all pages on the map', shown);
      record('longest task while loading', loading.clock);
      record('longest task while loading, its processor time', loading.cpu);
      record('all tasks while loading, time without the core', loading.off);
      record('the thread while loading, waiting for a core by the kernel’s count', loading.waited);
      record('brush to redraw', median(times));
      record('brush to redraw, the slowest', Math.max(...times));
      record('longest task while brushing', brushing.clock);
      record('longest task while brushing, its processor time', brushing.cpu);
    } finally {
      await browser.close();
      front.close();
      await product.stop();
    }
  },
};
