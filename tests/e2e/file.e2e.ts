/** The profile of a file, and the parts shared with emails: stack, permissions, events, findings, links, download. */
import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { Uint8ArrayReader, Uint8ArrayWriter, ZipReader } from '@zip.js/zip.js';
import { expect, nextFile } from './fixtures.ts';
import { fact, panel, screen } from './on-screen.ts';
import { test } from './one-window.ts';
import { cell, openQuery } from './results-page.ts';

const SLOW = { timeout: 30_000 };
/** The service creates its tenant first, which is slow on a busy machine. */
const START = { timeout: 90_000 };

const part = (page: Page, name: string) => screen(page).getByRole('tab', { name: new RegExp(`^${name}`) });

/** Opens the library query with this name; it runs automatically. */
async function runQuery(page: Page, name: string): Promise<void> {
  await expect(page.getByRole('button', { name: /, connected$/ })).toBeVisible(START);
  await openQuery(page, name);
}

/** Opens the file of a row and returns its title. */
async function openFile(page: Page, verdict?: RegExp, place = 0): Promise<string> {
  const rows = screen(page).locator('.ag-row');
  const row = (
    verdict ? rows.filter({ hasText: verdict }) : rows.filter({ has: page.locator('[col-id="title"]') })
  ).nth(place);
  const cell = row.locator('.ag-cell[col-id="title"]');
  // The cells of a row are empty while it loads or is redrawn.
  let title = '';
  await expect
    .poll(async () => {
      title = (await cell.innerText()).trim();
      return title;
    })
    .not.toBe('');
  await cell.dblclick();
  await expect(screen(page)).toHaveAttribute('data-screen', 'file');
  await expect(screen(page).getByRole('heading', { level: 1 })).toHaveText(title);
  // A tab that was already open shows the part it was at.
  await part(page, 'Overview').click();
  return title;
}

test('[spec 2, spec 3, spec 7] the profile of a matched file shows its facts, the result of every tool, permissions and events', async ({
  page,
}) => {
  test.slow();
  await runQuery(page, 'Αναφορά ύποπτων συνημμένων');
  const title = await openFile(page, /Found/);
  await expect(screen(page).locator('.en-verdict')).toContainText('Found: malware');
  await expect(screen(page).locator('.en-verdict')).toContainText(/\d of \d tools found it[.,]/);
  await expect(fact(page, 'Title')).toHaveText(title);
  await expect(fact(page, 'Path')).toContainText(title);
  for (const label of [
    'Size',
    'Type',
    'Quarantine',
    'Vault',
    'Deleted',
    'Shared externally',
    'Shared publicly',
  ])
    await expect(fact(page, label)).not.toHaveText('Not recorded');
  await expect(fact(page, 'MD5')).toContainText(/^[0-9a-f]{32}/);
  await expect(fact(page, 'SHA-1')).toContainText(/^[0-9a-f]{40}/);
  await expect(fact(page, 'SHA-256')).toContainText(/^[0-9a-f]{64}/);

  await part(page, 'Security stack').click();
  const stack = panel(page, 'Security stack');
  const sandbox = stack.locator('[data-tool="checkpoint_te"]');
  await expect(sandbox).toHaveAttribute('data-verdict', 'found');
  await expect(sandbox).toContainText('Sandbox');
  await expect(sandbox).toContainText('malw');
  await expect(sandbox).toContainText('Behaviour');
  await expect(sandbox).toContainText('No exception');
  await expect(stack).toContainText('13 not applicable');
  // White label: no vendor names, although the ids have them.
  await expect(stack).not.toContainText(/check ?point|lastline|symantec/i);

  await part(page, 'Permissions').click();
  const people = panel(page, 'Permissions');
  await expect(people.getByRole('columnheader')).toHaveText([
    'User',
    'User ID',
    'Roles',
    'View',
    'Download',
    'Edit',
    'Delete',
    'Preview',
    'Upload',
    'Invite',
    'Share',
  ]);
  await expect(people.locator('tbody tr').first()).toContainText('owner');
  const pager = people.getByRole('navigation', { name: 'Permission pages' });
  await expect(pager).toContainText(/1–20 of \d+/);
  await expect(people.locator('tbody tr')).toHaveCount(20);
  await pager.getByRole('button', { name: 'Next 20' }).click();
  await expect(pager).toContainText(/21–/);
  await expect(people.locator('tbody tr').first()).not.toContainText('owner');

  await part(page, 'Events').click();
  const events = panel(page, 'Events');
  const first = events.locator('.ag-row[row-index="0"]').filter({ has: page.locator('[col-id="type"]') });
  await expect(first).toContainText('Re-evaluated');
  await expect(first).toContainText('Verdict changed from Clean to Found');
  await events.getByRole('button', { name: /^Event types/ }).click();
  await page.getByRole('option', { name: /^Re-evaluated/ }).click();
  await page.keyboard.press('Escape');
  const shown = events.locator('.ag-cell[col-id="re-evaluated"]');
  // The rows of before may still be there.
  await expect
    .poll(async () => [...new Set((await shown.allInnerTexts()).map((text) => text.trim()))])
    .toEqual(['Re-evaluated']);

  await part(page, 'Findings').click();
  await expect(panel(page, 'Findings')).toContainText('Malware in drives, not quarantined');
  await expect(panel(page, 'Findings')).toContainText('hxxps://admin[.]aldermoor[.]example');
});

