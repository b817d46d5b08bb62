/** Only what was shown and confirmed is sent: with fast input, a held key, a slow service, a closed window. */
import type { Locator, Page } from '@playwright/test';
import { expect, nextFile } from './fixtures.ts';
import { screen } from './on-screen.ts';
import { test } from './one-window.ts';
import { type RecordingProxy, startRecordingProxy } from './recording-proxy.ts';
import { openQuery } from './results-page.ts';
import { editElsewhere, openTenant, quarantineElsewhere, readElsewhere, restoreElsewhere } from './tenant.ts';

const SLOW = { timeout: 30_000 };
const dialog = (page: Page): Locator => page.getByRole('dialog');
const toasts = (page: Page): Locator => page.locator('[data-toasts]');

test.use({ connect: 'none' });
let proxy: RecordingProxy;
test.beforeAll(async () => {
  proxy = await startRecordingProxy(400);
});
test.afterAll(() => proxy.stop());
test.beforeEach(async ({ page, host }) => {
  test.slow();
  proxy.seen.splice(0);
  page.setDefaultTimeout(SLOW.timeout);
  await openTenant(page, host, proxy.service, 'Recorded tenant');
});

async function openExceptions(page: Page): Promise<void> {
  await page
    .getByRole('navigation', { name: 'Sections' })
    .getByRole('button', { name: 'Exceptions' })
    .click();
  await screen(page).locator('.ag-row:not(.pp-row-wait)').first().waitFor();
}
const exceptionsSent = (value: string) =>
  proxy.seen.filter((line) => line.startsWith('POST /external_sectool/exception') && line.includes(value));

/** Holds a key down, with the repeats of about a second. */
async function holdDown(page: Page, key: string, then: () => Promise<void> = async () => {}): Promise<void> {
  await page.keyboard.down(key);
  await then();
  for (let repeat = 0; repeat < 20; repeat += 1) await page.keyboard.down(key);
  await page.keyboard.up(key);
}

async function runQuery(page: Page, conditions: object[]): Promise<void> {
  await page.keyboard.press('Alt+n');
  await screen(page).getByRole('button', { name: 'Edit as JSON' }).click();
  await screen(page)
    .getByLabel('Conditions as JSON')
    .fill(JSON.stringify({ operator: 'and', conditions }));
  await screen(page).getByRole('button', { name: /^Run/ }).first().click();
  await screen(page).locator('.ag-row:not(.pp-row-wait)').nth(2).waitFor(SLOW);
}
const NOT_HELD = [
  { field: 'quarantined', operator: 'is_false', values: [] },
  { field: 'direction', operator: 'is', values: ['incoming'] },
];

/** Opens the profile of the first row; J goes to the next. */
async function openFirst(page: Page): Promise<void> {
  await expect(async () => {
    await screen(page)
      .locator('.ag-row[row-index="0"] .ag-cell[col-id="subject"]')
      .dblclick({ timeout: 5_000 });
    await expect(screen(page)).toHaveAttribute('data-screen', 'email', { timeout: 2_000 });
  }).toPass(SLOW);
  await expect(screen(page).getByRole('button', { name: 'Quarantine', exact: true })).toBeEnabled(SLOW);
}
const heading = (page: Page): Locator => screen(page).getByRole('heading', { level: 1 });

