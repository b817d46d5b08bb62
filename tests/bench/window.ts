/** The window in Chromium, for benches: opens it and runs a query over all mail. */
import type { Browser, Page } from 'playwright';

export const inFront = '.pp-screen:not([hidden])';

export async function openWindow(browser: Browser, url: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(url);
  await page.locator('[data-screen]').first().waitFor();
  return page;
}

/** Creates a query and runs it. Returns the milliseconds from the click on Run to a frame with rows. */
export async function startQuery(page: Page): Promise<number> {
  await page.keyboard.press('Alt+2');
  const library = page.locator('.pp-library');
  await library.getByRole('button', { name: 'New query' }).click();
  await page.getByRole('button', { name: 'Create' }).click();
  const run = page.locator(inFront).getByRole('button', { name: /^Run/ }).first();
  await run.waitFor();
  return run.evaluate(async (button, screen) => {
    // Waits a moment, as no user presses Run in the frame that draws the builder.
    await new Promise((idle) => requestIdleCallback(idle));
    return new Promise<number>((resolve) => {
      const began = performance.now();
      (button as HTMLElement).click();
      const look = () => {
        const cell = document.querySelector(`${screen} .ag-row[row-index="0"] .ag-cell[col-id="subject"]`);
        if (cell?.textContent) requestAnimationFrame(() => resolve(performance.now() - began));
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    });
  }, inFront);
}
