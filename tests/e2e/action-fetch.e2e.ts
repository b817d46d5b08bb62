/** An action on all matches fetches the missing rows first, with progress, and can be stopped. */
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { startHost } from './host.ts';
import { openTenant, startService, stopService } from './tenant.ts';

const screen = (page: Page) => page.locator('.pp-screen:not([hidden])');
const dialog = (page: Page) => page.getByRole('dialog');
const SLOW = { timeout: 60_000 };

test('the fetch before an action shows its progress, and stopping it leaves the loaded rows', async ({
  page,
}) => {
  test.slow();
  const service = await startService(24_000);
  const host = await startHost({ connect: 'none' });
  try {
    await openTenant(page, host, service);
    await expect(dialog(page)).toHaveCount(0);
    await page.keyboard.press('Alt+n');
    await screen(page).getByRole('button', { name: /^Run/ }).first().click();
    await expect(screen(page).getByRole('region', { name: 'Fetch' })).toHaveAttribute(
      'data-fetch',
      'paused',
      SLOW,
    );
    await screen(page).locator('.ag-row[row-index="0"] .ag-cell[col-id="subject"]').click();
    await page.keyboard.press('a');
    await page.getByRole('menuitem', { name: 'Notify…' }).click();
    await dialog(page).locator('[data-targets]').waitFor(SLOW);
    // The service is suspended so that the fetch cannot finish before it is stopped.
    service.process.kill('SIGSTOP');
    await dialog(page).getByText('All matching: 24,000').click();
    await expect(dialog(page).getByRole('status').first()).toContainText(
      /Fetching missing rows: [\d,]+ of 24,000/,
    );
    await expect(dialog(page).getByRole('progressbar', { name: 'Rows fetched' })).toBeVisible();
    await dialog(page).getByRole('button', { name: 'Stop fetching' }).click();
    await expect(dialog(page).getByRole('button', { name: 'Stop fetching' })).toBeHidden();
    service.process.kill('SIGCONT');
    await expect(dialog(page).locator('[data-targets]')).toHaveAttribute('data-targets', '1', SLOW);
    await dialog(page)
      .getByText(/^All loaded: /)
      .click();
    await expect(dialog(page).locator('[data-targets]')).toHaveAttribute('data-targets', /^2\d{4}$/, SLOW);
    await dialog(page).getByText('All matching: 24,000').click();
    await expect(dialog(page).locator('[data-targets]')).toHaveAttribute('data-targets', '24000', SLOW);
  } finally {
    service.process.kill('SIGCONT');
    await host.stop();
    await stopService(service);
  }
});