test('a paste sends the values and the rule on screen, never earlier ones', async ({ page }) => {
  await openExceptions(page);
  await page.keyboard.press('p');
  const values = dialog(page).getByLabel('Values, one per line');
  await values.fill('old-one.example\nold-two.example');
  await expect(dialog(page).locator('[data-valid]')).toHaveAttribute('data-valid', '2');
  // Ctrl Enter right after the input event, before the new text has been parsed.
  await values.evaluate((area: HTMLTextAreaElement) => {
    const set = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')?.set;
    set?.call(area, 'new-one.example');
    area.dispatchEvent(new Event('input', { bubbles: true }));
    area.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Enter', code: 'Enter', ctrlKey: true, bubbles: true }),
    );
  });
  await expect(dialog(page).locator('[data-valid]')).toHaveAttribute('data-valid', '1');
  expect(exceptionsSent('old-')).toEqual([]);
  expect(exceptionsSent('new-one')).toEqual([]);
  // Ctrl Enter right after changing the list: only the rule on screen may be sent.
  await dialog(page)
    .getByLabel('List', { exact: true })
    .evaluate((list: HTMLSelectElement) => {
      list.value = [...list.options].find(({ label }) => label === 'Allow')?.value ?? '';
      list.dispatchEvent(new Event('change', { bubbles: true }));
      list.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'Enter', code: 'Enter', ctrlKey: true, bubbles: true }),
      );
    });
  await expect(dialog(page).getByRole('button', { name: /^Allow 1/ })).toBeEnabled();
  expect(exceptionsSent('new-one')).toEqual([]);
  await page.keyboard.press('Control+Enter');
  await expect(dialog(page)).toBeHidden(SLOW);
  expect(exceptionsSent('old-')).toEqual([]);
  const sent = exceptionsSent('new-one');
  expect(sent).toHaveLength(1);
  expect(sent[0]).toContain('"type":"whitelist"');
});

test('[spec 7] exceptions that the service chooses: the dialog shows what the call carries, and that is sent', async ({
  page,
}) => {
  await runQuery(page, NOT_HELD);
  await screen(page).locator('.ag-row[row-index="0"] .ag-cell[col-id="subject"]').click();
  await page.keyboard.press('x');
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await screen(page).getByRole('button', { name: 'Exceptions for selected rows' }).click();
  await page.getByRole('menuitem', { name: 'Chosen by the service…' }).click();
  const targets = dialog(page).locator('[data-targets]');
  await expect(targets).toHaveAttribute('data-targets', '2', SLOW);
  await expect(targets.locator('.ag-row[row-id]')).toHaveCount(2);
  const ids = await targets
    .locator('.ag-row[row-id]')
    .evaluateAll((rows) => rows.map((row) => row.getAttribute('row-id')));
  for (const label of ['List', 'Type', 'Match'])
    await expect(dialog(page).getByLabel(label, { exact: true })).toHaveCount(0);
  await expect(dialog(page)).toContainText('Which list they land in, and by which value, is decided by');
  await dialog(page).getByLabel('Tool').selectOption({ label: 'Anti-phishing' });
  await dialog(page).getByLabel('Reason (logged)').fill('False alarms');
  const sent = () => proxy.seen.filter((line) => /^POST \/(external_)?sectool/.test(line));
  expect(sent()).toEqual([]);
  await dialog(page).getByRole('button', { name: 'Create exceptions for 2 emails' }).click();
  await expect(dialog(page)).toContainText('2 done', SLOW);
  expect(sent()).toHaveLength(1);
  const [line = ''] = sent();
  expect(line).toMatch(/^POST \/sectool_exception /);
  const { files, ...others } = JSON.parse(line.slice(line.indexOf('{')));
  expect(others).toEqual({});
  expect(
    files.toSorted((a: { entity_id: string }, b: { entity_id: string }) =>
      a.entity_id < b.entity_id ? -1 : 1,
    ),
  ).toEqual(ids.toSorted().map((entity_id) => ({ entity_type: 'email', entity_id, sec_type: 'ap_guard' })));
  await dialog(page).getByRole('button', { name: 'Close' }).last().click();
});

test('a rule made from an email is sent with all that its form shows', async ({ page }) => {
  await runQuery(page, NOT_HELD);
  await openFirst(page);
  await page.keyboard.press('Shift+B');
  const form = screen(page).locator('.pp-exc-editor');
  await expect(form).toContainText('Taken from this email');
  const value = await form.getByLabel('Value', { exact: true }).inputValue();
  await form.getByLabel('Comment', { exact: true }).fill('INC-7');
  await form.getByRole('button', { name: 'Preview and save' }).click();
  await dialog(page).getByRole('button', { name: 'Save 1 block rule' }).click();
  await expect(dialog(page)).toBeHidden(SLOW);
  const sent = proxy.seen.filter((line) => /^POST \/(external_)?sectool/.test(line));
  expect(sent).toHaveLength(1);
  const [line = ''] = sent;
  expect(line).toMatch(/^POST \/external_sectool\/exception /);
  expect(JSON.parse(line.slice(line.indexOf('{')))).toEqual({
    sec_type: 'ap_guard',
    exception: {
      type: 'blacklist',
      string: value,
      payload: { field: 'from_email', matching: 'exact' },
      comment: 'INC-7',
      is_exclusive: false,
    },
  });
});

