/**
 * Shown and exported columns depend on query and analyst, never on the window; a query and its report are separate;
 * pinned columns stay.
 */
import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { parse } from 'csv-parse/sync';
import { expect, nextFile } from './fixtures.ts';
import { screen } from './on-screen.ts';
import { test } from './one-window.ts';
import { header, newQuery, openQuery, rows } from './results-page.ts';

const SLOW = { timeout: 30_000 };

/** All columns of the grid in order, including those scrolled out of view. */
async function drawn(page: Page): Promise<string[]> {
  const positions = new Map<string, number>();
  const viewport = screen(page).locator('.ag-grid-viewport').first();
  const look = async () => {
    for (const [id, position] of await screen(page)
      .locator('.ag-header-cell[col-id]')
      .evaluateAll((cells) =>
        cells.map(
          (cell) => [cell.getAttribute('col-id') ?? '', Number(cell.getAttribute('aria-colindex'))] as const,
        ),
      ))
      positions.set(id, position);
  };
  await look();
  // Much less than the view each time, as pinned columns cover a part of it.
  const { width, step } = await viewport.evaluate(({ scrollWidth, clientWidth }) => ({
    width: scrollWidth,
    step: Math.max(300, clientWidth / 3),
  }));
  for (let left = step; left < width; left += step) {
    await viewport.evaluate((element, to) => element.scrollTo({ left: to }), left);
    await page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    );
    await look();
  }
  await viewport.evaluate((element) => element.scrollTo({ left: 0 }));
  return [...positions]
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
    predicate: (download) => download.suggestedFilename().endsWith('.csv'),
  });
  await dialog.getByRole('button', { name: /^Export [\d,]+ row/ }).click();
  const text = readFileSync(await (await download).path(), 'utf8');
  const [head] = parse(text, { to: 1 }) as string[][];
  return head ?? [];
}

async function namedQuery(page: Page, name: string): Promise<void> {
  await newQuery(page, 'invoice');
  await screen(page).getByLabel('Query name').fill(name);
  await screen(page).getByLabel('Query name').press('Enter');
}

test('a window 1024 pixels wide shows and exports the same columns as one of 1920', async ({ page }) => {
  test.slow();
  const tables: { drawn: string[]; exported: string[] }[] = [];
  for (const width of [1920, 1024]) {
    await page.setViewportSize({ width, height: 900 });
    await namedQuery(page, `As wide as ${width}`);
    await page.keyboard.press('Control+Enter');
    await rows(page).first().waitFor(SLOW);
    const shot = process.env['PARAPET_SHOTS'];
    if (shot) await page.screenshot({ path: `${shot}/columns-${width}.png` });
    tables.push({ drawn: await drawn(page), exported: await exportedColumns(page) });
  }
  const [wide, ...others] = tables;
  expect(wide!.exported.length).toBeGreaterThan(5);
  expect(wide!.drawn).toHaveLength(wide!.exported.length);
  for (const other of others) expect(other).toEqual(wide);
});

test('a query and its report have separate column layouts, and saving changes neither', async ({ page }) => {
  test.slow();
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
  await expect.poll(() => drawn(page)).toEqual(['subject', 'size', 'message_id']);
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
  await expect(pinned(page, 'last-left')).toHaveAttribute('col-id', 'subject');
  const arranged = await drawn(page);
  await page.keyboard.press('Control+s');
  await expect(page.getByText('Saved “Two layouts”')).toBeVisible();
  expect(await drawn(page)).toEqual(arranged);
  await expect(screen(page).locator('.ag-header-cell-last-left-pinned')).toHaveAttribute('col-id', 'subject');

  await page.evaluate(() => window.dispatchEvent(new Event('pagehide')));
  await page.reload();
  await rows(page).first().waitFor(SLOW);
  await expect.poll(() => drawn(page)).toEqual(arranged);
  await screen(page).getByText('Report', { exact: true }).click();
  await expect(header(page, 'message_id')).toBeVisible(SLOW);
  await expect.poll(() => drawn(page)).toEqual(['subject', 'message_id']);
});

const loaded = (page: Page) => screen(page).locator('.ag-row:not(.pp-row-wait)');
const pinned = (page: Page, side: 'last-left' | 'first-right') =>
  screen(page).locator(`.ag-header-cell-${side}-pinned`);

async function arePinned(page: Page): Promise<void> {
  await loaded(page).first().waitFor(SLOW);
  await expect(pinned(page, 'last-left')).toHaveAttribute('col-id', 'subject');
  await expect(pinned(page, 'first-right')).toHaveAttribute('col-id', 'from_email');
}

