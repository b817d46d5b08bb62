/** Locators of the screen in front. */
import type { Locator, Page } from '@playwright/test';

export const screen = (page: Page): Locator => page.locator('.pp-screen:not([hidden])');
/** The loaded rows of its grid. */
export const rows = (page: Page): Locator => screen(page).locator('.ag-row:not(.pp-row-wait)');
export const panel = (page: Page, title: string): Locator => screen(page).locator(`[data-panel="${title}"]`);
/** A value of a profile's facts, by its label. */
export const fact = (page: Page, label: string): Locator =>
  panel(page, 'Facts')
    .locator('dl > div')
    .filter({ has: page.getByText(label, { exact: true }) })
    .locator('dd');
