/** Rules of the analyst: imported disabled, enabled, their hits opened, disabled and deleted, by keyboard. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openFolder } from './evidence-folder.ts';
import { expect } from './fixtures.ts';
import { test } from './one-window.ts';

// It changes the connection of its host.
test.use({ ownHost: true });

const SLOW = { timeout: 30_000 };
const dir = mkdtempSync(path.join(tmpdir(), 'parapet-rules-'));
test.afterAll(() => rmSync(dir, { recursive: true, force: true }));

const FILE = {
  parapet_rules: 1,
  rules: [
    {
      kind: 'conditions',
      name: 'Invoices',
      severity: 4,
      sentence: 'The subject says Invoice',
      conditions: {
        operator: 'and',
        conditions: [{ field: 'subject', operator: 'contains_text', values: ['Invoice'] }],
      },
    },
    { kind: 'conditions', name: 'Broken', severity: 4, sentence: 'x', conditions: { operator: 'and' } },
  ],
};

test('a rule comes from a file, finds mail once enabled, and goes with its hits', async ({ page }) => {
  const folder = path.join(dir, 'mail');
  mkdirSync(folder);
  for (const [index, subject] of ['Invoice 1', 'Invoice 2', 'Lunch'].entries())
    writeFileSync(
      path.join(folder, `${index}.eml`),
      `From: ann@sender.example\r\nTo: bo@corp.example\r\nSubject: ${subject}\r\nDate: ${3 + index} Nov 2026 08:00:00 +0000\r\n\r\nHello\r\n`,
    );
  const file = path.join(dir, 'rules.json');
  writeFileSync(file, JSON.stringify(FILE));
  await openFolder(page, folder);
  const screen = page.locator('[data-front]');
  await page.keyboard.press('Alt+9');
  await expect(screen).toHaveAttribute('data-screen', 'rules');
  await expect(screen).toContainText('No rules', SLOW);
  const choosing = page.waitForEvent('filechooser', SLOW);
  await page.keyboard.press('i');
  await (await choosing).setFiles(file);
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('Its conditions are not a group of conditions.', SLOW);
  await page.keyboard.press('Control+Enter');
  const row = screen.locator('.ag-row', { hasText: 'Disabled: no hits' });
  await row.first().waitFor(SLOW);
  await page.keyboard.press('j');
  await page.keyboard.press('e');
  await expect(screen).toContainText('All mail checked', SLOW);
  await expect(screen.locator('.ag-row [col-id="hits"]')).toHaveText('2', SLOW);
  await page.keyboard.press('r');
  await page.keyboard.press('Enter');
  await expect(screen.locator('.pp-results-count')).toHaveAttribute('data-total', '2', SLOW);
  await page.keyboard.press('Alt+9');
  await page.keyboard.press('Delete');
  await expect(dialog).toContainText('2 hits in this evidence', SLOW);
  await page.keyboard.press('Control+Enter');
  await expect(screen).toContainText('No rules', SLOW);
});

test('a rule is written by keyboard, and what an edit changes is counted before it is saved', async ({
  page,
}) => {
  const folder = path.join(dir, 'written');
  mkdirSync(folder);
  for (const [index, subject] of ['Invoice 1', 'Invoice 2', 'Parcel'].entries())
    writeFileSync(
      path.join(folder, `${index}.eml`),
      `From: ann@sender.example\r\nTo: bo@corp.example\r\nSubject: ${subject}\r\nDate: ${3 + index} Nov 2026 08:00:00 +0000\r\n\r\nHello\r\n`,
    );
  await openFolder(page, folder);
  const screen = page.locator('[data-front]');
  const effect = screen.locator('[data-effect]');
  const dialog = page.getByRole('dialog');
  const value = screen.locator('.pp-qb-row input:focus');
  await page.keyboard.press('Alt+9');
  await expect(screen).toContainText('No rules', SLOW);
  await page.keyboard.press('n');
  await expect(screen.getByLabel('Name')).toBeFocused();
  // Nothing is saved before it is complete.
  await page.keyboard.press('Control+s');
  await expect(screen).toContainText('Enter a name');
  await expect(screen).toContainText('Add a condition');
  await page.keyboard.type('Invoices');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.type('The subject says Invoice');
  await page.keyboard.press('Alt+c');
  await expect(page.getByPlaceholder('Search fields')).toBeFocused();
  // The fields of a query without those that rules change.
  await page.keyboard.type('score');
  await expect(page.getByRole('option', { name: /^Score/ })).toHaveCount(0);
  await page.keyboard.press('Control+a');
  await page.keyboard.type('subject');
  await page.keyboard.press('Enter');
  await expect(value).toBeVisible();
  await page.keyboard.type('invoice');
  await page.keyboard.press('Enter');
  await expect(effect).toHaveText('Finds 2 emails.', SLOW);
  await page.keyboard.press('Control+s');
  await expect(screen).toContainText('All mail checked', SLOW);
  await expect(screen.locator('.ag-row [col-id="hits"]')).toHaveText('2', SLOW);
  // The saved rule has the focus.
  await page.keyboard.press('F2');
  await expect(screen.getByLabel('Name')).toBeFocused();
  await screen.locator('.pp-qb-row input').focus();
  await page.keyboard.type('1');
  await page.keyboard.press('Enter');
  await expect(effect).toHaveText('Finds 1 email: 0 more, 1 fewer than the saved rule.', SLOW);
  // Leaving asks, and both answers do what they say.
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await expect(dialog).toContainText('Your changes to this rule are not saved');
  await page.keyboard.press('Enter');
  await expect(dialog).toHaveCount(0);
  await expect(effect).toContainText('1 fewer');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+Enter');
  await expect(screen.locator('.ag-row [col-id="hits"]')).toHaveText('2', SLOW);
});

test('what a rule in YARA would find is counted on request, before and after it is saved', async ({
  page,
}) => {
  const folder = path.join(dir, 'yara');
  mkdirSync(folder);
  for (const [index, body] of ['one needle', 'one thread', 'nothing'].entries())
    writeFileSync(
      path.join(folder, `${index}.eml`),
      `From: ann@sender.example\r\nTo: bo@corp.example\r\nSubject: ${index}\r\nDate: ${3 + index} Nov 2026 08:00:00 +0000\r\n\r\n${body}\r\n`,
    );
  await openFolder(page, folder);
  const screen = page.locator('[data-front]');
  const effect = screen.locator('[data-effect]');
  const count = async () => {
    await screen.getByRole('button', { name: 'Count its emails' }).focus();
    await page.keyboard.press('Enter');
  };
  const yara = (word: string) => `rule r { strings: $a = "${word}" condition: $a }`;
  const row = screen.locator('.ag-row', { hasText: 'Needles' });
  await page.keyboard.press('Alt+9');
  // Rules of other tests may be there.
  await expect(screen).toContainText(/No rules|All mail checked/, SLOW);
  await page.keyboard.press('n');
  await screen.getByLabel('Kind').selectOption('yara');
  await screen.getByLabel('Name').fill('Needles');
  await screen.getByLabel('Sentence').fill('Has a needle');
  await screen.getByLabel('YARA').fill(yara('needle'));
  await expect(effect).toHaveText('Not counted yet.');
  await count();
  await expect(effect).toHaveText('Finds 1 email.', SLOW);
  await page.keyboard.press('Control+s');
  await expect(row.locator('[col-id="hits"]')).toHaveText('1', SLOW);
  // The saved rule has the focus.
  await page.keyboard.press('F2');
  await screen.getByLabel('YARA').fill(yara('one'));
  await count();
  await expect(effect).toHaveText('Finds 2 emails: 1 more, 0 fewer than the saved rule.', SLOW);
  await screen.getByLabel('YARA').fill('rule r {');
  await expect(effect).toHaveText('Not counted: its text is wrong.', SLOW);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+Enter');
});
