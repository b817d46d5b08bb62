/** The numbers of Home open their queries; the security stack lists, orders and opens its tools. */
import type { Page } from '@playwright/test';
import { expect } from './fixtures.ts';
import { test } from './one-window.ts';
import { front } from './screenshots/screen.ts';

const count = (page: Page) => front(page).locator('.pp-results-count');

/** By name, as open profiles change the number keys of the sections after them. */
const openStack = (page: Page) =>
  page.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name: 'Security stack' }).click();

test('[spec 7] a number on Home opens the query with the same count', async ({ page }) => {
  // Figures that another test has made outdated are shown until newer ones arrive.
  await expect(async () => {
    await page.keyboard.press('Alt+1');
    const figure = front(page).locator('[data-tile="quarantined"] .pp-figure-link');
    const exact = Number((await figure.getAttribute('title'))?.replaceAll(',', ''));
    await figure.click();
    await expect(count(page)).toHaveAttribute('data-total', String(exact), { timeout: 5_000 });
  }).toPass();
});

test('[spec 7] findings open by kind, and a favourite shows its new results', async ({ page }) => {
  const findings = page.locator('[data-panel="Findings"]');
  // One line per finding, with severity, user, app and age; then grouped by kind.
  await expect(findings.locator('.pp-finding-line').first()).toContainText(/Critical|High/);
  await expect(findings.locator('.pp-finding-line').first()).toContainText(/\S+ · \S+/);
  await findings.getByText('By kind').click();
  await findings.getByRole('button', { name: /Files that anyone with the link can open/ }).click();
  const drawer = page.locator('.pp-drawer');
  await expect(drawer.locator('.ag-row').first()).toBeVisible();
  await page.keyboard.press('Escape');

  await page.keyboard.press('Alt+2');
  await page.getByLabel('Search queries').fill('who clicked');
  await expect(page.locator('[data-preview] h2')).toContainText('who clicked', { ignoreCase: true });
  await page.getByRole('button', { name: 'Add to favourites' }).click();
  await page.keyboard.press('Alt+1');
  const fresh = page.locator('[data-panel="Needs attention"]');
  await expect(fresh.getByRole('button', { name: /who clicked/i })).toContainText(/\d/);
  await expect(fresh.getByRole('button', { name: /Pending restore requests/ })).toContainText(/\d/);
});

test('[spec 2] reordering the stack by keyboard survives a reload and can be reset', async ({ page }) => {
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
  // The reset is saved too, as later tests need the default order.
  await reopen();
  await expect.poll(names).toEqual(before);
});

test('a tool can be dragged to another position, and its plots have exact values', async ({ page }) => {
  await openStack(page);
  const items = front(page).locator('[data-item]');
  await items.first().waitFor();
  const names = () => items.evaluateAll((all) => all.map((item) => item.getAttribute('data-item')));
  const before = await names();
  const [, , third] = before;
  await front(page)
    .locator(`li:has([data-item="${third}"])`)
    .dragTo(items.first(), {
      // Near the corner: past the middle, the item would be dropped after the target.
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
  await expect(count(page)).toHaveAttribute('data-total', /^[1-9]/);
});

test('[spec 1] the app store lists apps and tools as a table with facets and a search', async ({ page }) => {
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
