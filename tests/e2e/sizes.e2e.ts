/** Printing a profile, low windows and 200 % zoom; `accessibility.e2e.ts` checks every screen at every size. */
import { execFileSync, spawnSync } from 'node:child_process';
import type { Locator } from '@playwright/test';
import { expect } from './fixtures.ts';
import { screen } from './on-screen.ts';
import { test } from './one-window.ts';
import { cell, openQuery } from './results-page.ts';
import { PROFILE_SCREENS } from './screenshots/profile-screens.ts';
import { wrongAt } from './sizes.ts';

const hasPdfReader = spawnSync('pdftotext', ['-v']).status === 0;

test('[promise] a profile prints completely, with its source on each page', async ({ page }, info) => {
  test.setTimeout(120_000);
  // Replaces the print dialog, which a test can't close.
  const print = await page.evaluateHandle(() => {
    const original = window.print;
    window.print = () => {
      window.dispatchEvent(new Event('beforeprint'));
      document.body.dataset['asked'] = '';
    };
    return original;
  });
  await page.emulateMedia({ colorScheme: 'dark' });
  await PROFILE_SCREENS.find(({ name }) => name === 'email-400-recipients')!.open(page);
  await page.keyboard.press('Control+p');
  await page.locator('body[data-asked]').waitFor({ timeout: 30_000 });
  await page.emulateMedia({ media: 'print' });
  const screen = page.locator('.pp-screen:not([hidden])');
  await expect(screen.getByRole('heading', { level: 1 })).toBeVisible();
  for (const part of ['.pp-title-bar', '.pp-rail', '.pp-tab-bar', '.pp-status-bar', '.pp-tabs-strip'])
    await expect(page.locator(part).filter({ visible: true })).toHaveCount(0);
  await expect(page.locator('body')).toHaveClass(/pp-light/);
  // Scroll containers expand to their content, and nothing lies beside the page.
  const cut = await screen.evaluate((root) =>
    [...root.querySelectorAll('*')]
      .filter(
        (element) =>
          element.checkVisibility() &&
          getComputedStyle(element).overflowY !== 'visible' &&
          element.scrollHeight > element.clientHeight + 2 &&
          !element.closest('svg, .pp-visually-hidden'),
      )
      .map((element) => element.className),
  );
  expect(cut).toEqual([]);
  const file = info.outputPath('profile.pdf');
  await page.pdf({ path: file, preferCSSPageSize: true });
  await page.evaluate((original) => {
    window.dispatchEvent(new Event('afterprint'));
    window.print = original;
    delete document.body.dataset['asked'];
  }, print);
  await page.emulateMedia({ media: null, colorScheme: null });
  test.skip(!hasPdfReader, 'pdftotext is not installed: the pages were not read back');
  const pages = execFileSync('pdftotext', ['-layout', file, '-'], { encoding: 'utf8' })
    .split('\f')
    .slice(0, -1);
  const text = pages.join('\n');
  for (const [index, page] of pages.entries()) {
    expect(page).toMatch(/Demo tenant, demo data/);
    expect(page).toMatch(/Printed \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \S+/);
    expect(page).toContain(`${index + 1} / ${pages.length}`);
  }
  // All recipients, all headers and the body are printed.
  expect(new Set(text.match(/[\w.-]+@[\w.-]+\.example/g)).size).toBeGreaterThan(390);
  expect(text).toMatch(/Received: /);
  expect(text).toMatch(/badge readers/);
});

