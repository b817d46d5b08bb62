/** 200 000 logins on the map in Chromium: what the window's thread does meanwhile, and a brush until it is redrawn. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium, type Page } from 'playwright';
import { HEAT_MAP_PAGE_MAX } from '#shared/model/constants.ts';
import { chromiumLaunch, prepareChromium } from '../e2e/chromium.ts';
import { PAGES, pageOf } from './login-pages.ts';
import { startProduct } from './product.ts';
import { type BenchSuite, median } from './support.ts';
import { inFront, openWindow } from './window.ts';

const MODULE = 'office365_emails';
const BRUSHES = 30;
const COUNT = `${inFront} .pp-map-side .pp-panel-count`;

/** A service in front of another: the successful logins of one app are the bench's, all else is the other's. */
async function startFront(base: string, pages: readonly string[]) {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://service.invalid');
    if (url.pathname.endsWith('/get_cache_query')) {
      const isOurs = url.searchParams.get('module') === MODULE && url.searchParams.get('fail') === 'false';
      const data = isOurs ? (pages[Number(url.searchParams.get('page') ?? 0)] ?? '') : '';
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ data, total_rows: isOurs ? PAGES * HEAT_MAP_PAGE_MAX : 0 }));
      return;
    }
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const method = request.method ?? 'GET';
      const { authorization = '', 'content-type': type = 'application/json' } = request.headers;
      fetch(`${new URL(base).origin}${request.url}`, {
        method,
        headers: { authorization, 'content-type': type },
        ...(method === 'GET' ? {} : { body: Buffer.concat(parts) }),
      })
        .then(async (answer) => {
          response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? type });
          response.end(Buffer.from(await answer.arrayBuffer()));
        })
        .catch(() => response.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  dur?: number;
  tdur?: number;
  args: { name?: string };
}

/**
 * The longest task of the window's thread during some work, milliseconds: by the clock, and of the thread's own
 * processor time. On two cores worker, host, service and drawing take the thread's place now and then.
 */
async function longestTask(page: Page, work: () => Promise<void>): Promise<{ clock: number; cpu: number }> {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => void events.push(...(value as unknown as TraceEvent[])));
  await session.send('Tracing.start', { transferMode: 'ReportEvents', categories: 'toplevel' });
  await work();
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
  const most = (of: (event: TraceEvent) => number | undefined) =>
    Math.max(...tasks.map((event) => (of(event) ?? 0) / 1000));
  return { clock: most(({ dur }) => dur), cpu: most(({ tdur }) => tdur) };
}

/** Runs in the page: brushes over the histogram, each until the count has changed and a frame is out. */
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
  // A pointer that is none cannot be captured.
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
    // What is shown with the next frame is out when the one after it begins.
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
    const front = await startFront(
      product.service.base,
      Array.from({ length: PAGES }, (_, page) => pageOf(page)),
    );
    const browser = await chromium.launch(chromiumLaunch());
    try {
      const connection = await product.bridge.call('connections.save', {
        id: null,
        settings: {
          name: 'Logins',
          kind: 'tenant',
          url: front.url,
          authorityPem: null,
          flags: {},
          product: product.connection.product,
          timezone: null,
        },
        credential: product.service.token,
        grantId: null,
      });
      await product.bridge.call('connections.activate', { id: connection.id });
      const page = await openWindow(browser, product.host.url);
      await page.waitForTimeout(2000);
      const rows = PAGES * HEAT_MAP_PAGE_MAX;
      let shown = 0;
      const loading = await longestTask(page, async () => {
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
      const brushing = await longestTask(page, async () => void (await page.evaluate(brush, BRUSHES)));
      const record = (variant: string, median_ms: number) =>
        bench.record({ name: 'heatmap-window', variant, rows, median_ms });
      record('from the click to all pages on the map', shown);
      record('longest task while loading', loading.clock);
      record('longest task while loading, its processor time', loading.cpu);
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
