/**
 * A cached email profile: all panels at once against the same raw calls, and in Chromium from the row to a readable
 * profile.
 */
import { chromium, type Page } from 'playwright';
import { chromiumLaunch, prepareChromium } from '../e2e/chromium.ts';
import { allMail, startProduct } from './product.ts';
import type { BenchSuite } from './support.ts';
import { inFront, openWindow, startQuery } from './window.ts';

const EMAILS = 20_000;
const PANELS = [
  ['email.profile', '/sql_queries/{saas}/entity/email'],
  ['email.recipients', '/sql_queries/{saas}/email_recipients'],
  ['email.attachments', '/sql_queries/{saas}/email_attachments'],
  ['email.conversation', '/sql_queries/{saas}/email_conversation'],
  ['scan.details', '/sql_queries/common/scan_details'],
  ['entity.props', '/entity/props'],
  ['email.headers', '/mta/email_headers'],
  ['email.body', '/mta/email_body'],
  ['file.events', '/sql_queries/{saas}/file_events'],
  ['scan.clicks', '/sql_queries/common/clicktime_protection_scan_clicks'],
] as const;

/**
 * Opens the first row of the shown results. Returns the milliseconds until a frame has the line, the facts, the stack,
 * the analysed headers, the timeline and the body; then closes the tab.
 */
async function openFirst(page: Page): Promise<number> {
  const ms = await page.locator(`${inFront} .ag-row[row-index="0"] .ag-cell[col-id="subject"]`).evaluate(
    (cell, screen) =>
      new Promise<number>((resolve) => {
        const parts = [
          '.en-verdict[data-verdict]',
          '[data-panel="Facts"] dd',
          '[data-panel="Security stack"] [data-tool]',
          '[data-panel="Header analysis"] li',
          '[data-panel="Timeline"] li',
          '[data-panel="Body"] :is(iframe, pre)',
        ];
        const began = performance.now();
        cell.dispatchEvent(new MouseEvent('dblclick', { bubbles: true, detail: 2 }));
        const look = () => {
          const ready = parts.every((part) => document.querySelector(`${screen} ${part}`) !== null);
          requestAnimationFrame(ready ? () => resolve(performance.now() - began) : look);
        };
        requestAnimationFrame(look);
      }),
    inFront,
  );
  await page.locator('.pp-tab-active .pp-tab-close').click();
  await page.locator(`${inFront}[data-screen="query"]`).waitFor();
  return ms;
}

export const suite: BenchSuite = {
  names: ['profile'],
  async run(bench) {
    const product = await startProduct(EMAILS);
    try {
      const { bridge, connection, raw } = product;
      const { rows } = (await raw('/query/execute', {
        ...allMail,
        search_after: null,
        size: 1,
        count_only: false,
      })) as { rows: { entity_id: string; saas?: string }[] };
      const row = rows[0];
      if (row === undefined) throw new Error('The service has no mail');
      const saas = row.saas ?? 'all';
      const panels = () =>
        Promise.all(
          PANELS.map(([endpoint, path]) =>
            bridge.stream(
              'service.read',
              {
                connectionId: connection.id,
                endpoint,
                query: { entity_id: row.entity_id },
                ...(path.includes('{saas}') ? { params: { saas } } : {}),
              },
              () => {},
            ),
          ),
        );
      await panels();
      const peers = [
        {
          name: 'raw calls',
          run: () =>
            Promise.all(
              PANELS.map(([, path]) =>
                raw(`${path.replace('{saas}', saas)}?entity_id=${encodeURIComponent(row.entity_id)}`),
              ),
            ),
        },
      ];
      const pid = product.host.process.pid ?? process.pid;
      await bench.compare({
        name: 'profile',
        variant: 'ten panels from the cache',
        rows: EMAILS,
        pid,
        own: panels,
        peers,
      });
      await prepareChromium();
      const browser = await chromium.launch(chromiumLaunch());
      try {
        const page = await openWindow(browser, product.host.url);
        await startQuery(page);
        await openFirst(page);
        await bench.compare({
          name: 'profile',
          variant: 'row to readable profile from the cache, in Chromium',
          rows: EMAILS,
          pid,
          own: () => openFirst(page),
          peers,
        });
      } finally {
        await browser.close();
      }
    } finally {
      await product.stop();
    }
  },
};
