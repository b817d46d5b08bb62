/** Keys work from the first render, and the shortcuts in the list do what it says. */
import type { Page } from '@playwright/test';
import { expect } from './fixtures.ts';
import { screen } from './on-screen.ts';
import { test } from './one-window.ts';
import { openQuery } from './results-page.ts';

test('a key works as soon as the window is rendered', async ({ context, host }) => {
  const page = await context.newPage();
  // A mutation observer runs right after React's commit, before any timer, paint or user input.
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

const row = (page: Page, index: number) => screen(page).locator(`.ag-row[row-index="${index}"]`);

/** The shortcuts of a group in the list, as text. */
async function listed(page: Page, group: string): Promise<string[]> {
  await page.keyboard.press('?');
  const list = page.getByRole('dialog');
  await list.waitFor();
  const texts = await list.locator('.pp-keys > section').filter({ hasText: group }).first().innerText();
  await page.keyboard.press('Escape');
  await list.waitFor({ state: 'detached' });
  return texts.split('\n').map((line) => line.trim());
}

test('[promise] every shortcut listed for results works there', async ({ page }) => {
  await openQuery(page, 'Executive impersonation');
  await row(page, 2).waitFor({ timeout: 30_000 });
  await expect(screen(page).getByText('Complete')).toBeVisible({ timeout: 60_000 });
  await row(page, 0).locator('.ag-cell[col-id="subject"]').click();
  const shortcuts = await listed(page, 'Next row');
  for (const text of [
    'Next row',
    'Previous row',
    'Preview row',
    'Open row',
    'Select row',
    'Select range',
    'Copy IOCs, defanged',
    'Filter for value',
    'Filter out value',
    'Search results',
    'Show or hide facets',
    'Show or hide preview',
    'Act on the selection or the row',
  ])
    expect(shortcuts).toContain(text);

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
  // The hint for screen readers; the grid library would announce Space, which opens the preview here.
  await expect(screen(page).locator('.ag-aria-description-container')).toContainText(
    /^Press X to select this row/,
  );
  await page.keyboard.press('j');
  await page.keyboard.press('Shift+X');
  await expect(selected).toHaveText('3 selected');
  await page.keyboard.press('c');
  await expect(page.getByRole('dialog').getByRole('button', { name: /^Copy \d/ })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(
    page.locator('.pp-toast').filter({ hasText: /Copied \d+ indicators?, defanged/ }),
  ).toBeVisible();
  await page.keyboard.press('a');
  await expect(page.getByRole('menu', { name: 'Actions' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('menu', { name: 'Actions' })).toBeHidden();
  await page.keyboard.press('/');
  await expect(page.getByLabel('Search results').locator('visible=true')).toBeFocused();
  await page.keyboard.press('Escape');
  // A low window collapses the conditions when a query runs.
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

test('Ctrl Enter runs the query and does not activate the focused element', async ({ page }) => {
  await openQuery(page, 'Executive impersonation');
  // A row has the focus; Enter alone would open it.
  await expect(screen(page).locator('.ag-cell:focus')).toBeVisible();
  await page.keyboard.press('Control+Enter');
  await expect(screen(page)).toHaveAttribute('data-screen', 'query');
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

test('[promise] in a split view keys go to the focused side, and the split survives a reload', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await openQuery(page, 'Executive impersonation');
  await row(page, 2).waitFor({ timeout: 30_000 });
  await row(page, 0).locator('.ag-cell[col-id="subject"]').click();
  await page.keyboard.press('Enter');
  await expect(screen(page)).toHaveAttribute('data-screen', 'email');
  await page.keyboard.press('Alt+s');
  const left = page.locator('.pp-screen[data-side="left"]');
  const right = page.locator('.pp-screen[data-side="right"]');
  await expect(left).toHaveAttribute('data-screen', 'query');
  await expect(right).toHaveAttribute('data-front', 'true');
  // F6 moves to the other side, and J moves in the list, not in the profile.
  const title = await right.locator('h1').innerText();
  for (let turn = 0; turn < 12 && (await left.getAttribute('data-front')) === null; turn += 1)
    await page.keyboard.press('F6');
  await left.locator('.ag-row[row-index="0"] .ag-cell[col-id="subject"]').click();
  await page.keyboard.press('j');
  await expect(left.locator('.ag-row[row-index="1"] .ag-cell:focus')).toHaveCount(1);
  await expect(right.locator('h1')).toHaveText(title);
  const edge = page.getByRole('separator', { name: 'Width of the left tab' });
  const width = async () => (await left.boundingBox())?.width ?? 0;
  const before = await width();
  await edge.focus();
  await page.keyboard.press('ArrowLeft');
  await expect.poll(width).toBe(before - 16);
  await page.reload();
  await expect(left).toHaveAttribute('data-screen', 'query');
  await expect(right).toHaveAttribute('data-screen', 'email');
  // A window that is too narrow shows only the front tab, and says why.
  await page.setViewportSize({ width: 1024, height: 700 });
  await expect(screen(page)).toHaveCount(1);
  await expect(page.getByText(/need a window 1,1\d\d pixels wide; this one has 1,024\./)).toBeVisible();
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.keyboard.press('Control+\\');
  await expect(screen(page)).toHaveCount(1);
  // The end of the split view survives a reload too.
  await page.reload();
  await expect(screen(page)).toHaveAttribute('data-screen', /email|query/);
});

test('[promise] columns move and resize by key with undo, the browser history works, and each window has its own tabs', async ({
  page,
  host,
}) => {
  await openQuery(page, 'Executive impersonation');
  await row(page, 2).waitFor({ timeout: 30_000 });
  // The layout is stable only after the fetch bar has gone.
  await expect(screen(page).locator('.pp-fetch-bar')).toHaveCount(0, { timeout: 30_000 });
  await row(page, 0).locator('.ag-cell[col-id="verdict"]').click();
  const head = (id: string) => screen(page).locator(`.ag-header-cell[col-id="${id}"]`);
  // Relative to the grid, as the grid itself may still move on the page.
  const place = (id: string) =>
    head(id).evaluate((cell) => {
      const { offsetLeft: x, offsetWidth: width } = cell as HTMLElement;
      return { x, width };
    });
  const before = await place('verdict');
  await page.keyboard.press('Alt+Shift+ArrowRight');
  await expect.poll(async () => (await place('verdict')).x).toBeGreaterThan(before.x);
  await page.keyboard.press('Alt+Shift+ArrowUp');
  await expect.poll(async () => (await place('verdict')).width).toBeGreaterThan(before.width);
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+z');
  await expect.poll(() => place('verdict')).toEqual(before);

  await page.keyboard.press('Alt+2');
  await expect(screen(page)).toHaveAttribute('data-screen', 'queries');
  await page.goBack();
  await expect(screen(page)).toHaveAttribute('data-screen', 'query');
  await page.goForward();
  await expect(screen(page)).toHaveAttribute('data-screen', 'queries');

  const tabs = (window: Page) => window.getByRole('navigation', { name: 'Tabs' }).getByRole('tab');
  const count = await tabs(page).count();
  expect(count).toBeGreaterThan(1);
  const other = await page.context().newPage();
  await other.goto(host.url);
  await screen(other).first().waitFor();
  await other.keyboard.press('Alt+4');
  await expect(screen(other)).not.toHaveAttribute('data-screen', /home|queries/);
  // Ctrl A selects rows of a grid and nothing else.
  await other.keyboard.press('Alt+1');
  await expect(screen(other)).toHaveAttribute('data-screen', 'home');
  await other.keyboard.press('Control+a');
  expect(await other.evaluate(() => String(getSelection()))).toBe('');
  await expect(tabs(page)).toHaveCount(count);
  await expect(screen(page)).toHaveAttribute('data-screen', 'queries');
  await page.reload();
  await expect(screen(page)).toHaveAttribute('data-screen', 'queries');
  await expect(tabs(page)).toHaveCount(count);
  await other.close();
});
