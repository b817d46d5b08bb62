/** The selection is independent of the grid: scrolling, sorting or redrawing neither loses nor adds a row. */
import type { Page } from '@playwright/test';
import { expect } from './fixtures.ts';
import { screen } from './on-screen.ts';
import { test } from './one-window.ts';
import { cell, newQuery, newRecentQuery, number, openQuery, runToEnd } from './results-page.ts';

const row = (page: Page, index: number) => screen(page).locator(`.ag-row[row-index="${index}"]`);
const tick = (page: Page, index: number) => row(page, index).locator('.pp-cell-check input').first();
const select = (page: Page) => screen(page).locator('.pp-results-selected');
const box = (page: Page) => screen(page).locator('.ag-header .pp-check');
const dialog = (page: Page) => page.getByRole('dialog');
const scrollTo = (page: Page, part: number) =>
  page.evaluate((part) => {
    const view = document.querySelector<HTMLElement>('.pp-screen:not([hidden]) .ag-grid-viewport');
    if (!view) throw new Error('No grid');
    view.scrollTop = part * (view.scrollHeight - view.clientHeight);
  }, part);

async function runRecent(page: Page): Promise<number> {
  await newRecentQuery(page);
  const total = await runToEnd(page);
  expect(total).toBeGreaterThan(1_000);
  return total;
}

test('[promise] a selection of all rows but two survives scrolling, sorting and resizing, and reaches exports and actions', async ({
  page,
}) => {
  test.slow();
  const total = await runRecent(page);
  await box(page).click();
  await expect(select(page)).toHaveText(`${total.toLocaleString('en')} selected`);
  await expect(tick(page, 3)).toBeChecked();
  await tick(page, 0).click();
  await tick(page, 2).click();
  const label = `${(total - 2).toLocaleString('en')} selected`;
  await expect(select(page)).toHaveText(label);
  await expect(tick(page, 3)).toBeChecked();
  const out = await row(page, 2).getAttribute('row-id');

  // Rows never drawn before are selected too; after scrolling back the two are still unticked.
  await scrollTo(page, 1);
  await expect(tick(page, total - 1)).toBeChecked();
  await scrollTo(page, 0.5);
  await expect(row(page, total - 1)).toHaveCount(0);
  await expect(async () => {
    // After a slow frame the library takes the echo of the earlier scroll for a new one.
    await scrollTo(page, 0);
    await expect(tick(page, 3)).toBeChecked({ timeout: 2_000 });
  }).toPass();
  await expect(tick(page, 2)).not.toBeChecked();
  await expect(select(page)).toHaveText(label);

  // A new width recreates the grid, a new order moves the rows.
  await page.setViewportSize({ width: 1900, height: 1000 });
  await expect(tick(page, 3)).toBeChecked();
  await expect(tick(page, 0)).not.toBeChecked();
  const subject = screen(page).locator('.ag-header-cell[col-id="subject"]');
  await scrollTo(page, 0.5);
  await subject.click();
  // The grid shows the first rows of the new order.
  await expect(row(page, 2)).not.toHaveAttribute('row-id', String(out));
  await expect(tick(page, 2)).toBeChecked();
  await expect(select(page)).toHaveText(label);
  await subject.click();
  await subject.click();
  await expect(row(page, 2)).toHaveAttribute('row-id', String(out));
  await expect(tick(page, 2)).not.toBeChecked();

  await screen(page)
    .getByRole('button', { name: /^Export( results)?$/ })
    .click();
  await expect(dialog(page).getByText(`Selection (${(total - 2).toLocaleString('en')})`)).toBeVisible();
  await page.keyboard.press('Escape');
  await screen(page)
    .getByRole('button', { name: /^Act on/ })
    .click();
  await page.getByRole('menuitem', { name: 'Notify…' }).click();
  await expect(dialog(page).getByText(`Selected: ${(total - 2).toLocaleString('en')}`)).toBeVisible();
  await expect(dialog(page).locator('[data-targets]')).toHaveAttribute('data-targets', String(total - 2), {
    timeout: 30_000,
  });
  await page.keyboard.press('Escape');
  await page.setViewportSize({ width: 1280, height: 720 });

  await box(page).click();
  await expect(select(page)).toHaveText('Select');
  await expect(tick(page, 0)).not.toBeChecked();
});