test('at 200 % two notices take one line and expand by keyboard, and the front tab stays visible', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  for (const section of ['2', '4', '5', '6', '7', '8']) {
    await page.keyboard.press(`Alt+${section}`);
    await expect(page.locator('.pp-tab-active')).toBeInViewport({ ratio: 0.95 });
  }
  await page.getByRole('button', { name: /^Connection / }).click();
  await page.getByRole('menuitem', { name: 'Go offline' }).click();
  const notices = page.getByRole('region', { name: 'Notices' });
  await expect(notices.getByRole('button')).toHaveText(['Go online', 'Choose']);

  await page.setViewportSize({ width: 640, height: 400 });
  await expect(page.locator('.pp-tab-active')).toBeInViewport({ ratio: 0.95 });
  const more = notices.getByRole('button', { name: '1 more notice' });
  await expect(more).toBeVisible();
  const height = async () => (await notices.boundingBox())?.height ?? 0;
  await expect.poll(height).toBeLessThan(40);
  await expect(notices.getByRole('note')).toBeHidden();
  // F6 reaches the notices like any other region.
  const first = notices.getByRole('button', { name: 'Go online' });
  for (
    let turn = 0;
    turn < 12 && !(await first.evaluate((element) => element === document.activeElement));
    turn += 1
  )
    await page.keyboard.press('F6');
  await expect(first).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(more).toBeFocused();
  await page.keyboard.press('Enter');
  const less = notices.getByRole('button', { name: 'Show less' });
  await expect(less).toBeFocused();
  await expect(notices.getByRole('note')).toContainText('can’t be read after this session');
  expect(await wrongAt(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await expect.poll(height).toBeLessThan(40);
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Enter');
  await expect(notices.getByRole('button')).toHaveText(['Choose', 'Show all']);
  expect(await wrongAt(page)).toEqual([]);
});

test('at 200 % columns stay wide enough to read, a condition stays on one line, and empty panels show their text', async ({
  page,
}) => {
  await page.setViewportSize({ width: 640, height: 400 });
  const box = async (locator: Locator) =>
    (await locator.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  await openQuery(page, 'Executive impersonation by display name');
  await screen(page).locator('.ag-cell').first().press('e');
  const condition = screen(page).locator('.pp-qb-row').nth(1);
  await expect(condition).toBeVisible();
  // One line, including the remove button.
  expect((await box(condition)).height).toBeLessThan(40);

  await screen(page).locator('.ag-cell[col-id="subject"]').first().press('Enter');
  await expect(screen(page)).toHaveAttribute('data-screen', 'email');
  const title = screen(page).locator('h1');
  await title.evaluate((element) => {
    element.textContent = 'Invoice '.repeat(40);
  });
  await expect
    .poll(async () => (await box(screen(page).locator('.pp-page-header-lead'))).height)
    .toBeLessThan(30);

  await screen(page)
    .getByRole('tab', { name: /^Security stack/ })
    .click();
  const summaries = screen(page).locator('.en-stack-wide > .en-stack-row > span:nth-child(3)');
  await expect(summaries.first()).toBeVisible();
  for (const summary of await summaries.all()) expect((await box(summary)).width).toBeGreaterThan(300);

  await screen(page)
    .getByRole('tab', { name: /^Links/ })
    .click();
  const panel = screen(page).locator('[data-panel="Links"]');
  const none = panel.getByRole('heading', { name: 'No links' });
  await expect(none).toBeVisible();
  expect((await box(none)).y - (await box(panel)).y).toBeLessThan(100);

  await openQuery(page, 'Αναφορά ύποπτων συνημμένων');
  await screen(page).locator('.ag-cell[col-id="title"]').first().press('Enter');
  await expect(screen(page)).toHaveAttribute('data-screen', 'file');
  await screen(page)
    .getByRole('tab', { name: /^Permissions/ })
    .click();
  const user = screen(page).locator('.en-permissions td').first();
  await expect(user).toBeVisible();
  expect((await box(user)).width).toBeGreaterThan(130);
});

test('[promise] a low window gives its space to the rows, keeps the selected tab visible and hides needless scroll bars', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1024, height: 700 });
  await openQuery(page, 'Invoice overdue: same attachment hash');
  const conditions = screen(page).getByRole('button', { name: 'Hide conditions' });
  await expect(cell(page, 8, 'received')).toBeInViewport({ ratio: 1 });
  await expect(conditions).toBeHidden();
  await page.keyboard.press('e');
  await expect(conditions).toBeVisible();
  await page.keyboard.press('e');

  // An open menu closes before the palette takes the focus.
  await page.keyboard.press('a');
  await expect(page.getByRole('menuitem', { name: /^Quarantine/ })).toBeFocused();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('exceptions');
  await expect(page.getByRole('combobox', { name: /^Find a screen/ })).toHaveValue('exceptions');
  await expect(page.getByRole('menu')).toHaveCount(0);
  await page.keyboard.press('Escape');
  await expect(screen(page).locator('.ag-cell:focus')).toBeVisible();

  await page.keyboard.press('Enter');
  await expect(screen(page)).toHaveAttribute('data-screen', 'email');
  const last = screen(page).getByRole('tab', { name: 'Debug links' });
  await last.waitFor();
  for (let part = 1; part < 12 && (await last.getAttribute('aria-selected')) !== 'true'; part += 1)
    await page.keyboard.press(']');
  await expect(last).toHaveAttribute('aria-selected', 'true');
  await expect(last).toBeInViewport({ ratio: 1 });
  // As if a late count made a tab wider.
  await screen(page)
    .getByRole('tab')
    .first()
    .evaluate((tab) => {
      tab.style.minWidth = '400px';
    });
  await expect(last).toBeInViewport({ ratio: 1 });

  await openQuery(page, '外部共有');
  const bar = screen(page).locator('.ag-body-vertical-scroll-viewport').first();
  await expect(bar).toHaveCSS('opacity', '0');
  await page.setViewportSize({ width: 1024, height: 480 });
  await expect(bar).toHaveCSS('opacity', '1');
});
