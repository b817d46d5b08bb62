/** The analyst's main job from end to end, and the same again offline; in both themes. */
import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { parse } from 'csv-parse/sync';
import { expect, test } from './fixtures.ts';
import { startHost } from './host.ts';

const SLOW = { timeout: 30_000 };
/** The service makes 20 000 emails first, on a machine that may be busy. */
const START = { timeout: 90_000 };
/** The tab in front; others stay mounted behind it. */
const screen = (page: Page) => page.locator('.pp-screen:not([hidden])');
const rows = (page: Page) => screen(page).locator('.ag-row');
const cell = (page: Page, row: number, column: string) =>
  screen(page).locator(`.ag-row[row-index="${row}"] .ag-cell[col-id="${column}"]`);
const panel = (page: Page, title: string) =>
  screen(page)
    .locator('.pp-panel')
    .filter({ has: page.getByRole('heading', { name: title }) });

/** The number in a tile of Home, from its exact tooltip. */
async function figure(page: Page, tile: string): Promise<number> {
  const shown = screen(page).locator(`[data-tile="${tile}"] .pp-figure`);
  await expect(shown).toHaveAttribute('title', /^[\d,]+$/, START);
  return Number((await shown.getAttribute('title'))?.replaceAll(',', ''));
}

/** Presses Run and waits for the answer that this run brings, not for the rows of the one before. */
async function run(page: Page): Promise<number> {
  await screen(page).getByRole('button', { name: /^Run/ }).first().click();
  const count = screen(page).locator('.pp-results-count');
  await expect(count).toHaveAttribute('data-total', /^\d+$/, SLOW);
  await expect(rows(page).first()).toBeVisible(SLOW);
  return Number(await count.getAttribute('data-total'));
}

/** The body as text, whatever the mail has. */
async function bodyText(page: Page): Promise<string> {
  await screen(page).getByRole('tab', { name: 'Body' }).click();
  await panel(page, 'Body').getByText('Text', { exact: true }).click(SLOW);
  const text = screen(page).getByRole('region', { name: 'Body text' });
  await expect(text).toBeVisible(SLOW);
  return (await text.innerText()).trim();
}

async function switchOffline(page: Page, offline: boolean): Promise<void> {
  await page.getByRole('button', { name: /^Connection / }).click();
  await page.getByRole('menuitem', { name: offline ? 'Go offline' : 'Go online' }).click();
  const name = offline ? /, offline$/ : /, connected$/;
  await expect(page.getByRole('button', { name })).toBeVisible(SLOW);
}

const endings: (() => Promise<unknown>)[] = [];
const onTestEnd = (ending: () => Promise<unknown>) => endings.push(ending);
test.afterEach(async () => {
  for (const ending of endings.splice(0)) await ending();
});

