/** The parts of the result in front, as the tests of results name them. */
import type { Page } from '@playwright/test';

export const screen = (page: Page) => page.locator('.pp-screen:not([hidden])');
export const rows = (page: Page) => screen(page).locator('.ag-row');
export const cell = (page: Page, row: number, column: string) =>
  screen(page).locator(`.ag-row[row-index="${row}"] .ag-cell[col-id="${column}"]`);
export const header = (page: Page, column: string) =>
  screen(page).locator(`.ag-header-cell[col-id="${column}"]`);
export const count = (page: Page) => screen(page).locator('.pp-results-count');
export const number = (page: Page, what: 'total' | 'loaded' | 'matching') =>
  count(page).getAttribute(`data-${what}`).then(Number);
