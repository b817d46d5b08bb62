/** Home leads to what is behind its numbers; the security stack shows, orders and leads on. */
import type { Page } from '@playwright/test';
import { expect } from './fixtures.ts';
import { test } from './one-window.ts';
import { front } from './screenshots/screen.ts';

const count = (page: Page) => front(page).locator('.pp-results-count');

/** By its name: profiles that other tests left open move the numbers of the sections behind them. */
const openStack = (page: Page) =>
  page.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name: 'Security stack' }).click();

test('a number of Home opens the query that counts the same', async ({ page }) => {
  const figure = front(page).locator('[data-tile="quarantined"] .pp-figure-link');
  const exact = Number((await figure.getAttribute('title'))?.replaceAll(',', ''));
  await figure.click();
  await expect(count(page)).toHaveAttribute('data-total', String(exact));
});

test('findings open by kind, and a favourite is counted since the last visit', async ({ page }) => {
  const findings = page.locator('[data-panel="Findings"]');
  // One by one, each with how severe, who, where and since when; then by kind.
  await expect(findings.locator('.pp-finding-line').first()).toContainText(/Critical|High/);
  await expect(findings.locator('.pp-finding-line').first()).toContainText(/\S+ · \S+/);
  await findings.getByText('By kind').click();
  await findings.getByRole('button', { name: /Files that anyone with the link can open/ }).click();
  const drawer = page.locator('.pp-drawer');
  await expect(drawer.locator('.ag-row').first()).toBeVisible();
  await page.keyboard.press('Escape');

  await page.keyboard.press('Alt+2');
  await page.getByLabel('Search queries').fill('who clicked');
  await page.getByRole('button', { name: 'Add to favourites' }).click();
  await page.keyboard.press('Alt+1');
  const fresh = page.locator('[data-panel="Needs attention"]');
  await expect(fresh.getByRole('button', { name: /who clicked/i })).toContainText(/\d/);
  await expect(fresh.getByRole('button', { name: /Pending restore requests/ })).toContainText(/\d/);
});

test('the stack is put in another order by keyboard, kept over a reload, and reset', async ({ page }) => {
  await openStack(page);
  const names = () =>
    front(page)
      .locator('[data-item]')
      .evaluateAll((items) => items.map((item) => item.getAttribute('data-item')));
  await front(page).locator('[data-item]').first().waitFor();
  const before = await names();
  await front(page).locator('[data-item]').nth(1).focus();
  await page.keyboard.press('Alt+ArrowUp');
  await expect.poll(names).toEqual([before[1], before[0], ...before.slice(2)]);
  const reopen = async () => {
    await page.evaluate(() => window.dispatchEvent(new Event('pagehide')));
    await page.reload();
    await front(page).locator('[data-item]').first().waitFor();
  };
  await reopen();
  await expect.poll(names).toEqual([before[1], before[0], ...before.slice(2)]);
  await front(page).getByRole('button', { name: 'Reset order' }).click();
  await expect.poll(names).toEqual(before);
  // The reset is kept as well; the tests after this one begin with it.
  await reopen();
  await expect.poll(names).toEqual(before);
});

test('a tool is dragged to another place, and its plots say exact values', async ({ page }) => {
  await openStack(page);
  const items = front(page).locator('[data-item]');
  await items.first().waitFor();
  const names = () => items.evaluateAll((all) => all.map((item) => item.getAttribute('data-item')));
  const before = await names();
  const [, , third] = before;
  await front(page)
    .locator(`li:has([data-item="${third}"])`)
    .dragTo(items.first(), {
      // Its near corner: from its middle on, what is dropped comes behind it.
      targetPosition: { x: 8, y: 8 },
    });
  await expect.poll(names).toEqual([third, before[0], before[1], ...before.slice(3)]);
  await front(page).getByRole('button', { name: 'Reset order' }).click();
  await expect.poll(names).toEqual(before);
  const plot = front(page).locator('[data-item="checkpoint_te"] .pp-spark').first();
  await expect(plot.locator('rect > title').first()).toHaveText(/^\d.*: [\d,]+$/);
});

test('a tool leads to the emails that it flagged', async ({ page }) => {
  await openStack(page);
  await front(page).locator('[data-item="checkpoint_te"]').click();
  await expect(front(page).locator('[data-detail="checkpoint_te"]')).toBeVisible();
  await front(page).getByRole('button', { name: 'Flagged emails, 7 days' }).click();
  await expect(front(page).locator('.ag-row').first()).toBeVisible();
  expect(Number(await count(page).getAttribute('data-total'))).toBeGreaterThan(0);
});

test('the app store lists apps and tools as a table, narrowed by facets', async ({ page }) => {
  await openStack(page);
  await front(page).getByText('App store', { exact: true }).click();
  await front(page).getByText('Table', { exact: true }).click();
  const items = front(page).locator('tr [data-item]');
  await expect(items).toHaveCount(24);
  await front(page).getByRole('checkbox', { name: 'Disabled' }).check({ force: true });
  await expect(items).not.toHaveCount(24);
  await front(page).getByLabel('Search apps and tools').fill('slack');
  await expect(items).toHaveCount(1);
});
