/** Result sets: fetch, sort, filter, search, compare, and the offline data in Settings. */
import type { Locator, Page } from '@playwright/test';
import { expect } from './fixtures.ts';
import { test } from './one-window.ts';
import {
  cell,
  count,
  header,
  newQuery,
  newRecentQuery,
  number,
  rows,
  runToEnd,
  screen,
} from './results-page.ts';
import { openTenant, quarantineElsewhere, type Service, startService, stopService } from './tenant.ts';

/** Above the automatic fetch limit. */
const EMAILS = 24_000;

test.use({ connect: 'none' });
let service: Service;
test.beforeAll(async () => {
  test.setTimeout(120_000);
  service = await startService(EMAILS);
});
test.afterAll(() => {
  // A failed test may have left it suspended.
  service.process.kill('SIGCONT');
  return stopService(service);
});
test.beforeEach(async ({ page, host }) => {
  test.slow();
  await openTenant(page, host, service);
});

/** Runs a new query over all emails, whose fetch pauses at the limit. */
async function runAllMail(page: Page): Promise<Locator> {
  await page.keyboard.press('Alt+n');
  await screen(page).getByRole('button', { name: /^Run/ }).first().click();
  const bar = screen(page).getByRole('region', { name: 'Fetch' });
  await expect(bar).toHaveAttribute('data-fetch', 'paused', { timeout: 60_000 });
  return bar;
}

/** Runs a new query for some hundred emails; returns their number. */
async function runInvoices(page: Page): Promise<number> {
  await newQuery(page, 'invoice');
  return runToEnd(page);
}

test('a large result is fetched on request, with progress, and can be paused', async ({ page }) => {
  const bar = await runAllMail(page);
  const total = await number(page, 'total');
  expect(total).toBe(EMAILS);
  await expect(bar).toContainText('of 24,000 rows loaded');
  const top = () => header(page, 'subject').evaluate((head) => head.getBoundingClientRect().top);
  const before = await top();
  await bar.getByLabel('Page size').selectOption('100');
  // The service is suspended so that the fetch cannot finish before it is paused.
  service.process.kill('SIGSTOP');
  await bar.getByRole('button', { name: /^Fetch remaining/ }).click();
  await bar.getByRole('button', { name: 'Pause' }).click();
  await expect(bar).toHaveAttribute('data-fetch', 'paused');
  service.process.kill('SIGCONT');
  expect(await number(page, 'loaded')).toBeLessThan(total);
  await bar.getByLabel('Page size').selectOption('5000');
  await bar.getByRole('button', { name: /^Fetch remaining/ }).click();
  await expect.poll(() => number(page, 'loaded'), { timeout: 60_000 }).toBe(total);
  await expect(bar).toBeHidden();
  await expect(screen(page).getByText('Complete')).toBeVisible();
  // The fetch bar must not move the rows, as the analyst may be about to click one.
  expect(await top()).toBe(before);
});

test('loaded rows sort by several columns, by mouse and keyboard', async ({ page }) => {
  await newRecentQuery(page);
  expect(await runToEnd(page)).toBeGreaterThan(1_000);
  await header(page, 'verdict').click();
  await header(page, 'subject').click({ modifiers: ['Shift'] });
  await expect(header(page, 'verdict')).toHaveAttribute('aria-sort', 'ascending');
  await expect(header(page, 'subject')).toHaveAttribute('aria-sort', 'ascending');
  await expect(header(page, 'subject')).toContainText('2');
  await header(page, 'received').focus();
  await page.keyboard.press('Shift+Enter');
  await expect(header(page, 'received')).toContainText('3');
  await expect(page.locator('[data-peek]')).toBeHidden();
  // After a jump of the scroll bar, the rows load within 600 frames.
  const waited = await page.evaluate(async () => {
    const view = document.querySelector<HTMLElement>('.pp-screen:not([hidden]) .ag-grid-viewport');
    if (!view) throw new Error('No grid');
    let worst = 0;
    for (const part of [0.9, 0.1, 0.5, 0.99, 0.3]) {
      view.scrollTop = part * (view.scrollHeight - view.clientHeight);
      let frames = 0;
      do {
        await new Promise(requestAnimationFrame);
        frames += 1;
      } while (frames < 600 && view.querySelector('.ag-row.pp-row-wait') !== null);
      worst = Math.max(worst, frames);
    }
    return worst;
  });
  expect(waited).toBeLessThan(600);
});

test('search matches are highlighted in the cells, and conditions filter loaded rows', async ({ page }) => {
  await newRecentQuery(page, 10);
  await runToEnd(page);
  await page.keyboard.press('/');
  // Inserted in one piece: each typed letter would start a search.
  await page.keyboard.insertText('invoice');
  await expect(count(page)).toContainText(/^[\d,]+ of /);
  const marks = () => page.evaluate(() => CSS.highlights.get('pp-search')?.size ?? 0);
  await expect.poll(marks).toBeGreaterThan(5);
  const found = await number(page, 'matching');

  await screen(page)
    .getByRole('button', { name: /^Filter/ })
    .click();
  const bar = screen(page).getByRole('region', { name: 'Filter loaded rows' });
  await bar.getByRole('button', { name: 'Add condition' }).click();
  // A new condition opens its field list; the first field is a time.
  await page.keyboard.press('Escape');
  // As the list closes it restores the focus, which would take it away from the value.
  await expect(page.getByPlaceholder('Search fields')).toHaveCount(0);
  const amount = bar.locator('.pp-qb-row input').first();
  await expect(amount).toHaveValue('7');
  await expect.poll(() => number(page, 'matching')).toBeLessThan(found);
  const week = await number(page, 'matching');
  await amount.fill('1');
  await expect.poll(() => number(page, 'matching')).toBeLessThan(week);
  const day = await number(page, 'matching');

  await page.evaluate(() => window.dispatchEvent(new Event('pagehide')));
  await page.reload();
  await rows(page).first().waitFor();
  await expect(page.getByLabel('Search results').locator('visible=true')).toHaveValue('invoice');
  await expect.poll(() => number(page, 'matching')).toBe(day);
  await screen(page).getByRole('button', { name: 'Clear filter' }).click();
  await expect(count(page)).not.toContainText(' of ');
  await expect.poll(marks).toBe(0);
});

