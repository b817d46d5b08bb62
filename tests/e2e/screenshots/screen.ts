import type { Locator, Page } from 'playwright';

/** A screen to be drawn, and how to get there from any other. */
export interface Screen {
  name: string;
  /** Both widths in both themes; otherwise dark at 1280 and light at 1920, to keep the folder small. */
  main?: boolean;
  /** Pixels of width without which it is not shown. */
  least?: number;
  /** Brings the screen up and waits until what it shows is there. */
  open: (page: Page) => Promise<void>;
  /** Puts back what would stand in the way of the next screen. */
  close?: (page: Page) => Promise<void>;
}

export const front = (page: Page): Locator => page.locator('.pp-screen:not([hidden])');

/** Home, whatever tabs the test before left open. */
export async function openHome(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.locator('[data-screen]').first().waitFor();
  await page.keyboard.press('Alt+1');
  await front(page).locator('[data-tile="found"] .pp-figure-link').waitFor();
}