test('rows selected by hand stay selected under a filter, which tells those that it hides', async ({
  page,
}) => {
  await openQuery(page, 'Executive impersonation');
  const verdicts = screen(page).locator('.ag-cell[col-id="verdict"]');
  await expect(verdicts.first()).not.toBeEmpty();
  const texts = await Promise.all([...Array(10).keys()].map((index) => row(page, index).innerText()));
  const subject = await row(page, 0).locator('.ag-cell[col-id="subject"]').innerText();
  // Which emails are the newest, and whether they share a subject, changes with the day.
  const other = texts.findIndex((text) => !text.includes(subject));
  await tick(page, 0).click();
  await tick(page, other).click();
  await expect(select(page)).toHaveText('2 selected');
  const hidden = await row(page, other).getAttribute('row-id');
  await page.getByLabel('Search results').locator('visible=true').fill(subject);
  await expect(screen(page).getByRole('button', { name: /^Remove filter: search: / })).toBeVisible();
  await expect(screen(page).locator(`.ag-row[row-id="${hidden}"]`)).toHaveCount(0);
  await expect(select(page)).toHaveText('2 selected, 1 hidden by the filter');
  await expect(tick(page, 0)).toBeChecked();
  await screen(page).getByRole('button', { name: 'Clear all' }).click();
  await expect(select(page)).toHaveText('2 selected');
  await expect(tick(page, other)).toBeChecked();
});

/** The text of the clipboard, pasted into a field by keyboard. */
async function pasted(page: Page): Promise<string> {
  await page.evaluate(() => {
    const field = document.createElement('textarea');
    field.id = 'pasted';
    document.body.append(field);
    field.focus();
  });
  await page.keyboard.press('ControlOrMeta+v');
  const field = page.locator('#pasted');
  await expect(field).not.toHaveValue('');
  const text = await field.inputValue();
  await field.evaluate((node) => node.remove());
  return text;
}

test('selected rows are copied as CSV, TSV, JSON, Markdown or indicators', async ({ page }) => {
  test.slow();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await openQuery(page, 'Executive impersonation');
  const total = await number(page, 'total');
  await tick(page, 0).click();
  await tick(page, 2).click();
  await expect(select(page)).toHaveText('2 selected');
  const subjects = await Promise.all(
    [0, 2].map((index) => row(page, index).locator('.ag-cell[col-id="subject"]').innerText()),
  );
  const copy = async (item: string | RegExp, toast: RegExp): Promise<string> => {
    await screen(page).getByRole('button', { name: 'Copy', exact: true }).click();
    const menu = page.getByRole('menu', { name: 'Copy the selected rows' });
    await menu.getByText(item).click();
    await expect(page.getByText(toast).last()).toBeVisible({ timeout: 30_000 });
    // The button gets the focus back only once the menu has gone.
    await expect(menu).toHaveCount(0);
    return pasted(page);
  };

  const csv = await copy('Rows as CSV', /^2 rows copied as CSV/);
  expect(csv.split('\n')[0]).toContain('Subject');
  for (const subject of subjects) expect(csv).toContain(subject.replaceAll('"', '""'));
  const tsv = await copy('Rows for a spreadsheet', /^2 rows copied for a spreadsheet/);
  expect(tsv.split('\n')[0]?.split('\t')).toContain('Subject');
  const rowsOfJson: unknown = JSON.parse(await copy('Rows as JSON', /^2 rows copied as JSON/));
  expect(rowsOfJson).toHaveLength(2);
  expect(rowsOfJson).toMatchObject(subjects.map((subject) => ({ subject })));
  const table = await copy('Rows as a Markdown table', /^2 rows copied as a Markdown table/);
  expect(table.trim().split('\n')).toHaveLength(4);
  // Two mails may both be internal, without indicators; all rows include external senders.
  await tick(page, 0).click();
  await tick(page, 2).click();
  await box(page).click();
  await expect(select(page)).toHaveText(`${total.toLocaleString('en')} selected`);
  // The indicators are shown first; Enter copies them.
  const shown = async (item: string, toast: RegExp): Promise<string> => {
    await screen(page).getByRole('button', { name: 'Copy', exact: true }).click();
    await page.getByRole('menuitem', { name: item }).click();
    const dialog = page.getByRole('dialog', { name: /^Indicators of [\d,]+ emails$/ });
    await expect(dialog.getByRole('button', { name: /^Copy \d/ })).toBeFocused({ timeout: 30_000 });
    await page.keyboard.press('Enter');
    await expect(page.getByText(toast).last()).toBeVisible();
    await expect(dialog).toHaveCount(0);
    return pasted(page);
  };
  expect(await shown('IOCs, defanged…', /^Copied [\d,]+ indicators?, defanged/)).toContain('[.]');
  expect(await shown('IOCs, raw…', /^Copied [\d,]+ indicators?, raw/)).not.toContain('[.]');
});

