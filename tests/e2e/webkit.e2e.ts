/** The browser host in WebKit, the engine of Safari, where it is installed; nothing here is needed where it is not. */

import { expect, test } from './fixtures.ts';
import { noWebKit, WebKit } from './webkit.ts';

const why = noWebKit();
const SCREEN = '.pp-screen:not([hidden])';
const text = (what: string) => `document.querySelector('${SCREEN}')?.textContent.includes('${what}')`;
const button = (name: string, selector = 'button') =>
  `[...document.querySelectorAll('${selector}')].find((one) => one.checkVisibility() && (one.ariaLabel ?? one.textContent).trim().startsWith('${name}'))`;
const toast = (what: string) => `document.querySelector('[data-toasts]').textContent.includes('${what}')`;

// Not inside the test, which would start a host first.
test.skip(why !== null, `WebKit was not tried: ${why}`);

test('what WebKit refuses and lacks is made up for: queries, copies, files and keys in a mail', async ({
  host,
}) => {
  const webkit = await WebKit.start();
  try {
    await webkit.open(host.url);
    await webkit.until(text('Detections'));

    await webkit.press('Alt+n');
    await webkit.until(text('Add condition'));
    await webkit.press('Control+Enter');
    await webkit.until(`document.querySelectorAll('${SCREEN} .ag-row:not(.pp-row-wait)').length > 10`);
    // Until then the rows move under the pointer.
    await webkit.until(text('Complete'));
    await webkit.click(button('Copy full summary'));
    await webkit.until(toast('Summary copied'));

    await webkit.click(`document.querySelector('${SCREEN} .ag-row[row-index="1"] .pp-cell-check input')`);
    await webkit.click(button('Copy', `${SCREEN} .pp-results-bar button:not([aria-label])`));
    await webkit.click(button('Rows as CSV', '[role="menuitem"]'));
    // Read first, so that WebKit wants another click.
    await webkit.click(button('Copy', 'dialog button'));
    await webkit.until(toast('1 row copied'));

    await webkit.value(
      `document.querySelector('${SCREEN} .ag-row[row-index="0"] .ag-cell[col-id="subject"]').dispatchEvent(new MouseEvent('dblclick', { bubbles: true }))`,
    );
    await webkit.click(button('Body', `${SCREEN} [role="tab"]`));
    await webkit.click(`document.querySelector('${SCREEN} iframe.em-frame')`);
    await webkit.press('Control+k');
    await webkit.until("document.querySelector('.pp-palette')");
    await webkit.press('Escape');

    await webkit.press('Alt+2');
    await webkit.click(button('Export', `${SCREEN} button`));
    await expect
      .poll(() => webkit.downloaded().sort())
      .toEqual(['queries.json', 'queries.json.manifest.json']);
  } finally {
    await webkit.stop();
  }
});
