/** Scrolling through 20 000 rows in Chromium: how long any part of the grid stays without rows. */
import { chromium } from 'playwright';
import { chromiumLaunch, prepareChromium } from '../e2e/chromium.ts';
import { startProduct } from './product.ts';
import { type BenchSuite, median, peakRss } from './support.ts';
import { inFront, openWindow, startQuery } from './window.ts';

const EMAILS = 20_000;
const FRAMES = 600;

export const suite: BenchSuite = {
  names: ['grid'],
  async run(bench) {
    await prepareChromium();
    const product = await startProduct(EMAILS);
    const browser = await chromium.launch(chromiumLaunch());
    try {
      const page = await openWindow(browser, product.host.url);
      await startQuery(page);
      const rows = Number(await page.locator(`${inFront} .pp-results-count`).getAttribute('data-total'));
      const frames = await page.locator(`${inFront} .ag-grid-viewport`).first().evaluate(scroll, FRAMES);
      const times = frames.map(({ ms }) => ms);
      let longest = 0;
      let longestMs = 0;
      let run = 0;
      let runMs = 0;
      for (const { ms, blank } of frames) {
        run = blank ? run + 1 : 0;
        runMs = blank ? runMs + ms : 0;
        longest = Math.max(longest, run);
        longestMs = Math.max(longestMs, runMs);
      }
      const pid = product.host.process.pid;
      const peak_rss_mb = pid === undefined ? null : peakRss(pid);
      bench.record({
        name: 'grid',
        variant: 'longest time with a blank block',
        rows,
        median_ms: longestMs,
        peak_rss_mb,
      });
      bench.record({
        name: 'grid',
        variant: 'a frame while scrolling',
        rows,
        median_ms: median(times),
        peak_rss_mb,
      });
      bench.notice(
        `grid: ${frames.filter(({ blank }) => blank).length} of ${frames.length} frames had a blank block, at most ${longest} in a row`,
      );
    } finally {
      await browser.close();
      await product.stop();
    }
  },
};

/** Runs in the page: moves from top to bottom within `count` frames, looking at three heights in each. */
function scroll(viewport: Element, count: number): Promise<{ ms: number; blank: boolean }[]> {
  return new Promise((resolve) => {
    const frames: { ms: number; blank: boolean }[] = [];
    const box = viewport.getBoundingClientRect();
    const isBlank = () =>
      [0.15, 0.5, 0.85].some((part) => {
        const row = document
          .elementFromPoint(box.left + box.width * 0.4, box.top + box.height * part)
          ?.closest('.ag-row');
        return !row?.querySelector('.ag-cell[col-id="subject"]')?.textContent;
      });
    let last = performance.now();
    const step = (now: number) => {
      if (frames.length > 0 || now > last) frames.push({ ms: now - last, blank: isBlank() });
      last = now;
      if (frames.length >= count) return resolve(frames);
      viewport.scrollTop = (frames.length / count) * (viewport.scrollHeight - viewport.clientHeight);
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  });
}