for (const theme of ['dark', 'light'] as const) {
  test.describe(`in ${theme}`, () => {
    test.use({ colorScheme: theme });

    test(`the main job, online and again offline (${theme})`, async ({ page }) => {
      test.setTimeout(300_000);
      page.setDefaultTimeout(SLOW.timeout);
      const host = await startHost();
      onTestEnd(() => host.stop());
      const broken: string[] = [];
      page.on('pageerror', (error) => broken.push(String(error)));
      page.on('console', (message) => {
        if (['warning', 'error'].includes(message.type())) broken.push(message.text());
      });

      await page.goto(host.url);
      await expect(page.locator('body')).toHaveClass(new RegExp(`pp-${theme}`));
      const found = await figure(page, 'found');
      expect(found).toBeGreaterThan(0);
      await expect(screen(page).getByRole('row').filter({ hasText: 'Microsoft 365 Mail' })).toBeVisible();

      await page.keyboard.press('Alt+2');
      await expect(rows(page).first()).toBeVisible(SLOW);
      await screen(page).locator('[data-kind="template"]').click();
      await page.getByLabel('Search queries').fill('business email');
      await screen(page).getByRole('button', { name: 'New from template' }).click();
      const builder = screen(page).locator('.pp-qb');
      await expect(builder.locator('.pp-qb-row').first()).toBeVisible(SLOW);
      const template = await run(page);
      expect(template).toBeGreaterThan(0);

      // Run folds the conditions away on low windows; E brings them back.
      await page.keyboard.press('e');
      // One condition fewer finds more: the edit reaches the service.
      const conditions = await builder.locator('.pp-qb-row').count();
      await builder
        .getByRole('button', { name: /^Remove / })
        .first()
        .click();
      await expect(builder.locator('.pp-qb-row')).toHaveCount(conditions - 1);
      await run(page);
      const count = screen(page).locator('.pp-results-count');
      await expect(count).not.toHaveAttribute('data-total', String(template), SLOW);
      const total = Number(await count.getAttribute('data-total'));
      expect(total).toBeGreaterThan(template);
      await expect(count).toHaveAttribute('data-loaded', String(total), SLOW);

      const bySubject = screen(page).locator('.ag-header-cell[col-id="subject"]');
      await bySubject.click();
      await expect(bySubject).toHaveAttribute('aria-sort', 'ascending');
      await expect(cell(page, 0, 'subject')).not.toBeEmpty();
      const first = (await cell(page, 0, 'subject').innerText()).trim();
      const queryTab = page.getByRole('tab', { selected: true }).first();
      const queryName = await queryTab.innerText();

      await screen(page)
        .getByRole('button', { name: /^Export( results)?$/ })
        .last()
        .click();
      const dialog = page.getByRole('dialog');
      const download = page.waitForEvent('download', SLOW);
      await dialog.getByRole('button', { name: /^Export [\d,]+ row/ }).click();
      const table = parse(readFileSync(await (await download).path()), { bom: true }) as string[][];
      expect(table).toHaveLength(total + 1);
      const subjectAt = table[0]?.indexOf('Subject') ?? -1;
      expect(subjectAt).toBeGreaterThanOrEqual(0);
      expect(table[1]?.[subjectAt]?.replace(/^'/, '')).toBe(first);
      expect(table.filter((line) => line.length !== table[0]?.length)).toEqual([]);
      expect(table.flat().filter((value) => /^[=+@\t\r-]/.test(value) && !/^-?\d/.test(value))).toEqual([]);

      await cell(page, 0, 'subject').dblclick();
      await expect(screen(page)).toHaveAttribute('data-screen', 'email');
      await expect(screen(page).getByRole('heading', { level: 1 })).toHaveText(first, SLOW);
      await screen(page).getByRole('tab', { name: 'Headers' }).click();
      await expect(
        panel(page, 'Raw headers')
          .getByText(/^Received:/)
          .first(),
      ).toBeVisible(SLOW);
      const messageId = /Message-ID: (\S+)/i.exec(await panel(page, 'Raw headers').innerText())?.[1] ?? '';
      expect(messageId).toMatch(/^<.+>$/);
      const body = await bodyText(page);
      expect(body).not.toBe('');

      await switchOffline(page, true);
      await page.reload();
      await expect(page.getByRole('button', { name: /, offline$/ })).toBeVisible(SLOW);
      // The same email is in front, whole, with its age.
      await expect(screen(page).getByRole('heading', { level: 1 })).toHaveText(first, SLOW);
      await expect(
        screen(page)
          .locator('.pp-page-header')
          .getByText(/saved .*(now|ago)/i),
      ).toBeVisible(SLOW);
      await screen(page).getByRole('tab', { name: 'Headers' }).click();
      await expect(panel(page, 'Raw headers')).toContainText(messageId, SLOW);
      expect(await bodyText(page)).toBe(body);
      // And the same query, its rows in the same order.
      await page.getByRole('tab').filter({ hasText: queryName }).first().click();
      await expect(screen(page)).toHaveAttribute('data-screen', 'query');
      await expect(screen(page).locator('.pp-results-count')).toHaveAttribute(
        'data-total',
        String(total),
        SLOW,
      );
      await expect(cell(page, 0, 'subject')).toHaveText(first, SLOW);
      await expect(
        screen(page)
          .getByText(/saved .*(now|ago)/i)
          .first(),
      ).toBeVisible(SLOW);

      await switchOffline(page, false);
      expect(broken).toEqual([]);
    });
  });
}
