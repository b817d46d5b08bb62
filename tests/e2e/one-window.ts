/**
 * Lets the tests of a file share a window, as opening one costs as much as a test. Each test starts on Home with no
 * other tab, dialog or toast, at the usual size, and sets up everything else itself, in any order. After a failed test
 * the window is new. A test that needs a new window takes it from the fixture `context`.
 */
import type { Page, ViewportSize } from '@playwright/test';
import { test as base, expect } from './fixtures.ts';

async function tidy(page: Page, size: ViewportSize | null): Promise<void> {
  if (size !== null) await page.setViewportSize(size);
  const dialogs = page.getByRole('dialog');
  if ((await dialogs.count()) > 0) await page.keyboard.press('Escape');
  await expect(dialogs).toHaveCount(0);
  await page.keyboard.press('Alt+1');
  await page.keyboard.press('Alt+Shift+W');
  await expect(page.getByRole('navigation', { name: 'Tabs' }).getByRole('tab')).toHaveCount(1);
  await expect(page.locator('.pp-screen:not([hidden])')).toHaveAttribute('data-screen', 'home');
  // The toast about unsaved changes stays until it is closed, and covers controls.
  await page
    .locator('[data-toasts]')
    .getByRole('button', { name: 'Close' })
    .evaluateAll((all) => {
      for (const one of all) if (one instanceof HTMLElement) one.click();
    });
}

export const test = base.extend<{ page: Page }>({
  page: async ({ windowOf, host, viewport }, use, info) => {
    const page = await windowOf(info.file);
    if (page.url() === 'about:blank') {
      await page.goto(host.url);
      await page.locator('[data-screen]').first().waitFor();
    } else await tidy(page, viewport);
    await page.keyboard.press('Alt+1');
    await use(page);
  },
});
