import type { Locator, Page } from 'playwright';

/** A screen to capture, and how to reach it from any other. */
export interface Screen {
  name: string;
  /** Captured at both widths in both themes; other screens dark at 1280 and light at 1920, to keep the folder small. */
  main?: boolean;
  /** The minimum window width, in pixels. */
  least?: number;
  /** Opens the screen and waits for its content. */
  open: (page: Page) => Promise<void>;
  /** Reverts changes that would affect the next screen. */
  close?: (page: Page) => Promise<void>;
}

export const front = (page: Page): Locator => page.locator('.pp-screen:not([hidden])');
