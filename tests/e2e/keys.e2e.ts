/** Keys of the window from its first moment; and that those which the list names do what it says. */
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';

test('a key pressed the moment the window is drawn works', async ({ page, host }) => {
  // An observer runs right after the commit, before any timer, paint or key of an analyst could.
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      if (document.querySelector('[data-screen]') === null) return;
      observer.disconnect();
      const init = { key: '2', code: 'Digit2', altKey: true, bubbles: true };
      document.body.dispatchEvent(new KeyboardEvent('keydown', init));
    }).observe(document, { childList: true, subtree: true });
  });
  await page.goto(host.url);
  await expect(page.locator('.pp-screen:not([hidden])')).toHaveAttribute('data-screen', 'queries');
});

const screen = (page: Page) => page.locator('.pp-screen:not([hidden])');
const row = (page: Page, index: number) => screen(page).locator(`.ag-row[row-index="${index}"]`);

/** The keys in the list, as their caps are read. */
async function listed(page: Page, group: string): Promise<string[]> {
  await page.keyboard.press('?');
  const list = page.getByRole('dialog');
  await list.waitFor();
  const texts = await list.locator('.pp-keys > section').filter({ hasText: group }).first().innerText();
  await page.keyboard.press('Escape');
  await list.waitFor({ state: 'detached' });
  return texts.split('\n').map((line) => line.trim());
}

test('every key that the list names for results works there', async ({ page, host }) => {
  await page.goto(host.url);
  await page.locator('[data-screen]').first().waitFor();
  await page.keyboard.press('Alt+n');
  await screen(page).locator('.pp-qb').waitFor();
  await page.keyboard.press('Control+Enter');
  await row(page, 2).waitFor({ timeout: 30_000 });
  await expect(screen(page).getByText('Complete')).toBeVisible({ timeout: 60_000 });
  await row(page, 0).locator('.ag-cell[col-id="subject"]').click();
  const told = await listed(page, 'Next row');
  for (const text of [
    'Next row',
    'Previous row',
    'Preview row',
    'Open row',
    'Select row',
    'Select range',
    'Copy IOCs',
    'Filter for value',
    'Filter out value',
    'Search results',
    'Show or hide facets',
    'Show or hide preview',
    'Act on the selection or the row',
  ])
    expect(told).toContain(text);

  const facets = screen(page).getByRole('complementary', { name: 'Facets' });
  const peek = page.locator('[data-peek]');
  await row(page, 0).locator('.ag-cell[col-id="subject"]').click();
  await expect(facets).toBeVisible();
  await page.keyboard.press('[');
  await expect(facets).toBeHidden();
  await page.keyboard.press('[');
  await expect(facets).toBeVisible();
  await page.keyboard.press(']');
  await expect(peek).toBeVisible();
  await page.keyboard.press('j');
  await expect(row(page, 1)).toHaveClass(/pp-row-peeked/);
  await page.keyboard.press('k');
  await expect(row(page, 0)).toHaveClass(/pp-row-peeked/);
  await page.keyboard.press(']');
  await expect(peek).toBeHidden();
  await page.keyboard.press('Space');
  await expect(peek).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(peek).toBeHidden();
  const selected = screen(page).locator('.pp-results-selected');
  await page.keyboard.press('x');
  await expect(selected).toHaveText('1 selected');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('Shift+X');
  await expect(selected).toHaveText('3 selected');
  await page.keyboard.press('c');
  await expect(page.locator('.pp-toast').filter({ hasText: /IOC/ })).toBeVisible();
  await page.keyboard.press('a');
  await expect(page.getByRole('menu', { name: 'Actions' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('menu', { name: 'Actions' })).toBeHidden();
  await page.keyboard.press('/');
  await expect(page.getByLabel('Search results').locator('visible=true')).toBeFocused();
  await page.keyboard.press('Escape');
  // A low window folds the conditions when a query runs.
  if (await screen(page).locator('.pp-qb').isHidden()) await page.keyboard.press('e');
  await expect(screen(page).locator('.pp-qb')).toBeVisible();
  const conditions = screen(page).locator('.pp-qb-row');
  const before = await conditions.count();
  await row(page, 0).locator('.ag-cell[col-id="from_email"]').click();
  await page.keyboard.press('f');
  await expect(conditions).toHaveCount(before + 1);
  await row(page, 0).locator('.ag-cell[col-id="subject"]').click();
  await page.keyboard.press('Shift+F');
  await expect(conditions).toHaveCount(before + 2);
  await row(page, 0).locator('.ag-cell[col-id="subject"]').click();
  await page.keyboard.press('Enter');
  await expect(screen(page)).toHaveAttribute('data-screen', 'email');
});

test('Ctrl Enter runs the query and presses nothing that has the focus', async ({ page, host }) => {
  await page.goto(host.url);
  await page.locator('[data-screen]').first().waitFor();
  await page.keyboard.press('Alt+n');
  await screen(page).locator('.pp-qb').waitFor();
  await page.keyboard.press('Control+Enter');
  await row(page, 0).waitFor({ timeout: 30_000 });
  const columns = screen(page).getByRole('button', { name: 'Columns' });
  await columns.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('Search columns')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByLabel('Search columns')).toHaveCount(0);
  await columns.focus();
  await page.keyboard.press('Control+Enter');
  await expect(page.getByLabel('Search columns')).toHaveCount(0);
  await row(page, 0).waitFor({ timeout: 30_000 });
  await expect(page.getByLabel('Search columns')).toHaveCount(0);
});
