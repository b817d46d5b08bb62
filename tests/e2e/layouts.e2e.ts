/** Shown and exported columns depend on query and analyst, never on the window; a query and its report are separate. */
import { readFileSync } from 'node:fs';
import type { Browser, Page } from '@playwright/test';
import { parse } from 'csv-parse/sync';
import { expect, test } from './fixtures.ts';
import { header, newQuery, rows, screen } from './results-page.ts';

const SLOW = { timeout: 30_000 };

/** All columns of the grid in order, including those scrolled out of view. */
async function drawn(page: Page): Promise<string[]> {
  const seen = new Map<string, number>();
  const viewport = screen(page).locator('.ag-grid-viewport').first();
  const look = async () => {
    for (const [id, at] of await screen(page)
      .locator('.ag-header-cell[col-id]')
      .evaluateAll((cells) =>
        cells.map(
          (cell) => [cell.getAttribute('col-id') ?? '', Number(cell.getAttribute('aria-colindex'))] as const,
        ),
      ))
      seen.set(id, at);
  };
  await look();
  const width = await viewport.evaluate((element) => element.scrollWidth);
  for (let left = 0; left < width; left += 300) {
    await viewport.evaluate((element, to) => element.scrollTo({ left: to }), left);
    await page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    );
    await look();
  }
  await viewport.evaluate((element) => element.scrollTo({ left: 0 }));
  return [...seen]
    .filter(([id]) => id !== '' && !id.startsWith('pp-') && !id.startsWith('ag-'))
    .sort(([, a], [, b]) => a - b)
    .map(([id]) => id);
}

/** The header row of an export of the visible columns. */
async function exportedColumns(page: Page): Promise<string[]> {
  await screen(page)
    .getByRole('button', { name: /^Export( results)?$/ })
    .last()
    .click();
  const dialog = page.getByRole('dialog');
  const download = page.waitForEvent('download', {
    ...SLOW,
    predicate: (one) => one.suggestedFilename().endsWith('.csv'),
  });
  await dialog.getByRole('button', { name: /^Export [\d,]+ row/ }).click();
  const text = readFileSync(await (await download).path(), 'utf8');
  const [head] = parse(text, { to: 1 }) as string[][];
  return head ?? [];
}

async function opened(browser: Browser, url: string, width: number): Promise<Page> {
  const page = await browser.newPage({ viewport: { width, height: 900 } });
  await page.goto(url);
  await page.locator('[data-screen]').first().waitFor();
  return page;
}

async function namedQuery(page: Page, name: string): Promise<void> {
  await newQuery(page, 'invoice');
  await screen(page).getByLabel('Query name').fill(name);
  await screen(page).getByLabel('Query name').press('Enter');
}

test('a window 1024 pixels wide shows and exports the same columns as one of 1920', async ({
  browser,
  host,
}) => {
  test.slow();
  const found: { drawn: string[]; exported: string[] }[] = [];
  for (const width of [1920, 1024]) {
    const page = await opened(browser, host.url, width);
    await namedQuery(page, `As wide as ${width}`);
    await page.keyboard.press('Control+Enter');
    await rows(page).first().waitFor(SLOW);
    const shot = process.env['PARAPET_SHOTS'];
    if (shot) await page.screenshot({ path: `${shot}/columns-${width}.png` });
    found.push({ drawn: await drawn(page), exported: await exportedColumns(page) });
    await page.close();
  }
  const [wide, ...others] = found;
  expect(wide!.exported.length).toBeGreaterThan(5);
  expect(wide!.drawn).toHaveLength(wide!.exported.length);
  for (const other of others) expect(other).toEqual(wide);
});

test('a query and its report have separate column layouts, and saving changes neither', async ({
  page,
  host,
}) => {
  test.slow();
  await page.goto(host.url);
  await page.locator('[data-screen]').first().waitFor();
  await namedQuery(page, 'Two layouts');
  await screen(page).getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: /Columns, sort and report/ }).click();
  const dialog = page.locator('.pp-dialog');
  await dialog.getByText('Report', { exact: true }).click();
  for (const column of ['subject', 'size', 'message_id'])
    await dialog.getByLabel('Add to report columns').selectOption(column);
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await page.keyboard.press('Control+Enter');
  await rows(page).first().waitFor(SLOW);
  const query = await drawn(page);
  expect(query).not.toEqual(['subject', 'size', 'message_id']);

  // The report shows its own columns; hiding one does not affect the query.
  await screen(page).getByText('Report', { exact: true }).click();
  await expect(header(page, 'message_id')).toBeVisible(SLOW);
  expect(await drawn(page)).toEqual(['subject', 'size', 'message_id']);
  await screen(page).getByRole('button', { name: 'Columns' }).click();
  await page.locator('.pp-chooser').getByText('Size', { exact: true }).click();
  await page.keyboard.press('Escape');
  await expect(header(page, 'size')).toBeHidden();

  await screen(page).getByText('Query', { exact: true }).click();
  await expect(header(page, 'message_id')).toBeHidden(SLOW);
  await expect.poll(() => drawn(page)).toEqual(query);
  // A layout changed before the first save stays as it is.
  await screen(page).getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('button', { name: 'Pin Subject left' }).click();
  await page.keyboard.press('Escape');
  const arranged = await drawn(page);
  await page.keyboard.press('Control+s');
  await expect(page.getByText('Saved “Two layouts”')).toBeVisible();
  expect(await drawn(page)).toEqual(arranged);
  await expect(screen(page).locator('.ag-header-cell-last-left-pinned')).toHaveAttribute('col-id', 'subject');

  await page.evaluate(() => window.dispatchEvent(new Event('pagehide')));
  await page.reload();
  await rows(page).first().waitFor(SLOW);
  expect(await drawn(page)).toEqual(arranged);
  await screen(page).getByText('Report', { exact: true }).click();
  await expect(header(page, 'message_id')).toBeVisible(SLOW);
  expect(await drawn(page)).toEqual(['subject', 'message_id']);
});
