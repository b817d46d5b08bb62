/** Exceptions: the list, and new ones from scratch, from a value, a selection or a pasted column. */
import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { expect, nextFile } from './fixtures.ts';
import { rows, screen } from './on-screen.ts';
import { test } from './one-window.ts';
import { cell, openQuery } from './results-page.ts';

const value = (page: Page, row: number) =>
  screen(page).locator(`.pp-exc-screen .pp-pane-list .ag-row[row-index="${row}"] .ag-cell[col-id="value"]`);
const editor = (page: Page) => screen(page).locator('.pp-exc-editor');
const field = (page: Page, label: string) => editor(page).getByLabel(label, { exact: true });
const dialog = (page: Page) => page.getByRole('dialog');

async function openExceptions(page: Page): Promise<void> {
  await page
    .getByRole('navigation', { name: 'Sections' })
    .getByRole('button', { name: 'Exceptions' })
    .click();
  await rows(page).first().waitFor();
}

test('[spec 1] the list pages by twenty and filters by value, comment, tool, list and time', async ({
  page,
}) => {
  await openExceptions(page);
  const all = screen(page).getByRole('button', { name: /^All tools/ });
  // Other tests may have added some.
  await expect(all).toContainText(/1,2\d\d/);
  await screen(page)
    .getByRole('button', { name: /^Anti-phishing/ })
    .click();
  await expect(screen(page).getByRole('grid', { name: /^Exceptions, [67]\d\d/ })).toBeVisible();
  // Beyond the first page, by keyboard.
  await value(page, 0).click();
  for (let n = 0; n < 30; n++) await page.keyboard.press('j');
  await expect(value(page, 30)).not.toBeEmpty();

  await page.keyboard.press('/');
  await page.keyboard.insertText('do not remove');
  await expect(value(page, 0)).toHaveText('192.0.2.0/27');
  await page.getByLabel('Search values and comments').fill('');
  await screen(page).getByRole('button', { name: 'Allow', exact: true }).click();
  await expect(screen(page).locator('.ag-cell[col-id="list"]').first()).toHaveText('Allow');
  await screen(page).getByRole('button', { name: 'Allow and block' }).click();
  await screen(page).getByLabel('Added within').selectOption('7d');
  await page.getByLabel('Search values and comments').fill('nothing has this in it');
  await expect(screen(page).getByText('No matches')).toBeVisible();
  await screen(page).getByRole('button', { name: 'Clear search' }).click();
  await expect(all).toHaveAttribute('aria-pressed', 'true');
});

test('[spec 2, spec 5] a new exception is validated, previewed with its matches before it is saved, and a refusal keeps the form', async ({
  page,
}) => {
  await openQuery(page, 'Executive impersonation');
  const from = rows(page).first().locator('.ag-cell[col-id="from_email"]');
  await expect(from).toContainText('@');
  const sender = await from.textContent();
  await openExceptions(page);
  await page.keyboard.press('n');

  await field(page, 'Value').fill('@site.lure.example');
  await expect(editor(page)).toContainText('Starts with @: treated as a domain.');
  await field(page, 'And attachment hash (optional)').fill('f'.repeat(63));
  await expect(editor(page)).toContainText('(invalidMd5)');
  await expect(editor(page)).toContainText('1 field needs fixing');
  await expect(editor(page).getByRole('button', { name: 'Preview and save' })).toBeDisabled();
  await field(page, 'And attachment hash (optional)').fill('D41D8CD98F00B204E9800998ECF8427E');
  await expect(editor(page)).not.toContainText('fixing');
  await field(page, 'And attachment hash (optional)').fill('');

  await field(page, 'Value').fill(sender ?? '');
  await expect(editor(page)).toContainText('(invalidDomain)');
  await editor(page).getByRole('button', { name: 'Change to From email' }).click();
  await expect(editor(page).locator('[data-matches]')).toHaveAttribute('data-matches', /^[1-9]/);
  await expect(editor(page).locator('.pp-exc-matches li').first()).toBeVisible();
  await field(page, 'Comment').fill('Seen by the walk');

  await page.keyboard.press('Control+Enter');
  await expect(dialog(page)).toContainText('From email is');
  await expect(dialog(page).getByRole('button', { name: 'Back' })).toBeFocused();
  // Not before the matches are known.
  await expect(dialog(page).getByRole('button', { name: 'Save 1 block rule' })).toBeEnabled();
  await page.keyboard.press('Control+Enter');
  await expect(dialog(page)).toBeHidden();
  await expect(value(page, 0)).toHaveText(sender ?? '');
  // Another test may have made an exception for this sender.
  await page.getByLabel('Search values and comments').fill('Seen by the walk');
  await expect(rows(page)).toHaveCount(1);

  // A duplicate: the editor warns, and the service refuses it.
  await value(page, 0).dblclick();
  await editor(page).getByRole('button', { name: 'Duplicate' }).click();
  await expect(editor(page).locator('[data-lint="duplicate"]')).toBeVisible();
  await field(page, 'Comment').fill('Once more');
  await editor(page).getByRole('button', { name: 'Preview and save' }).click();
  await dialog(page).getByRole('button', { name: 'Save 1 block rule' }).click();
  await expect(dialog(page).getByRole('alert')).toContainText('the list already');
  await dialog(page).getByRole('button', { name: 'Back' }).click();
  await expect(field(page, 'Value')).toHaveValue(sender ?? '');
  await expect(field(page, 'Comment')).toHaveValue('Once more');

  await page.keyboard.press('Alt+2');
  await page
    .getByRole('navigation', { name: 'Sections' })
    .getByRole('button', { name: 'Exceptions' })
    .click();
  await expect(field(page, 'Comment')).toHaveValue('Once more');
  await editor(page).getByRole('button', { name: 'Cancel' }).click();
});

