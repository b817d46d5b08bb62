/** The palette opens pasted values by keyboard, and Back returns. */
import type { Page } from '@playwright/test';
import { expect } from './fixtures.ts';
import { screen } from './on-screen.ts';
import { test } from './one-window.ts';
import { openQuery } from './results-page.ts';

const palette = (page: Page) => page.locator('.pp-palette');
const options = (page: Page) => palette(page).getByRole('option');

async function paste(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+K');
  await palette(page).getByRole('combobox').waitFor();
  await page.keyboard.insertText(text);
}

test('[promise] an email is found by its Message-ID without brackets and by its entity id, with one paste and Enter', async ({
  page,
}) => {
  await openQuery(page, 'Executive impersonation');
  const row = screen(page).locator('.ag-row[row-index="0"]').first();
  const subject = screen(page).locator('.ag-row[row-index="0"] .ag-cell[col-id="subject"]');
  await expect(row).toHaveAttribute('row-id', /^[0-9a-f]{32}$/, { timeout: 30_000 });
  const entityId = (await row.getAttribute('row-id')) ?? '';
  await expect(async () => {
    await subject.dblclick({ timeout: 5_000 });
    await expect(screen(page)).toHaveAttribute('data-screen', 'email', { timeout: 2_000 });
  }).toPass({ timeout: 30_000 });
  const heading = screen(page).getByRole('heading', { level: 1 });
  const title = await heading.innerText();
  const fact = (label: string) =>
    screen(page)
      .locator('[data-panel="Facts"] dl > div')
      .filter({ has: page.getByText(label, { exact: true }) })
      .locator('dd');
  const messageId = (await fact('Message-ID').innerText()).trim().replace(/^<|>$/g, '');
  for (const text of [messageId, entityId]) {
    await page.keyboard.press('Alt+1');
    await expect(screen(page)).toHaveAttribute('data-screen', 'home');
    await paste(page, text);
    // Pressed before the response arrives: the palette waits for it.
    await page.keyboard.press('Enter');
    await expect(screen(page)).toHaveAttribute('data-screen', 'email');
    await expect(heading).toHaveText(title);
  }
});

test('[promise] several defanged values become one query that runs, and Back returns', async ({ page }) => {
  await page.keyboard.press('Alt+1');
  await paste(page, 'login map');
  await expect(options(page).first()).toContainText('Login map');
  await page.keyboard.press('Escape');
  await paste(page, 'harbour-freight[.]example, 192.0.2[.]7');
  await expect(options(page).first()).toContainText('Emails with any of 2 indicators');
  await page.keyboard.press('Enter');
  await expect(screen(page).locator('.pp-results-count')).toHaveAttribute('data-total', /^[1-9]\d*$/, {
    timeout: 30_000,
  });
  // Alt with arrows must also work while a grid cell has the focus.
  await screen(page).locator('.ag-cell:focus').waitFor();
  await page.keyboard.press('Alt+ArrowLeft');
  await expect(screen(page)).toHaveAttribute('data-screen', 'home');
});
