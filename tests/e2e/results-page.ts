/** The parts of the result in front, as the tests of results name them. */
import { expect, type Page } from '@playwright/test';

export const screen = (page: Page) => page.locator('.pp-screen:not([hidden])');
export const rows = (page: Page) => screen(page).locator('.ag-row');
export const cell = (page: Page, row: number, column: string) =>
  screen(page).locator(`.ag-row[row-index="${row}"] .ag-cell[col-id="${column}"]`);
export const header = (page: Page, column: string) =>
  screen(page).locator(`.ag-header-cell[col-id="${column}"]`);
export const count = (page: Page) => screen(page).locator('.pp-results-count');
/** A query of the library, run by opening it; the demo's few rows of it are enough for what is about any rows. */
export async function openQuery(page: Page, name: string): Promise<void> {
  await page.keyboard.press('Alt+2');
  await page.getByLabel('Search queries').fill(name);
  await expect(page.locator('[data-preview] h2')).toContainText(name);
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await expect(screen(page)).toHaveAttribute('data-screen', 'query');
  await screen(page).locator('.ag-row:not(.pp-row-wait)').first().waitFor({ timeout: 30_000 });
}
/** A new query of emails with these words, which is not run yet. */
export async function newQuery(page: Page, words: string): Promise<void> {
  await page.keyboard.press('Alt+n');
  await screen(page).getByRole('button', { name: 'Edit as JSON' }).click();
  const conditions = [{ field: 'subject', operator: 'contains_words', values: [words] }];
  await screen(page)
    .getByLabel('Conditions as JSON')
    .fill(JSON.stringify({ operator: 'and', conditions }));
}
/** As soon as it is known: it is empty while it is counted. */
export async function number(page: Page, what: 'total' | 'loaded' | 'matching'): Promise<number> {
  let value = '';
  await expect
    .poll(
      async () => {
        value = (await count(page).getAttribute(`data-${what}`)) ?? '';
        return value;
      },
      { timeout: 60_000 },
    )
    .not.toBe('');
  return Number(value);
}
