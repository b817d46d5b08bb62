/** Profiles saved for offline can be searched without a service: from the palette to a match and its email. */
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { startHost } from './host.ts';
import { screen } from './on-screen.ts';

const SLOW = { timeout: 30_000 };
const cell = (page: Page, column: string) =>
  screen(page).locator(`.ag-row[row-index="0"] .ag-cell[col-id="${column}"]`);

/** Opens the first email with these words in its subject. */
async function open(page: Page, words: string): Promise<void> {
  await page.keyboard.press('Alt+n');
  await screen(page).getByRole('button', { name: 'Edit as JSON' }).click();
  const conditions = [{ field: 'subject', operator: 'contains_words', values: [words] }];
  await screen(page)
    .getByLabel('Conditions as JSON')
    .fill(JSON.stringify({ operator: 'and', conditions }));
  await screen(page).getByRole('button', { name: /^Run/ }).first().click();
  await expect(screen(page).locator('.pp-results-count')).toHaveAttribute('data-total', /^[1-9]/, SLOW);
  // Placeholder rows may be replaced during the double click.
  await expect(async () => {
    await cell(page, 'subject').dblclick({ timeout: 5_000 });
    await expect(screen(page)).toHaveAttribute('data-screen', 'email', { timeout: 2_000 });
  }).toPass(SLOW);
}

test('[promise] a saved profile is found by Arabic words without a service, and opens at the match', async ({
  page,
}) => {
  test.setTimeout(240_000);
  const host = await startHost();
  try {
    page.setDefaultTimeout(SLOW.timeout);
    await page.goto(host.url);
    await expect(screen(page)).toHaveAttribute('data-screen', 'home', { timeout: 90_000 });
    // The empty state explains how to save profiles.
    await screen(page).getByRole('button', { name: 'Saved for offline' }).click();
    await expect(screen(page)).toContainText('Nothing saved for offline');
    await open(page, 'فاتورة جديدة');
    await screen(page).getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: /^Make .*available offline/ }).click();
    await expect(screen(page).locator('.en-kept')).toBeVisible({ timeout: 90_000 });
    await page.getByRole('button', { name: /^Connection / }).click();
    await page.getByRole('menuitem', { name: 'Go offline' }).click();
    await expect(page.getByRole('button', { name: /, offline$/ })).toBeVisible(SLOW);
    await page.keyboard.press('Alt+1');
    await page.keyboard.press('Control+k');
    // With diacritics that the mail omits.
    await page.keyboard.type('مَرحبا');
    const option = page.getByRole('option', { name: /^Saved profiles that contain/ });
    await expect(option).toContainText('1', SLOW);
    await option.click();
    await expect(screen(page)).toHaveAttribute('data-screen', 'kept');
    await expect(page.getByLabel('Search saved profiles')).toHaveValue('مَرحبا');
    await expect(cell(page, 'match')).toContainText('مرحبا');
    await expect(cell(page, 'verdict').locator('.pp-verdict')).toBeVisible();
    const matches = screen(page).getByRole('region', { name: 'Matches' });
    await expect(matches).toContainText('Body');
    await expect(matches.locator('mark').first()).toHaveText('مرحبا');
    await expect(page.locator('.pp-status-bar')).toContainText('1 of 1 saved profile');
    // Words that no profile has: no matches in a complete search.
    await page.getByLabel('Search saved profiles').fill('nowhere-in-it');
    await expect(screen(page)).toContainText('No matches');
    await page.getByLabel('Search saved profiles').fill('مرحبا');
    await expect(cell(page, 'match')).toContainText('مرحبا');
    await cell(page, 'title').dblclick();
    await expect(screen(page)).toHaveAttribute('data-screen', 'email');
    await screen(page).getByRole('tab', { name: /^Body/ }).click();
    await expect(screen(page).locator('.em-sought-words')).toContainText('1 match', SLOW);
    // Released profiles are no longer found.
    await page.getByRole('button', { name: /^Connection / }).click();
    await page.getByRole('menuitem', { name: 'Saved for offline' }).click();
    await screen(page).getByRole('button', { name: 'Release all' }).click();
    await expect(screen(page)).toContainText('Nothing saved for offline');
  } finally {
    await host.stop();
  }
});