test('[promise] an exception that is too broad or contradicts a block rule shows a warning', async ({
  page,
}) => {
  await openExceptions(page);
  await page.keyboard.press('n');
  await field(page, 'List').selectOption('Allow');
  await field(page, 'Value').fill('gmail.com');
  await expect(editor(page).locator('[data-lint="too-broad"]')).toContainText('Anyone can get an address');
  await field(page, 'Value').fill('sub.invoices-nordlicht.example');
  await expect(editor(page).locator('[data-lint="contradiction"]')).toBeVisible();
  await editor(page).locator('[data-lint="contradiction"]').getByRole('button', { name: 'Show' }).click();
  await expect(editor(page)).toContainText('INC-4468');
  await page.keyboard.press('Escape');
  await expect(field(page, 'Value')).toHaveValue('sub.invoices-nordlicht.example');
  await editor(page).getByRole('button', { name: 'Cancel' }).click();
});

test('[promise] valid rows of a pasted column are saved, the others stay with their reason', async ({
  page,
}) => {
  await openExceptions(page);
  await page.keyboard.press('p');
  const values = dialog(page).getByLabel('Values, one per line');
  await expect(values).toBeFocused();
  await values.fill(
    'one.pasted.example\nb@c.example\nno dots\ntwo[.]pasted[.]example\tseen twice\none.pasted.example',
  );
  await expect(dialog(page).locator('[data-valid]')).toHaveAttribute('data-valid', '2');
  await expect(dialog(page)).toContainText('Duplicate of line 1.');
  await dialog(page).getByRole('button', { name: 'Block 2', exact: true }).click();
  // The duplicate of a saved value leaves with it: it would be ready, and be sent again.
  await expect(values).toHaveValue('b@c.example\nno dots');
  await expect(dialog(page)).toContainText('2 exceptions saved, 2 not saved.');
  // The service refuses a value that it has.
  await values.fill('no dots\none.pasted.example');
  await dialog(page).getByRole('button', { name: 'Block 1', exact: true }).click();
  await expect(dialog(page)).toContainText('the list already');
  await expect(values).toHaveValue('no dots\none.pasted.example');

  await values.fill('');
  await values.evaluate((area) => {
    const data = new DataTransfer();
    const lines = Array.from({ length: 10_000 }, (_, n) => (n % 10 === 9 ? 'bad value' : `h${n}.example`));
    data.setData('text/plain', lines.join('\r\n'));
    area.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  });
  await expect(dialog(page).locator('[data-valid]')).toHaveAttribute('data-valid', '9000');
  await expect(dialog(page).locator('[data-valid]')).toHaveAttribute('data-wrong', '1000');
  await dialog(page).getByRole('button', { name: 'Close' }).last().click();
  await page.getByLabel('Search values and comments').fill('seen twice');
  await expect(value(page, 0)).toHaveText('two.pasted.example');
});

