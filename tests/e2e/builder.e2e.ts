/** Building a query by keyboard, as JSON and with thousands of values; refusals of the service. */
import type { Page } from '@playwright/test';
import { expect } from './fixtures.ts';
import { screen } from './on-screen.ts';
import { test } from './one-window.ts';

/** The tab in front; others stay mounted behind it. */
const rows = (page: Page) => screen(page).locator('.ag-row');
const builder = (page: Page) => screen(page).locator('.pp-qb');
const conditions = (page: Page) => builder(page).locator('.pp-qb-row');
const words = (page: Page) => screen(page).locator('.pp-words-text');
const count = (page: Page) => screen(page).locator('.pp-words-count [data-count]');

async function newQuery(page: Page): Promise<void> {
  await page.keyboard.press('Alt+n');
  await builder(page).waitFor();
}

/** Adds a condition to the focused group and chooses its field, by keyboard. */
async function addByKeys(page: Page, field: string, key = 'Alt+c'): Promise<void> {
  const before = await conditions(page).count();
  await page.keyboard.press(key);
  await expect(conditions(page)).toHaveCount(before + 1);
  await expect(page.getByPlaceholder('Search fields')).toBeFocused();
  await page.keyboard.type(field);
  await page.keyboard.press('Enter');
  await expect(page.getByPlaceholder('Search fields')).toBeHidden();
  // The value takes the focus in the next frame.
  await expect(conditions(page).locator('input:focus, select:focus')).toBeVisible();
}

test('[spec 2] three conditions in two groups, a run and the first hit take fewer than 80 keys', async ({
  page,
}) => {
  let keys = 0;
  const press = (...chords: string[]) =>
    chords.reduce(async (before, chord) => {
      await before;
      keys += 1;
      await page.keyboard.press(chord);
    }, Promise.resolve());
  const type = (text: string) => press(...text);
  const add = async (chord: string, field: string) => {
    const before = await conditions(page).count();
    await press(chord);
    await expect(conditions(page)).toHaveCount(before + 1);
    await expect(page.getByPlaceholder('Search fields')).toBeFocused();
    await type(field);
    await press('Enter');
    await expect(page.getByPlaceholder('Search fields')).toBeHidden();
    await expect(conditions(page).locator('input:focus, select:focus')).toBeVisible();
  };
  await press('Alt+n');
  await builder(page).waitFor();
  await add('Alt+c', 'received');
  await press('Control+a');
  await type('30');
  await add('Alt+g', 'subject');
  await type('invoice');
  await press('Enter');
  await add('Alt+c', 'sender do');
  await type('nordlicht.example');
  await expect(words(page)).toContainText(
    'last 30 days, where subject contains invoice, or sender domain is nordlicht.example',
  );
  await press('Control+Enter');
  await expect(screen(page).locator('.ag-cell:focus')).toBeVisible();
  await press('j', 'Enter');
  await expect(page.locator('[data-screen="email"]:visible, .pp-email:visible').first()).toBeVisible();
  // Under 20 seconds at four keys a second, which is slow typing.
  expect(keys).toBeLessThan(80);
});