test('operations on selected queries leave after confirmation, for exactly those shown, and can be undone', async ({
  page,
}) => {
  await page.keyboard.press('Alt+2');
  await screen(page).locator('.ag-row').first().waitFor(SLOW);
  const cell = (row: number) => screen(page).locator(`.ag-row[row-index="${row}"] .ag-cell[col-id="name"]`);
  const scheduled = await editElsewhere(proxy.service, await cell(0).innerText(), {
    status: 'running',
    scheduledExport: {
      emails: ['partner@abroad.example'],
      format: 'csv',
      frequency: 'weekly',
      day: 1,
      time: '07:30',
    },
  });
  await editElsewhere(proxy.service, await cell(1).innerText(), { scheduledExport: null });
  await cell(0).click();
  await page.keyboard.press('x');
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  const sent = () => proxy.seen.filter((line) => line.startsWith('PUT /policies/'));
  await screen(page).getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Remove schedule of 2 queries…' }).click();
  await expect(dialog(page).locator('[data-targets]')).toHaveAttribute('data-targets', '1', SLOW);
  await expect(dialog(page)).toContainText('partner@abroad.example');
  await expect(dialog(page)).toContainText('1 of the 2 selected is left out: not scheduled already.');
  expect(sent()).toEqual([]);
  await page.keyboard.press('Control+Enter');
  await expect(dialog(page)).toContainText('Enter a reason (logged).');
  expect(sent()).toEqual([]);
  await dialog(page).getByLabel('Reason (logged)').fill('Partner left');
  await dialog(page).getByRole('button', { name: 'Remove schedule of 1 query' }).click();
  await expect(dialog(page)).toContainText('1 done', SLOW);
  const before = dialog(page).locator('.ag-row .ag-cell[col-id="before"]');
  await expect(before).toContainText('Every Monday at 07:30');
  await expect(before).toBeInViewport();
  expect(sent().map((line) => JSON.parse(line.slice(line.indexOf('{'))))).toEqual([
    { operator: 'unschedule', policies_ids: [scheduled] },
  ]);
  expect(await readElsewhere(proxy.service, scheduled)).toMatchObject({ scheduledExport: null });
  // Pressed twice, it is sent once, and the second press reaches neither the list nor another button.
  proxy.seen.splice(0);
  await dialog(page).getByRole('button', { name: 'Undo' }).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await expect
    .poll(() => readElsewhere(proxy.service, scheduled), SLOW)
    .toMatchObject({
      scheduledExport: { emails: ['partner@abroad.example'], frequency: 'weekly', day: 1, time: '07:30' },
    });
  await expect(dialog(page).getByRole('button', { name: 'Undo sent' })).toBeFocused();
  expect(proxy.seen.filter((line) => line.startsWith(`PUT /query/${scheduled}`))).toHaveLength(1);
});

test('a held key confirms no dialog and types into no field of it', async ({ page }) => {
  await openExceptions(page);
  await page.keyboard.press('n');
  await screen(page).getByLabel('Value', { exact: true }).fill('held-key.example');
  await expect(screen(page).getByRole('button', { name: 'Preview and save' })).toBeEnabled();
  await page.keyboard.down('Control');
  await holdDown(page, 'Enter', async () => {
    await expect(dialog(page).getByRole('button', { name: /^Save 1/ })).toBeEnabled(SLOW);
  });
  await page.keyboard.up('Control');
  await expect(dialog(page)).toBeVisible();
  expect(exceptionsSent('held-key')).toEqual([]);
  // A key pressed inside the dialog confirms it.
  await page.keyboard.press('Control+Enter');
  await expect(dialog(page)).toBeHidden(SLOW);
  expect(exceptionsSent('held-key')).toHaveLength(1);

  await runQuery(page, NOT_HELD);
  await openFirst(page);
  await holdDown(page, 'a', () => expect(dialog(page)).toBeVisible());
  await expect(dialog(page).getByLabel('Reason')).toHaveValue('');
  await dialog(page).getByLabel('Reason').fill('Never sent');
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toBeHidden();
  // Enter held on Quarantine opens the dialog once; its repeats and its release close nothing.
  await screen(page).getByRole('button', { name: 'Quarantine', exact: true }).focus();
  await holdDown(page, 'Enter');
  await expect(dialog(page)).toBeVisible();
  expect(proxy.seen.filter((line) => line.startsWith('POST /manual_actions'))).toEqual([]);
});

