/** A complete result in the grid, in Chromium: scrolling through it, and dragging its scroll bar to random positions. */
import { chromium, type Page } from 'playwright';
import { chromiumLaunch, prepareChromium } from '../e2e/chromium.ts';
import { startProduct } from './product.ts';
import { type BenchSuite, median, peakRss, percentile } from './support.ts';
import { inFront, openWindow, startQuery } from './window.ts';

const EMAILS = Number(process.env['PARAPET_BENCH_ROWS'] ?? 20_000);
const FRAMES = 600;
/** Rows to scroll through: some thirty per frame, like a fast mouse wheel. */
const THROUGH = 20_000;
const DROPS = 60;
const COUNT = `${inFront} .pp-results-count`;

/** Fetches the missing rows. Returns the number of rows. */
async function fetchAll(page: Page): Promise<number> {
  const rest = page.locator(inFront).getByRole('button', { name: /^Fetch remaining/ });
  const whole = page.locator(`${COUNT}[data-total="${EMAILS}"][data-loaded="${EMAILS}"]`);
  await rest.or(whole).waitFor({ timeout: 120_000 });
  if (await rest.isVisible()) await rest.click();
  await whole.waitFor({ timeout: 1_200_000 });
  await page.locator(`${inFront} [data-fetch="filling"]`).waitFor({ state: 'detached', timeout: 120_000 });
  return EMAILS;
}

/** The JavaScript heap of the window after a collection, MB. */
async function heap(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize / 1024 / 1024;
}

export const suite: BenchSuite = {
  names: ['grid'],
  async run(bench) {
    await prepareChromium();
    const product = await startProduct(EMAILS);
    const browser = await chromium.launch(chromiumLaunch());
    try {
      const page = await openWindow(browser, product.host.url);
      await startQuery(page);
      const rows = await fetchAll(page);
      const viewport = page.locator(`${inFront} .ag-grid-viewport`).first();
      const record = (variant: string, median_ms: number) => {
        const { pid } = product.host.process;
        const peak_rss_mb = pid === undefined ? null : peakRss(pid);
        bench.record({ name: 'grid', variant, rows, median_ms, peak_rss_mb });
      };
      const before = await heap(page);
      const drops = await viewport.evaluate(dropAnywhere, DROPS);
      const times = drops.map(({ ms }) => ms);
      record('scroll bar dropped: rows on screen', median(times));
      record('scroll bar dropped: rows on screen, 95 of 100', percentile(times, 0.95));
      const within = drops.filter(({ frames }) => frames <= 2).length;
      bench.notice(
        `grid: rows within two frames after ${within} of ${drops.length} drops; frames ${drops.map(({ frames }) => frames).join(' ')}`,
      );
      const frames = await viewport.evaluate(scrollThrough, {
        count: FRAMES,
        part: Math.min(1, THROUGH / rows),
      });
      let longest = 0;
      let run = 0;
      for (const { ms, blank } of frames) {
        run = blank ? run + ms : 0;
        longest = Math.max(longest, run);
      }
      record('scrolled through: longest time with a row missing', longest);
      record('scrolled through: a frame', median(frames.map(({ ms }) => ms)));
      bench.notice(
        `grid: a row was missing in ${frames.filter(({ blank }) => blank).length} of ${frames.length} frames; ` +
          `the window's JavaScript kept ${before.toFixed(0)} MB before and ${(await heap(page)).toFixed(0)} MB after`,
      );
    } finally {
      await browser.close();
      await product.stop();
    }
  },
};

/** Runs in the page: drags the scroll bar in five frames, releases it, and waits until no row on screen is missing. */
async function dropAnywhere(
  viewport: Element,
  drops: number,
): Promise<{ at: number; ms: number; frames: number }[]> {
  const bar = viewport.parentElement?.querySelector('.ag-body-vertical-scroll-viewport');
  if (!bar) throw new Error('The grid has no scroll bar');
  const frame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve));
  const box = viewport.getBoundingClientRect();
  /** Whether the rows at three heights of the screen are loaded. */
  const here = () =>
    [0.1, 0.5, 0.9].every((part) => {
      const y = box.top + box.height * part;
      const row = document.elementFromPoint(box.left + box.width * 0.4, y)?.closest('.ag-row');
      return row && !row.classList.contains('pp-row-wait');
    });
  const answers: { at: number; ms: number; frames: number }[] = [];
  // The same positions every time, from a linear congruential generator.
  let seed = 12345;
  const random = () => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed / 2147483648;
  };
  for (let drop = 0; drop < drops; drop += 1) {
    const from = bar.scrollTop;
    const to = Math.floor(random() * (bar.scrollHeight - bar.clientHeight));
    for (let step = 1; step <= 5; step += 1) {
      bar.scrollTop = from + ((to - from) * step) / 5;
      await frame();
    }
    // The last step is on screen with this frame; the wait for rows starts here.
    const began = performance.now();
    let frames = 0;
    while (!here()) {
      await frame();
      frames += 1;
      if (performance.now() - began > 10_000) throw new Error(`No rows at ${to} after ten seconds`);
    }
    answers.push({ at: to, ms: performance.now() - began, frames });
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  return answers;
}

/** Runs in the page: scrolls through some rows within `count` frames, checking three heights in each. */
async function scrollThrough(
  viewport: Element,
  { count, part }: { count: number; part: number },
): Promise<{ ms: number; blank: boolean }[]> {
  const frame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve));
  const box = viewport.getBoundingClientRect();
  const isBlank = () =>
    [0.1, 0.5, 0.9].some((height) => {
      const y = box.top + box.height * height;
      const row = document.elementFromPoint(box.left + box.width * 0.4, y)?.closest('.ag-row');
      return !row || row.classList.contains('pp-row-wait');
    });
  const frames: { ms: number; blank: boolean }[] = [];
  viewport.scrollTop = 0;
  await new Promise((resolve) => setTimeout(resolve, 1000));
  let last = await frame();
  while (frames.length < count) {
    viewport.scrollTop = (frames.length / count) * part * (viewport.scrollHeight - viewport.clientHeight);
    const now = await frame();
    frames.push({ ms: now - last, blank: isBlank() });
    last = now;
  }
  return frames;
}