test('JSON edits apply live; invalid JSON says why and changes nothing', async ({ page }) => {
  await newQuery(page);
  await screen(page).getByRole('button', { name: 'Edit as JSON' }).click();
  const raw = screen(page).getByLabel('Conditions as JSON');
  const tree = {
    operator: 'or',
    conditions: [{ field: 'subject', operator: 'contains_words', values: ['invoice'] }],
  };
  await raw.fill(JSON.stringify(tree));
  await expect(words(page)).toContainText('where subject contains invoice');
  await expect(count(page)).toBeVisible();
  await raw.fill(JSON.stringify(tree).replace('"or"', '"xor"'));
  await expect(screen(page).getByRole('alert')).toContainText('"operator" must be "and" or "or"');
  await raw.fill('{ "operator": "and", ');
  await expect(screen(page).getByRole('alert')).toContainText('line 1');
  await expect(words(page)).toContainText('where subject contains invoice');
  // A field or operator unknown to the service is kept and marked.
  const odd = {
    operator: 'and',
    conditions: [
      { field: 'gone_field', operator: 'is', values: ['x'] },
      { field: 'subject', operator: 'resembles', values: ['x'] },
      { field: 'subject', operator: 'is', values: ['a', 'b'] },
    ],
  };
  await raw.fill(JSON.stringify(odd));
  await screen(page).getByRole('button', { name: 'Edit as rows' }).click();
  await expect(conditions(page).nth(0)).toContainText('Unknown field: gone_field');
  await expect(conditions(page).nth(1)).toContainText('Unknown operator: resembles');
  await expect(conditions(page).nth(2)).toContainText('Takes at most 1 value, has 2');
  await screen(page).getByRole('button', { name: 'Edit as JSON' }).click();
  expect(JSON.parse(await raw.inputValue())).toEqual(odd);

  // A hash, time or zone that is cut off would be read as another, and several values as one.
  const whole = [
    { field: 'attachment_sha256', operator: 'is', values: ['b'.repeat(64)] },
    { field: 'received', operator: 'before', values: ['2026-11-19T13:41:07Z'] },
    { field: 'attachment_md5', operator: 'contains_any', values: ['c'.repeat(32), 'd'.repeat(32)] },
  ];
  await raw.fill(JSON.stringify({ operator: 'and', conditions: whole }));
  await screen(page).getByRole('button', { name: 'Edit as rows' }).click();
  for (const width of [1366, 1024, 683]) {
    await page.setViewportSize({ width, height: 768 });
    const cut = () =>
      conditions(page).evaluateAll(
        (all) =>
          all.flatMap((row) => {
            const button = row.querySelector(':scope > .pp-icon-button')?.getBoundingClientRect();
            const parts = row.querySelectorAll<HTMLElement>(
              '.pp-qb-values :is(input, .pp-caption), .pp-qb-tags',
            );
            return [...parts].filter((part) => {
              const { right, bottom } = part.getBoundingClientRect();
              const isUnder = button !== undefined && bottom > button.top && right > button.left;
              const isLow = part.matches('.pp-qb-tags') && part.scrollHeight > part.clientHeight;
              return part.scrollWidth > part.clientWidth || isLow || isUnder;
            });
          }).length,
      );
    await expect.poll(cut).toBe(0);
  }
});

test('[promise] groups nested too deep are refused, not drawn', async ({ page }) => {
  await newQuery(page);
  await screen(page).getByRole('button', { name: 'Edit as JSON' }).click();
  const raw = screen(page).getByLabel('Conditions as JSON');
  const deep = (levels: number): object =>
    levels === 0
      ? { field: 'subject', operator: 'is', values: ['x'] }
      : { operator: 'and', conditions: [deep(levels - 1)] };
  await raw.fill(JSON.stringify(deep(200)));
  await expect(screen(page).getByRole('alert')).toContainText('32 deep at most');
  await raw.fill(JSON.stringify(deep(32)));
  await screen(page).getByRole('button', { name: 'Edit as rows' }).click();
  await expect(conditions(page)).toHaveCount(1);
});

test('[promise] ten thousand pasted values show as an editable count and draw few elements', async ({
  page,
}) => {
  await newQuery(page);
  await addByKeys(page, 'sender domain');
  await screen(page).getByLabel('Operator of Sender domain').selectOption('in_list');
  const input = conditions(page).getByLabel('Value of Sender domain');
  await input.focus();
  const column = Array.from({ length: 10_000 }, (_, i) => `d${i}.example`).join('\n');
  // values-edit.test.ts checks that the remaining work is linear in the values.
  const drawn = await input.evaluateHandle((element, text) => {
    const tally = { nodes: 0, stop: () => observer.disconnect() };
    const observer = new MutationObserver((changes) => {
      for (const node of changes.flatMap((change) => [...change.addedNodes]))
        tally.nodes += node instanceof Element ? node.querySelectorAll('*').length + 1 : 1;
    });
    observer.observe(document.body, { childList: true, subtree: true });
    const data = new DataTransfer();
    data.setData('text/plain', text);
    element.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
    );
    return tally;
  }, column);
  await expect(conditions(page)).toContainText('and 9,997 more');
  await expect.poll(() => drawn.evaluate(({ nodes }) => nodes)).toBeGreaterThan(0);
  expect(await drawn.evaluate(({ nodes }) => nodes)).toBeLessThan(500);
  await drawn.evaluate(({ stop }) => stop());
  await expect(count(page)).toBeVisible();
  await conditions(page).getByRole('button', { name: 'Edit 10,000 values as text' }).click();
  await page.getByLabel(/one per line/).fill('a.example\nb.example\na.example');
  await expect(page.getByText('2 unique')).toBeVisible();
  await page.getByRole('button', { name: 'Apply' }).click();
  await expect(words(page)).toContainText('is one of a.example or b.example');
});