test('holding J moves through the rows', async ({ page }) => {
  await runQuery(page, NOT_HELD);
  await screen(page).locator('.ag-row[row-index="0"] .ag-cell[col-id="subject"]').click();
  await holdDown(page, 'j');
  await expect(
    screen(page).locator('.ag-row.ag-row-focus, .ag-row:has(.ag-cell-focus)').first(),
  ).not.toHaveAttribute('row-index', '0');
});

test('a late response for one mail neither changes nor closes the dialog of the next', async ({ page }) => {
  await runQuery(page, NOT_HELD);
  await openFirst(page);
  const first = await heading(page).innerText();
  const held = proxy.hold(/^POST \/manual_actions/);
  await page.keyboard.press('a');
  await dialog(page).getByLabel('Reason').fill('Reason of the first');
  await page.keyboard.press('Control+Enter');
  await expect.poll(held.waiting).toBe(1);
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toBeHidden();
  // While the request is in flight, the action is disabled for this email.
  await expect(screen(page).getByRole('button', { name: 'Quarantine', exact: true })).toBeDisabled();
  await page.keyboard.press('j');
  await expect(heading(page)).not.toHaveText(first);
  await expect(screen(page).getByRole('button', { name: 'Quarantine', exact: true })).toBeEnabled(SLOW);
  await page.keyboard.press('a');
  await expect(dialog(page).getByLabel('Reason')).toHaveValue('');
  await dialog(page).getByLabel('Reason').fill('Reason of the second');
  await expect(dialog(page).getByRole('button', { name: 'Quarantine 1 email' })).toBeEnabled();
  await expect(dialog(page).locator('.bp6-spinner')).toHaveCount(0);
  held.release();
  await expect(toasts(page)).toContainText(first, SLOW);
  await expect(dialog(page).getByLabel('Reason')).toHaveValue('Reason of the second');

  // A failure names its own email, whichever email is open by then.
  const second = await heading(page).innerText();
  const again = proxy.hold(/^POST \/manual_actions/);
  const refused = proxy.refuse(/^POST \/manual_actions/, 403);
  await page.keyboard.press('Control+Enter');
  await expect.poll(again.waiting).toBe(1);
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await expect(heading(page)).not.toHaveText(second);
  await expect(screen(page).getByRole('button', { name: 'Quarantine', exact: true })).toBeEnabled(SLOW);
  await page.keyboard.press('a');
  await expect(dialog(page)).toBeVisible();
  again.release();
  await expect(toasts(page).getByText(/^Not done: quarantine/)).toBeVisible(SLOW);
  await expect(toasts(page)).toContainText(second);
  await expect(dialog(page).getByRole('alert')).toHaveCount(0);
  refused();
});

test('a selection of all rows keeps exactly these rows when the query runs again', async ({ page }) => {
  await runQuery(page, NOT_HELD);
  await expect(screen(page).getByText('Complete')).toBeVisible({ timeout: 60_000 });
  const first = await screen(page).locator('.ag-row[row-index="0"]').getAttribute('row-id');
  const total = Number(await screen(page).locator('.pp-results-count').getAttribute('data-total'));
  await screen(page).locator('.ag-header .pp-check').click();
  const selected = screen(page).locator('.pp-results-selected');
  await expect(selected).toHaveText(`${total.toLocaleString('en')} selected`);
  // A row that stops matching leaves the selection, and does not return to it when it matches again.
  await quarantineElsewhere(proxy.service, [first ?? '']);
  await screen(page).locator('.pp-results-age').click();
  await expect(screen(page).locator('.pp-results-count')).toHaveAttribute(
    'data-total',
    String(total - 1),
    SLOW,
  );
  await expect(selected).toHaveText(`${(total - 1).toLocaleString('en')} selected`, SLOW);
  await restoreElsewhere(proxy.service, [first ?? '']);
  await screen(page).locator('.pp-results-age').click();
  await expect(screen(page).locator('.pp-results-count')).toHaveAttribute('data-total', String(total), SLOW);
  await expect(selected).toHaveText(`${(total - 1).toLocaleString('en')} selected`, SLOW);
});