test('a shortcut pressed while a new run takes over the selection applies to the selected rows', async ({
  page,
}) => {
  // Messages of the window that ask for the matching rows wait while `holds`.
  const wire = await page.evaluateHandle(() => {
    const { send } = WebSocket.prototype;
    const state = { holds: false, held: [] as (() => void)[], restore: () => {} };
    WebSocket.prototype.send = function (this: WebSocket, message) {
      if (state.holds && String(message).includes('results.matching'))
        state.held.push(() => send.call(this, message));
      else send.call(this, message);
    };
    state.restore = () => {
      WebSocket.prototype.send = send;
    };
    return state;
  });
  await newQuery(page, 'Invoice overdue final notice');
  const total = await runToEnd(page);
  await cell(page, 0, 'subject').click();
  await page.keyboard.press('Control+a');
  await expect(select(page)).toHaveText(`${total} selected`);
  for (const [key, text] of [
    ['c', `${total} emails`],
    ['q', `Selected: ${total}`],
  ] as const) {
    await wire.evaluate((state) => {
      state.holds = true;
    });
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => wire.evaluate(({ held }) => held.length), { timeout: 30_000 }).toBe(1);
    await page.keyboard.press(key);
    await wire.evaluate((state) => {
      state.holds = false;
      for (const send of state.held.splice(0)) send();
    });
    await expect(dialog(page)).toContainText(text);
    await page.keyboard.press('Escape');
    await expect(dialog(page)).toHaveCount(0);
    await expect(select(page)).toHaveText(`${total} selected`);
    // Select all again, so that the next run takes over "all" and not a list of rows.
    await page.keyboard.press('Control+a');
  }
  await wire.evaluate(({ restore }) => restore());
});

test('[promise] a range selection includes rows that the grid never loaded', async ({ page }) => {
  test.slow();
  const total = await runRecent(page);
  await row(page, 1).locator('.ag-cell[col-id="subject"]').click();
  await page.keyboard.press('x');
  await expect(select(page)).toHaveText('1 selected');
  await scrollTo(page, 1);
  await row(page, total - 2)
    .locator('.ag-cell[col-id="subject"]')
    .click();
  await page.keyboard.press('Shift+X');
  await expect(select(page)).toHaveText(`${(total - 2).toLocaleString('en')} selected`);
  await expect(tick(page, total - 1)).not.toBeChecked();
  await expect(tick(page, total - 2)).toBeChecked();

  // By mouse, from one checkbox to another.
  await box(page).click();
  await expect(select(page)).toHaveText('Select');
  await tick(page, total - 8).click();
  await tick(page, total - 3).click({ modifiers: ['Shift'] });
  await expect(select(page)).toHaveText('6 selected');
  await tick(page, total - 5).click();
  await expect(select(page)).toHaveText('5 selected');
  await expect(tick(page, total - 5)).not.toBeChecked();
});

test('the grid and its scroll bar follow each other right after an echoed scroll event', async ({ page }) => {
  const total = await runRecent(page);
  /** Scrolls one of the two a little, so that the grid library ignores the other until it stops, then the other. */
  const scroll = (first: string, second: string, to: number) =>
    screen(page)
      .locator('.pp-grid')
      .evaluate(
        async (root, parts) => {
          const [first, other] = [root.querySelector(parts.first), root.querySelector(parts.second)];
          if (!first || !other) throw new Error('No grid');
          const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
          first.scrollTop += first.scrollTop === 0 ? 56 : -56;
          await frame();
          first.dispatchEvent(new Event('scroll'));
          other.scrollTop = parts.to * other.scrollHeight;
        },
        { first, second, to },
      );
  const [view, bar] = ['.ag-grid-viewport', '.ag-body-vertical-scroll-viewport'];
  const barTop = () =>
    screen(page)
      .locator(bar)
      .evaluate((node) => node.scrollTop);
  const subject = (index: number) => row(page, index).locator('.ag-cell[col-id="subject"]');
  await scroll(view, bar, 1);
  await expect(subject(total - 1)).toBeInViewport();
  await expect.poll(barTop).toBeGreaterThan(1_000);
  await scroll(bar, view, 0);
  await expect.poll(barTop).toBe(0);
  await expect(subject(0)).toBeInViewport();
});