test('conditions are negated, disabled and duplicated; undo reverts each step', async ({ page }) => {
  await newQuery(page);
  await addByKeys(page, 'sender domain');
  await page.keyboard.type('x.example');
  await screen(page).getByLabel('Operator of Sender domain').selectOption('is');
  const menu = conditions(page)
    .first()
    .getByRole('button', { name: /move or edit/ });
  await menu.click();
  await page.getByRole('menuitem', { name: 'Negate: is not' }).click();
  await expect(words(page)).toContainText('sender domain is not x.example');
  await menu.click();
  await page.getByRole('menuitem', { name: 'Duplicate' }).click();
  await expect(conditions(page)).toHaveCount(2);
  await menu.click();
  await page.getByRole('menuitem', { name: 'Disable' }).click();
  await words(page).click();
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+z');
  await expect(conditions(page)).toHaveCount(1);
  await page.keyboard.press('Control+z');
  await expect(words(page)).toContainText('sender domain is x.example');
});

test('a refusal is shown at its field until the field is edited', async ({ page }) => {
  await newQuery(page);
  await page.keyboard.press('Control+s');
  const name = screen(page).getByLabel('Query name');
  await expect(name).toHaveAttribute('aria-invalid', 'true');
  await expect(screen(page).locator('.pp-query-name-problem')).toContainText('Enter a name.');
  await name.fill('Refused no more');
  await name.press('Enter');
  await expect(name).toHaveAttribute('aria-invalid', 'false');
});

test('[spec 3] columns, sort and report are saved with the query', async ({ page }) => {
  await newQuery(page);
  await screen(page).getByLabel('Query name').fill('Report of a test');
  await screen(page).getByLabel('Query name').press('Enter');
  const openMenu = async (item: RegExp) => {
    await screen(page).getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  await openMenu(/Columns, sort and report/);
  const dialog = page.locator('.pp-dialog');
  const first = dialog.locator('[data-column]').first();
  const second = await dialog.locator('[data-column]').nth(1).getAttribute('data-column');
  await first.getByRole('button', { name: /down$/ }).click();
  await expect(first).toHaveAttribute('data-column', second ?? '');
  await dialog.getByLabel('Add to columns').selectOption('message_id');
  await dialog.getByLabel('Sort by').selectOption('size_bytes');
  await dialog.getByLabel('Direction').selectOption('asc');
  await dialog.getByText('Report', { exact: true }).click();
  await dialog.getByLabel('Add to report columns').selectOption('subject');
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await page.keyboard.press('Control+s');
  await expect(page.getByText('Saved “Report of a test”')).toBeVisible();
  await page.keyboard.press('Control+Enter');
  await rows(page).first().waitFor();
  await expect(
    screen(page).locator('.ag-header-cell[col-id="size"], .ag-header-cell[col-id="message_id"]').first(),
  ).toBeVisible();
  await screen(page).getByText('Report', { exact: true }).click();
  await page.keyboard.press('Control+Enter');
  await expect(screen(page).locator('.ag-header-cell[col-id="message_id"]')).toBeHidden();
  await expect(screen(page).locator('.ag-header-cell[col-id="subject"]')).toBeVisible();
});

test('[promise] a tab closed with unsaved changes can be reopened; a reload keeps the draft', async ({
  page,
}) => {
  await newQuery(page);
  await addByKeys(page, 'subject');
  await page.keyboard.type('kept');
  await page.keyboard.press('Enter');
  await expect(words(page)).toContainText('kept');
  await page.evaluate(() => window.dispatchEvent(new Event('pagehide')));
  await page.reload();
  await expect(words(page)).toContainText('kept');
  await expect(page.getByRole('tab').getByRole('img', { name: 'Unsaved changes' })).toBeVisible();
  await page.keyboard.press('Alt+w');
  await expect(page.getByText(/Closed “New query” with unsaved changes/)).toBeVisible();
  await page.getByRole('button', { name: 'Reopen' }).click();
  await expect(words(page)).toContainText('kept');
});

test('a value that is a known user shows the name beside the address', async ({ page }) => {
  await newQuery(page);
  await screen(page).getByRole('button', { name: 'Edit as JSON' }).click();
  await screen(page)
    .getByLabel('Conditions as JSON')
    .fill(
      JSON.stringify({
        operator: 'or',
        conditions: [
          { field: 'to', operator: 'is', values: ['m.okafor@aldermoor.example'] },
          {
            field: 'recipients',
            operator: 'contains_any',
            values: ['m.okafor@aldermoor.example', 'nobody@elsewhere.example'],
          },
        ],
      }),
    );
  await screen(page).getByRole('button', { name: 'Edit as rows' }).click();
  await expect(conditions(page).nth(0).locator('.pp-qb-name')).toHaveText(/Okafor/);
  const chips = conditions(page).nth(1).locator('.bp6-tag');
  await expect(chips.nth(0)).toContainText(/Okafor\s*m\.okafor@aldermoor\.example/);
  // An unknown user stays an address.
  await expect(chips.nth(1)).toHaveText('nobody@elsewhere.example');
});
