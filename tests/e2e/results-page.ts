/** Locators and helpers for the result in the front tab. */
import { expect, type Page } from '@playwright/test';
import { screen } from './on-screen.ts';

export const rows = (page: Page) => screen(page).locator('.ag-row');
/** The cell of a row that is loaded. */
export const cell = (page: Page, row: number, column: string) =>
  screen(page).locator(`.ag-row[row-index="${row}"]:not(.pp-row-wait) .ag-cell[col-id="${column}"]`);
export const header = (page: Page, column: string) =>
  screen(page).locator(`.ag-header-cell[col-id="${column}"]`);
export const count = (page: Page) => screen(page).locator('.pp-results-count');
/** Opens a query of the library, which runs it; use one with few rows if any rows will do. */
export async function openQuery(page: Page, name: string): Promise<void> {
  await page.keyboard.press('Alt+2');
  await page.getByLabel('Search queries').fill(name);
  await expect(page.locator('[data-preview] h2')).toContainText(name);
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await expect(screen(page)).toHaveAttribute('data-screen', 'query');
  await screen(page).locator('.ag-row:not(.pp-row-wait)').first().waitFor({ timeout: 30_000 });
}
async function newConditions(page: Page, ...conditions: object[]): Promise<void> {
  await page.keyboard.press('Alt+n');
  await screen(page).getByRole('button', { name: 'Edit as JSON' }).click();
  await screen(page)
    .getByLabel('Conditions as JSON')
    .fill(JSON.stringify({ operator: 'and', conditions }));
}
/** Creates a query for emails with these words without running it; "invoice" has some hundred, complete at once. */
export const newQuery = (page: Page, words: string): Promise<void> =>
  newConditions(page, { field: 'subject', operator: 'contains_words', values: [words] });
/** The same for the emails of the last days; three have some thousand, of which the grid loads a few blocks. */
export const newRecentQuery = (page: Page, days = 3): Promise<void> =>
  newConditions(page, { field: 'received', operator: 'in_the_last', values: [days, 'days'] });
/** Runs the query in front to its end and returns its number of rows. */
export async function runToEnd(page: Page): Promise<number> {
  await screen(page).getByRole('button', { name: /^Run/ }).first().click();
  await rows(page).first().waitFor({ timeout: 30_000 });
  await expect(screen(page).getByText('Complete')).toBeVisible({ timeout: 60_000 });
  return number(page, 'total');
}
/** Waits for a count, which is empty while it is being computed. */
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