test('[spec 3] pinned columns survive another run, a reload, saving, export and import', async ({ page }) => {
  test.slow();
  await newQuery(page, 'invoice');
  await screen(page).getByLabel('Query name').fill('Pinned by a test');
  await screen(page).getByLabel('Query name').press('Enter');
  await page.keyboard.press('Control+s');
  await expect(page.getByText('Saved “Pinned by a test”')).toBeVisible();
  await page.keyboard.press('Control+Enter');
  await loaded(page).first().waitFor(SLOW);
  await screen(page).getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('button', { name: 'Pin Subject left' }).click();
  await page.getByRole('button', { name: 'Pin From right' }).click();
  await expect(page.getByRole('button', { name: 'Unpin Subject' })).toBeVisible();
  await page.keyboard.press('Escape');
  await arePinned(page);
  await page.keyboard.press('Control+Enter');
  await arePinned(page);

  await page.evaluate(() => window.dispatchEvent(new Event('pagehide')));
  await page.reload();
  await arePinned(page);

  await screen(page).getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('button', { name: 'Save to query' }).click();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+s');
  await expect(page.getByText('Saved “Pinned by a test”')).toBeVisible();
  await page.keyboard.press('Alt+2');
  await page.getByLabel('Search queries').fill('Pinned by a test');
  await expect(page.locator('[data-preview] h2')).toHaveText('Pinned by a test');
  const download = nextFile(page);
  await screen(page).getByRole('button', { name: 'Export' }).click();
  const text = readFileSync(await (await download).path(), 'utf8');
  const [exported] = (JSON.parse(text) as { queries: { columns: { id: string; pinned?: string }[] }[] })
    .queries;
  const pins = exported?.columns.flatMap(({ id, pinned: side }) => (side ? [[id, side]] : []));
  expect(pins).toEqual([
    ['subject', 'left'],
    ['from_email', 'right'],
  ]);

  const chooser = page.waitForEvent('filechooser');
  await screen(page).getByRole('button', { name: 'Import' }).click();
  await (await chooser).setFiles({
    name: 'queries.json',
    mimeType: 'application/json',
    buffer: Buffer.from(
      JSON.stringify({
        kind: 'parapet-queries',
        version: 1,
        queries: [{ ...exported, id: null, name: 'Pinned elsewhere' }],
      }),
    ),
  });
  const dialog = page.locator('.pp-dialog');
  await dialog.getByRole('button', { name: 'Import 1 query' }).click();
  await expect(dialog).toContainText('Imported 1 query');
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await expect(dialog).toHaveCount(0);
  await page.getByLabel('Search queries').fill('Pinned elsewhere');
  await expect(page.locator('[data-preview] h2')).toHaveText('Pinned elsewhere');
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await arePinned(page);
  // An unpinned column overrides the pin that the query has.
  await screen(page).getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('button', { name: 'Unpin From' }).click();
  await page.keyboard.press('Escape');
  await expect(pinned(page, 'first-right')).toHaveCount(0);
  await page.evaluate(() => window.dispatchEvent(new Event('pagehide')));
  await page.reload();
  await loaded(page).first().waitFor(SLOW);
  await expect(pinned(page, 'last-left')).toHaveAttribute('col-id', 'subject');
  await expect(pinned(page, 'first-right')).toHaveCount(0);
});

test('a second window follows the width that the first one sets', async ({ page, host, browser }) => {
  const other = await (await browser.newContext()).newPage();
  await other.goto(host.url);
  await other.locator('[data-screen]').first().waitFor();
  for (const window of [page, other]) {
    await openQuery(window, 'Executive impersonation by display name');
    await rows(window).first().waitFor();
  }
  const width = async (window: Page) => (await header(window, 'subject').boundingBox())?.width ?? 0;
  const before = await width(page);
  const edge = await header(page, 'subject').locator('.ag-header-cell-resize').boundingBox();
  const [x, y] = [(edge?.x ?? 0) + 2, (edge?.y ?? 0) + 5];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 47, y, { steps: 3 });
  await page.mouse.up();
  await expect.poll(() => width(page)).toBe(before + 47);
  await expect.poll(() => width(other)).toBe(before + 47);
  await screen(page).getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('button', { name: 'Reset' }).click();
  await page.keyboard.press('Escape');
  await expect.poll(() => width(page)).toBe(before);
  await expect.poll(() => width(other)).toBe(before);
  await other.context().close();
});