test('a confirmed action, response or delete is sent although the window reloads', async ({ page }) => {
  await runQuery(page, NOT_HELD);
  const posts = (text: string) =>
    proxy.seen.filter((line) => /^(POST|DELETE)/.test(line) && line.includes(text));
  await screen(page).locator('.ag-row[row-index="0"] .ag-cell[col-id="subject"]').click();
  await page.keyboard.press('a');
  await page.getByRole('menuitem', { name: 'Quarantine…' }).click();
  await dialog(page).locator('[data-targets]').waitFor(SLOW);
  await dialog(page).getByLabel('Reason (logged)').fill('Window gone');
  // A request of the dialog, if it makes one, gets no response before the reload.
  const config = proxy.hold(/^GET \/query\/config/);
  await page.keyboard.press('Control+Enter');
  await page.reload();
  config.release();
  await expect.poll(() => posts('Window gone').length, SLOW).toBe(1);

  await screen(page).waitFor();
  await runQuery(page, NOT_HELD);
  await openFirst(page);
  const held = proxy.hold(/^POST \/manual_actions/);
  await page.keyboard.press('a');
  await dialog(page).getByLabel('Reason').fill('Answer never seen');
  await page.keyboard.press('Control+Enter');
  await expect.poll(held.waiting).toBe(1);
  await page.reload();
  held.release();
  await screen(page).waitFor();
  await page.getByRole('button', { name: 'Activity' }).first().click();
  const journal = screen(page).getByLabel('Journal', { exact: true });
  await journal.getByLabel('Search the journal').fill('Answer never seen');
  await expect(journal.locator('.ag-row')).toHaveCount(1, SLOW);
  await expect(journal.locator('.ag-row')).toContainText('Done');

  await page.keyboard.press('Alt+2');
  await screen(page).locator('.ag-row').first().waitFor(SLOW);
  await screen(page).locator('.ag-row[row-index="0"] .ag-cell[col-id="name"]').click();
  await page.keyboard.press('Delete');
  await dialog(page).getByRole('button', { name: 'Delete 1 query' }).click();
  await expect(toasts(page)).toContainText('Deleting');
  await page.reload();
  await expect
    .poll(() => proxy.seen.filter((line) => line.startsWith('DELETE /query/')).length, SLOW)
    .toBe(1);
});

test('a paste is sent completely although the window reloads halfway', async ({ page }) => {
  await openExceptions(page);
  await page.keyboard.press('p');
  const values = Array.from({ length: 30 }, (_, n) => `anew${n}.example`);
  await dialog(page).getByLabel('Values, one per line').fill(values.join('\n'));
  await expect(dialog(page).locator('[data-valid]')).toHaveAttribute('data-valid', '30');
  const held = proxy.hold(/^POST \/external_sectool\/exception/);
  await page.keyboard.press('Control+Enter');
  await expect.poll(held.waiting, SLOW).toBe(4);
  await expect(dialog(page)).toContainText('0 of 30');
  await page.reload();
  held.release();
  await expect.poll(() => exceptionsSent('anew').length, SLOW).toBe(30);
  await screen(page).waitFor();
  await page.getByRole('button', { name: 'Activity' }).first().click();
  const journal = screen(page).getByLabel('Journal', { exact: true });
  await journal.getByLabel('Search the journal').fill('anew29.example');
  await expect(journal.locator('.ag-row')).toHaveCount(1, SLOW);
  await expect(journal.locator('.ag-row')).toContainText('Added 30 block exceptions');
  await expect(journal.locator('.ag-row')).toContainText('Done');
});

