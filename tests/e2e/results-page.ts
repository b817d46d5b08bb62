/** The parts of the result in front, as the tests of results name them. */
import { expect, type Page } from '@playwright/test';

export const screen = (page: Page) => page.locator('.pp-screen:not([hidden])');
export const rows = (page: Page) => screen(page).locator('.ag-row');
export const cell = (page: Page, row: number, column: string) =>
  screen(page).locator(`.ag-row[row-index="${row}"] .ag-cell[col-id="${column}"]`);
export const header = (page: Page, column: string) =>
  screen(page).locator(`.ag-header-cell[col-id="${column}"]`);
export const count = (page: Page) => screen(page).locator('.pp-results-count');
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
