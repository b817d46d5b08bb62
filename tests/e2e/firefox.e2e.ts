/** The browser host in Firefox; skipped where Firefox is not installed. */

import { Firefox, firefoxCommand } from './firefox.ts';
import { expect, test } from './fixtures.ts';

const command = firefoxCommand();
const SCREEN = '.pp-screen:not([hidden])';
const text = (what: string) => `document.querySelector('${SCREEN}')?.textContent.includes('${what}')`;

// Not inside the test, which would start a host first.
test.skip(command === null, 'Firefox was not tried: neither firefox-esr nor firefox is installed');

test('every section, a query, its results and a profile work in Firefox without a console error', async ({
  host,
}) => {
  const firefox = await Firefox.start(command ?? '');
  try {
    await firefox.open(host.url);
    await firefox.until(text('Detections per hour'));

    await firefox.press('Alt+n');
    await firefox.until(`document.querySelector('${SCREEN} .pp-query')  || ${text('Run')}`);
    await firefox.press('Control+Enter');
    await firefox.until(`document.querySelectorAll('${SCREEN} .ag-row').length > 10`);

    await firefox.value(
      `document.querySelector('${SCREEN} .ag-row[row-index="0"] .ag-cell[col-id="subject"]').focus()`,
    );
    await firefox.press('Enter');
    await firefox.until(`document.querySelector('${SCREEN} iframe.em-frame') || ${text('Received')}`);

    for (const [key, words] of [
      ['Alt+4', 'App store'],
      ['Alt+5', 'New exception'],
      ['Alt+6', 'Rarest first'],
      ['Alt+7', 'Journal'],
      ['Alt+8', 'Appearance'],
      ['Alt+2', 'Import'],
    ] as const) {
      await firefox.press(key);
      await firefox.until(text(words));
    }
    expect(firefox.complaints).toEqual([]);
  } finally {
    await firefox.stop();
  }
});