test('selecting the rows on screen, all loaded or all matching rows shows exact counts', async ({ page }) => {
  await runAllMail(page);
  const select = screen(page).locator('.pp-results-selected');
  await select.click();
  await page.getByRole('menuitem', { name: /^Rows on screen/ }).click();
  const onScreen = Number((await select.innerText()).replace(/\D/g, ''));
  expect(onScreen).toBeGreaterThan(5);
  expect(onScreen).toBeLessThan(40);
  await select.click();
  await page.getByRole('menuitem', { name: /^All .* loaded/ }).click();
  await expect(select).toHaveText(`${(await number(page, 'loaded')).toLocaleString('en')} selected`);
  await select.click();
  await page.getByRole('menuitem', { name: /^All 24,000 matching/ }).click();
  await expect(select).toHaveText('24,000 selected', { timeout: 60_000 });
});

test('comparing two runs shows changed rows with values before and after', async ({ page }) => {
  const total = await runInvoices(page);
  const ids = await page.evaluate(() =>
    [...document.querySelectorAll('.pp-screen:not([hidden]) .ag-row[row-id]')]
      .slice(0, 3)
      .map((row) => row.getAttribute('row-id') ?? ''),
  );
  await quarantineElsewhere(service, ids);
  await runInvoices(page);
  await screen(page)
    .getByRole('button', { name: /^Compare runs/ })
    .click();
  await page
    .getByRole('menuitem', { name: `${total} rows, complete` })
    .first()
    .click();
  const changed = screen(page).getByRole('button', { name: /changed$/ });
  await expect(changed).toBeVisible({ timeout: 60_000 });
  await changed.click();
  await expect(cell(page, 0, 'parapet_change')).toContainText('Changed');
  await expect(screen(page).locator('.pp-was').first()).toBeVisible();
  await screen(page).getByRole('button', { name: 'Back to results' }).click();
  await expect(count(page)).toContainText(`${total} results`);
});

test('settings list saved results, which can be pinned, removed and given a budget', async ({ page }) => {
  const total = await runInvoices(page);
  await page.getByRole('button', { name: 'Settings' }).first().click();
  const panel = page.locator('[data-panel="Offline data"]').locator('visible=true');
  const saved = panel.locator('[data-result]');
  await expect(saved.first()).toContainText(`${total} rows`);
  await saved.first().getByRole('button', { name: /^Pin / }).click();
  await expect(saved.first().getByRole('button', { name: /^Unpin / })).toBeVisible();
  await panel.getByLabel('Budget in gibibytes').fill('2');
  await panel.getByRole('button', { name: 'Apply' }).click();
  await expect(panel).toContainText('of 2 GB used');
  const before = await saved.count();
  await saved
    .first()
    .getByRole('button', { name: /^Remove/ })
    .click();
  await page.getByRole('button', { name: `Remove ${total} rows` }).click();
  await expect(saved).toHaveCount(before - 1);
  await panel.getByRole('button', { name: 'Wipe all' }).click();
  await page.getByRole('button', { name: 'Wipe', exact: true }).click();
  await expect(saved).toHaveCount(0);
});

test('the fetch before an action shows its progress, and stopping it leaves the loaded rows', async ({
  page,
}) => {
  await runAllMail(page);
  await cell(page, 0, 'subject').click();
  await page.keyboard.press('a');
  await page.getByRole('menuitem', { name: 'Notify…' }).click();
  const dialog = page.getByRole('dialog');
  const targets = dialog.locator('[data-targets]');
  await targets.waitFor();
  // The service is suspended so that the fetch cannot finish before it is stopped.
  service.process.kill('SIGSTOP');
  await dialog.getByText('All matching: 24,000').click();
  await expect(dialog.getByRole('status').first()).toContainText(/Fetching missing rows: [\d,]+ of 24,000/);
  await expect(dialog.getByRole('progressbar', { name: 'Rows fetched' })).toBeVisible();
  await dialog.getByRole('button', { name: 'Stop fetching' }).click();
  await expect(dialog.getByRole('button', { name: 'Stop fetching' })).toBeHidden();
  service.process.kill('SIGCONT');
  await expect(targets).toHaveAttribute('data-targets', '1', { timeout: 60_000 });
  await dialog.getByText(/^All loaded: /).click();
  await expect(targets).toHaveAttribute('data-targets', /^2\d{4}$/, { timeout: 60_000 });
  await dialog.getByText('All matching: 24,000').click();
  await expect(targets).toHaveAttribute('data-targets', '24000', { timeout: 60_000 });
  await page.keyboard.press('Escape');
});