test('[spec 3] a file that anyone can open says so', async ({ page }) => {
  test.slow();
  await runQuery(page, 'Files made public this week');
  await openFile(page);
  await expect(screen(page).locator('.en-verdict')).toContainText('Anyone with the link can open it.');
  await expect(fact(page, 'Shared publicly')).toHaveText('Yes');
  await expect(panel(page, 'Permissions')).toContainText('Anyone with the link');
  await part(page, 'Findings').click();
  await expect(panel(page, 'Findings')).toContainText('Files that anyone with the link can open');
});

test('a matched file downloads as an encrypted zip under a safe name, with its hash', async ({ page }) => {
  test.slow();
  await runQuery(page, 'Αναφορά ύποπτων συνημμένων');
  const title = await openFile(page, /Found/);
  await expect(fact(page, 'SHA-256')).toContainText(/[0-9a-f]{64}/);
  const hash = /[0-9a-f]{64}/.exec(await fact(page, 'SHA-256').innerText())?.[0];
  await page.keyboard.press('d');
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('it may be malware');
  await dialog.getByRole('textbox', { name: 'Password' }).fill('an analyst’s own');
  const download = nextFile(page);
  await dialog.getByRole('button', { name: 'Save as zip…' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe(`${title}.zip`);
  await expect(dialog).toContainText('The SHA-256 matches the one the service reported.');
  await expect(dialog).toContainText(hash ?? 'a hash');
  const zip = new ZipReader(new Uint8ArrayReader(readFileSync(await file.path())), {
    password: 'an analyst’s own',
  });
  const [entry] = await zip.getEntries();
  expect([entry?.filename, entry?.encrypted]).toEqual([title, true]);
  const bytes = entry && !entry.directory ? await entry.getData(new Uint8ArrayWriter()) : new Uint8Array();
  expect(new TextDecoder().decode(bytes.subarray(0, 40))).toContain('Demo tenant');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
});

test('[spec 3, spec 8, spec 9] an unavailable file says so after three tries', async ({ page }) => {
  test.slow();
  await runQuery(page, 'Deleted files, shared outside before');
  await openFile(page);
  await expect(screen(page).locator('.en-verdict')).toContainText('Deleted: no longer accessible');
  await expect(fact(page, 'Deleted')).toHaveText('Yes');
  // A deleted file has no actions, and the button says why.
  const quarantine = screen(page).getByRole('button', { name: 'Quarantine' });
  await expect(quarantine).toBeDisabled();
  await expect(quarantine).toHaveAttribute('title', 'The file is deleted.');
  await screen(page).getByRole('button', { name: 'Download' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('The file is not available now. The service was asked 3 times.');
  await expect(dialog).toContainText('No tool matched this file');
  await expect(dialog.getByRole('button', { name: 'Try again' })).toBeVisible();
  await expect(dialog.getByRole('button', { name: /^Save/ })).toHaveCount(0);
});

test('[spec 3] quarantine, rescan and restore update the profile', async ({ page }) => {
  test.slow();
  await runQuery(page, 'Αναφορά ύποπτων συνημμένων');
  await openFile(page, /Suspicious/, 1);
  const actions = screen(page).locator('.pp-page-header-actions');
  await actions.getByRole('button', { name: 'Quarantine' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('Under investigation');
  await dialog.getByRole('button', { name: 'Quarantine 1 file' }).click();
  await expect(dialog).toBeHidden();
  await expect(screen(page).locator('.en-verdict')).toContainText('In quarantine.');
  await expect(fact(page, 'Quarantine')).toContainText('“Under investigation”');
  const timeline = panel(page, 'Timeline');
  await expect(timeline.locator('[data-kind="quarantine"]').first()).toContainText('Quarantined');
  await timeline.getByRole('button', { name: /^Event types/ }).click();
  await page.getByRole('option', { name: /^Quarantined/ }).click();
  await page.keyboard.press('Escape');
  await expect(timeline.locator('.en-event')).toHaveCount(1);

  await part(page, 'Security stack').click();
  await actions.getByRole('button', { name: 'Rescan' }).click();
  await dialog.getByRole('button', { name: 'Rescan 1 file' }).click();
  const rescanning = panel(page, 'Security stack').getByText('rescanning');
  await expect(rescanning.first()).toBeVisible();
  // The sandbox takes up to twelve seconds.
  await expect(rescanning).toHaveCount(0, SLOW);

  await actions.getByRole('button', { name: 'Restore' }).click();
  await dialog.getByLabel('Reason').fill('It is ours');
  await dialog.getByRole('button', { name: 'Restore 1 file' }).click();
  await expect(actions.getByRole('button', { name: 'Quarantine' })).toBeEnabled();
});

test('[promise] J and K move through files in one tab; the part survives a reload; saved files are readable offline', async ({
  page,
}) => {
  test.setTimeout(240_000);
  await runQuery(page, 'Files made public this week');
  const first = await openFile(page);
  const status = page.locator('.pp-status-bar');
  const tabs = await page.locator('.pp-tab').count();
  await part(page, 'Permissions').click();
  await page.keyboard.press('j');
  await expect(status).toContainText('File 2 of', SLOW);
  await expect(screen(page).getByRole('heading', { level: 1 })).not.toHaveText(first);
  await expect(part(page, 'Permissions')).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('k');
  await expect(status).toContainText('File 1 of', SLOW);
  await page.keyboard.press('Alt+ArrowLeft');
  await expect(status).toContainText('File 2 of', SLOW);
  await page.keyboard.press('Alt+ArrowRight');
  await expect(screen(page).getByRole('heading', { level: 1 })).toHaveText(first);
  await expect(page.locator('.pp-tab')).toHaveCount(tabs);

  await screen(page).getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: /^Make \d+ available offline/ }).click();
  await expect(screen(page).locator('.en-kept')).toBeVisible(START);
  await page.reload();
  await expect(screen(page)).toHaveAttribute('data-screen', 'file', START);
  await expect(part(page, 'Permissions')).toHaveAttribute('aria-selected', 'true');
  await expect(screen(page).locator('.en-kept')).toBeVisible(SLOW);
  await page.getByRole('button', { name: /^Connection / }).click();
  await page.getByRole('menuitem', { name: 'Go offline' }).click();
  await expect(page.getByRole('button', { name: /, offline$/ })).toBeVisible(SLOW);
  for (const name of ['Overview', 'Security stack', 'Permissions', 'Events', 'Findings']) {
    await part(page, name).click();
    await expect(screen(page).getByText('could not be loaded')).toHaveCount(0);
  }
  await page.getByRole('button', { name: /^Connection / }).click();
  await page.getByRole('menuitem', { name: 'Go online' }).click();
  await expect(page.getByRole('button', { name: /, connected$/ })).toBeVisible(SLOW);
});

test('[spec 3] the hash of a file leads to a query over files', async ({ page }) => {
  test.slow();
  await runQuery(page, 'Deleted files, shared outside before');
  const title = await openFile(page);
  await fact(page, 'SHA-256').getByRole('button', { name: 'Files' }).click();
  await expect(screen(page)).toHaveAttribute('data-screen', 'query');
  await screen(page).getByRole('button', { name: /^Run/ }).first().click();
  await expect(screen(page).locator('.pp-results-count')).toHaveAttribute('data-total', '1');
  await expect(screen(page).locator('.ag-cell[col-id="title"]')).toHaveText(title);
});

test('[spec 7] a hundred thousand debug links render only the visible rows, and can be searched', async ({
  page,
}) => {
  test.slow();
  await expect(page.getByRole('button', { name: /, connected$/ })).toBeVisible(START);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('Catalogue of spare parts');
  await page
    .getByRole('option', { name: /Catalogue of spare parts/ })
    .first()
    .click();
  await expect(screen(page).getByLabel('Query name')).toHaveValue(/Catalogue of spare parts/);
  await screen(page).getByRole('button', { name: /^Run/ }).first().click();
  await cell(page, 0, 'subject').dblclick();
  await expect(screen(page)).toHaveAttribute('data-screen', 'email');
  await part(page, 'Debug links').click();
  const table = screen(page).getByRole('region', { name: 'Debug links' }).locator('.pp-virtual-table');
  await expect(table).toHaveAttribute('data-rows', '100000');
  expect(await table.locator('.bp6-table-quadrant-main .bp6-table-cell').count()).toBeLessThan(600);
  const search = screen(page).getByLabel('Search links');
  await search.fill('n=99999');
  await expect(table).toHaveAttribute('data-rows', '1');
  await expect(table).toContainText('hxxps://');
  await expect(table).not.toContainText('https://');
  await search.fill('');
  await expect(table).toHaveAttribute('data-rows', '100000');
});