test('a save that conflicts with another analyst’s edit shows both versions and asks', async ({ page }) => {
  await page.keyboard.press('Alt+2');
  await screen(page).locator('.ag-row').first().waitFor(SLOW);
  await page.getByLabel('Search queries').fill('Senders failing DMARC');
  await expect(page.locator('[data-preview] h2')).toContainText('Senders failing DMARC');
  await screen(page).locator('.ag-row[row-index="0"] .ag-cell[col-id="name"]').click();
  await page.keyboard.press('F2');
  const details = dialog(page).filter({ hasText: 'Name and details' });
  await details.getByLabel('Name', { exact: true }).fill('Renamed here');
  const id = await editElsewhere(proxy.service, 'Senders failing DMARC', {
    description: 'Written by a colleague',
  });
  await page.keyboard.press('Control+Enter');
  const conflict = page.getByRole('dialog', { name: 'This query was changed by someone else' });
  await expect(conflict).toContainText('Written by a colleague');
  await expect(conflict).toContainText('Renamed here');
  expect(
    proxy.seen.filter((line) => line.startsWith('PUT /query/') && line.includes('Renamed here')),
  ).toEqual([]);
  await conflict.getByRole('button', { name: 'Save my changes' }).click();
  await expect(dialog(page)).toHaveCount(0, SLOW);
  expect(await readElsewhere(proxy.service, id)).toMatchObject({
    name: 'Renamed here',
    description: 'Written by a colleague',
  });
});

test('text typed during a save is kept and marked as unsaved', async ({ page }) => {
  await page.keyboard.press('Alt+2');
  await screen(page).locator('.ag-row').first().waitFor(SLOW);
  await page.getByLabel('Search queries').fill('Executive impersonation');
  await expect(page.locator('[data-preview] h2')).toContainText('Executive impersonation');
  await screen(page).locator('.ag-row[row-index="0"] .ag-cell[col-id="name"]').click();
  await page.keyboard.press('F2');
  const text = dialog(page).getByLabel('Description');
  await text.fill('First');
  const held = proxy.hold(/^PUT \/query\//);
  await page.keyboard.press('Control+Enter');
  await expect.poll(held.waiting).toBe(1);
  await text.fill('First, and more');
  held.release();
  await expect(dialog(page)).toContainText('Changes made since then are not saved yet.', SLOW);
  await expect(text).toHaveValue('First, and more');
  await page.keyboard.press('Control+Enter');
  await expect(dialog(page)).toHaveCount(0, SLOW);
  expect(proxy.seen.some((line) => line.startsWith('PUT') && line.includes('First, and more'))).toBe(true);
});

test('an export asks the service for nothing, and a download only whether there is a file, until it is saved', async ({
  page,
}) => {
  await page.keyboard.press('Alt+2');
  await openQuery(page, 'Risky file types in the drives');
  await expect(screen(page).getByText('Complete')).toBeVisible({ timeout: 60_000 });
  proxy.seen.splice(0);
  await page.keyboard.press('Shift+E');
  const exported = nextFile(page);
  await dialog(page)
    .getByRole('button', { name: /^Export [\d,]+ row/ })
    .click();
  await exported;
  await expect(dialog(page)).toHaveCount(0, SLOW);
  expect(proxy.seen).toEqual([]);

  const row = screen(page).locator('.ag-row[row-index="0"]');
  const id = (await row.getAttribute('row-id')) ?? '';
  await row.locator('.ag-cell[col-id="title"]').dblclick();
  await expect(screen(page).getByRole('button', { name: 'Download' })).toBeEnabled(SLOW);
  proxy.seen.splice(0);
  await page.keyboard.press('d');
  await expect(dialog(page)).toContainText(/Save as zip…|is not available now/, SLOW);
  // Before a password is given, the service is only asked whether there is a file.
  await expect
    .poll(() => proxy.seen.filter((line) => line.includes('sec_match_file')))
    .toContain(`GET /sec_match_file/file/${id}?test_only=true `);
  expect(proxy.seen.filter((line) => !line.startsWith('GET '))).toEqual([]);
  expect(
    proxy.seen.filter((line) => /sec_match_file|download/.test(line) && !line.includes('test_only')),
  ).toEqual([]);
});
