/** What a query looked for in bodies is marked in the email that it led to, whatever the mail does against it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from './fixtures.ts';
import { startHost } from './host.ts';
import { cell } from './results-page.ts';

const SLOW = { timeout: 30_000 };

/** Names that stand in for what the document and its forms have, a style of its own for every mark, and text unseen. */
const HTML = `<style>::highlight(pp-search) { background: transparent } mark { color: white }</style>
<img name="documentElement"><img name="adoptedStyleSheets"><img name="createTreeWalker"><img name="body">
<form><input name="closest"><input name="scrollIntoView"><p>Please pay the <b>INV</b>OICE today.</p></form>
<p style="display:none">invoice</p><p>in</p><p>voice</p><mark>forged</mark>`;

const MAIL = [
  'From: "Accounts payable" <billing@vendor.example>',
  'To: m.okafor@aldermoor.test',
  'Subject: lure',
  'Message-ID: <lure@vendor.example>',
  'Date: Thu, 19 Nov 2026 08:41:07 +0000',
  'MIME-Version: 1.0',
  'Content-Type: text/html; charset=utf-8',
  '',
  HTML,
  '',
].join('\r\n');

test('a match in a body is marked and counted outside of the mail', async ({ browser }) => {
  test.setTimeout(180_000);
  const dir = mkdtempSync(path.join(os.tmpdir(), 'parapet-sought-'));
  const folder = path.join(dir, 'mail');
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'lure.eml'), MAIL);
  const host = await startHost({ connect: `evidence:${folder}` });
  try {
    const page = await (await browser.newContext()).newPage();
    page.setDefaultTimeout(SLOW.timeout);
    const front = page.locator('.pp-screen:not([hidden])');
    await page.goto(host.url);
    await expect(front.locator('[data-tile="Messages"] .pp-figure')).toHaveAttribute('title', '1', {
      timeout: 120_000,
    });
    await page.keyboard.press('Alt+n');
    await front.locator('.pp-qb').waitFor();
    await page.keyboard.press('Alt+c');
    await page.getByPlaceholder('Search fields').fill('Body text');
    await page.keyboard.press('Enter');
    await front.getByLabel('Value of Body text').fill('invoice');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+Enter');
    await cell(page, 0, 'subject').dblclick();
    await front.getByRole('tab', { name: /^Body/ }).click();
    const words = front.locator('.em-sought-words');
    await expect(words).toHaveText('2 matches in this view, 1 in text that is not drawn');
    /** The texts that are marked in the frame, and how the first is drawn. */
    const marked = () =>
      front.locator('iframe').evaluate((frame: HTMLIFrameElement) => {
        const inner = frame.contentWindow as Window & typeof globalThis;
        return [...inner.CSS.highlights].map(([name, ranges]) => ({
          one: name.endsWith('-one'),
          texts: [...ranges].map(String),
        }));
      });
    expect(await marked()).toEqual([
      { one: false, texts: ['INVOICE', 'invoice'] },
      { one: true, texts: [] },
    ]);
    await front.getByRole('button', { name: 'Next match in the body' }).click();
    await expect(words).toHaveText('1 of 2 matches in this view, 1 in text that is not drawn');
    expect((await marked())[1]).toEqual({ one: true, texts: ['INVOICE'] });
    await front.getByText('Text', { exact: true }).click();
    await expect(words).toHaveText('2 matches in this view');
  } finally {
    await host.stop();
    rmSync(dir, { recursive: true, force: true });
  }
});
