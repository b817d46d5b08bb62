/**
 * First results after Run: through the bridge, and painted in Chromium, against a raw fetch of the same call and the
 * minimum cost of painting.
 */
import { chromium } from 'playwright';
import { chromiumLaunch, prepareChromium } from '../e2e/chromium.ts';
import { openBareGrid } from './bare-grid.ts';
import { allMail, startProduct } from './product.ts';
import type { BenchSuite } from './support.ts';
import { openWindow, startQuery } from './window.ts';

const EMAILS = 20_000;
const FIRST = 25;

export const suite: BenchSuite = {
  names: ['run'],
  async run(bench) {
    await prepareChromium();
    const product = await startProduct(EMAILS);
    const browser = await chromium.launch(chromiumLaunch());
    try {
      const { bridge, connection, raw } = product;
      const rawFetch = {
        name: 'raw fetch',
        run: () => raw('/query/execute', { ...allMail, search_after: null, size: FIRST, count_only: false }),
      };
      const columns = allMail.columns.map((id) => ({ id, label: id, type: 'text', multiValues: false }));
      await bench.compare({
        name: 'run',
        variant: 'first 25 rows through the bridge',
        rows: EMAILS,
        pid: product.host.process.pid ?? process.pid,
        own: async () => {
          const began = performance.now();
          const set = await bridge.call('results.open', {
            connectionId: connection.id,
            payload: allMail,
            columns,
            refresh: true,
          });
          await bridge.call('results.page', { resultId: set.id, start: 0, end: FIRST });
          const ms = performance.now() - began;
          await bridge.call('results.fill', { resultId: set.id, action: 'pause' });
          return ms;
        },
        peers: [rawFetch],
      });
      const page = await openWindow(browser, product.host.url);
      const bare = await openBareGrid(browser);
      const least = {
        name: 'raw fetch, bare grid painted',
        async run() {
          await bare.toFront();
          const began = performance.now();
          const { rows } = (await rawFetch.run()) as { rows: Record<string, unknown>[] };
          return performance.now() - began + (await bare.draw(rows, allMail.columns));
        },
      };
      await bench.compare({
        name: 'run',
        variant: 'first rows painted in Chromium',
        rows: EMAILS,
        pid: product.host.process.pid ?? process.pid,
        async own() {
          await page.bringToFront();
          return startQuery(page);
        },
        peers: [rawFetch, least],
      });
    } finally {
      await browser.close();
      await product.stop();
    }
  },
};