test('a pasted column is sent without reloading the list after each value, and is listed at the end', async ({
  page,
}) => {
  let searches = 0;
  page.on('websocket', (socket) =>
    socket.on('framesent', ({ payload }) => {
      if (payload.toString().includes('"exceptions.search2"')) searches += 1;
    }),
  );
  await page.reload();
  await openExceptions(page);
  expect(searches).toBeGreaterThan(0);
  await page.keyboard.press('p');
  const values = Array.from({ length: 60 }, (_, n) => `all${n}.pasted.example`);
  await dialog(page).getByLabel('Values, one per line').fill(values.join('\n'));
  searches = 0;
  await dialog(page).getByRole('button', { name: 'Block 60', exact: true }).click();
  await expect(dialog(page)).toBeHidden();
  await page.getByLabel('Search values and comments').fill('.pasted.example');
  await expect(screen(page).getByRole('button', { name: /^All tools/ })).toContainText(/6\d/);
  expect(searches).toBeLessThan(20);
});

test('[spec 7] a selection of results or the value of a cell starts an exception', async ({ page }) => {
  await openQuery(page, 'Executive impersonation');
  const from = cell(page, 1, 'from_email');
  await expect(from).toContainText('@');
  const sender = (await from.textContent()) ?? '';
  await from.click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Create exception' }).click();
  await expect(field(page, 'Value')).toHaveValue(sender);
  await expect(field(page, 'Type')).toContainText('From email');
  await editor(page).getByRole('button', { name: 'Cancel' }).click();

  await page
    .getByRole('tab', { name: /^Executive impersonation/ })
    .first()
    .click();
  await expect(screen(page)).toHaveAttribute('data-screen', 'query');
  await rows(page).first().waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await screen(page).getByRole('button', { name: 'Exceptions for selected rows' }).click();
  await page.getByRole('menuitem', { name: 'From values of the rows…' }).click();
  await expect(dialog(page).getByLabel('From 2 selected emails')).toHaveValue('from_email');
  await expect(dialog(page).getByLabel('Values, one per line')).toHaveValue(/@/);
  await dialog(page).getByRole('button', { name: 'Close' }).last().click();
});

test('[promise] exceptions for selected people use their addresses only', async ({ page }) => {
  await openQuery(page, 'Administrators without a second factor');
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await screen(page).getByRole('button', { name: 'Exceptions for selected rows' }).click();
  const source = dialog(page).getByLabel('From 1 selected row');
  await expect(source).toHaveValue('email');
  await expect(dialog(page).getByLabel('Values, one per line')).toHaveValue(/@/);
  await dialog(page).getByRole('button', { name: 'Close' }).last().click();
});

test('[promise] the exceptions found by a search are exported as CSV and JSON', async ({ page }) => {
  await openExceptions(page);
  await screen(page)
    .getByRole('button', { name: /^Anti-phishing/ })
    .click();
  await page.getByLabel('Search values and comments').fill('do not remove');
  // Out of about 700.
  await expect(screen(page).getByRole('grid', { name: /^Exceptions, \d{1,2}$/ })).toBeVisible();
  for (const [item, pattern] of [
    [/CSV/, /^tool,/],
    [/JSON/, /^[[{]/],
  ] as const) {
    const download = nextFile(page);
    await screen(page).getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: item }).click();
    const text = readFileSync(await (await download).path(), 'utf8');
    expect(text.replace(/^\uFEFF/, '')).toMatch(pattern);
    expect(text).toContain('Own relay, do not remove');
  }
});

test('[promise] the editor works offline, says what is unknown, and sends nothing', async ({ page }) => {
  await openExceptions(page);
  await page.getByRole('button', { name: /^Connection / }).click();
  await page.getByRole('menuitem', { name: 'Go offline' }).click();
  await page.getByRole('button', { name: /, offline$/ }).waitFor();
  await page.keyboard.press('n');
  await field(page, 'Tool').selectOption('dlp_symantec');
  await expect(editor(page)).toContainText('The types that the service supports could not be loaded');
  await field(page, 'Value').fill('d41d8cd98f00b204e9800998ecf8427e');
  await editor(page).getByRole('button', { name: 'Preview and save' }).click();
  await expect(dialog(page)).toContainText('You are offline');
  await expect(dialog(page).getByRole('button', { name: /^Save 1/ })).toBeDisabled();
  await dialog(page).getByRole('button', { name: 'Back' }).click();
  await editor(page).getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: /^Connection / }).click();
  await page.getByRole('menuitem', { name: 'Go online' }).click();
  await page.getByRole('button', { name: /, connected$/ }).waitFor();
});
