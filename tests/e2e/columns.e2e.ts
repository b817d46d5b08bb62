/** Pinned columns survive runs, reloads, saving, export and import. */
import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { expect, nextFile, test } from './fixtures.ts';
import { newQuery, screen } from './results-page.ts';

const rows = (page: Page) => screen(page).locator('.ag-row:not(.pp-row-wait)');
const pinned = (page: Page, side: 'last-left' | 'first-right') =>
  screen(page).locator(`.ag-header-cell-${side}-pinned`);
const SLOW = { timeout: 30_000 };

async function arePinned(page: Page): Promise<void> {
  await rows(page).first().waitFor(SLOW);
  await expect(pinned(page, 'last-left')).toHaveAttribute('col-id', 'subject');
  await expect(pinned(page, 'first-right')).toHaveAttribute('col-id', 'from_email');
}

test('pinned columns survive another run, a reload, saving, export and import', async ({ page, host }) => {
  test.slow();
  await page.goto(host.url);
  await page.locator('[data-screen]').first().waitFor();
  await newQuery(page, 'invoice');
  await screen(page).getByLabel('Query name').fill('Pinned by a test');
  await screen(page).getByLabel('Query name').press('Enter');
  await page.keyboard.press('Control+s');
  await expect(page.getByText('Saved “Pinned by a test”')).toBeVisible();
  await page.keyboard.press('Control+Enter');
  await rows(page).first().waitFor(SLOW);
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
  await rows(page).first().waitFor(SLOW);
  await expect(pinned(page, 'last-left')).toHaveAttribute('col-id', 'subject');
  await expect(pinned(page, 'first-right')).toHaveCount(0);
});
