/** Every field and part of an email's profile is present; cached data renders without layout shifts. */
import { readFileSync } from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import { Uint8ArrayReader, Uint8ArrayWriter, ZipReader } from '@zip.js/zip.js';
import { expect, nextFile } from './fixtures.ts';
import { panel, screen } from './on-screen.ts';
import { test } from './one-window.ts';

const SLOW = { timeout: 30_000 };
const part = (page: Page, name: string) =>
  screen(page)
    .getByRole('tab', { name: new RegExp(`^${name}`) })
    .click();
const cells = (page: Page, title: string, column: string): Locator =>
  panel(page, title).locator(`.ag-row:not(.pp-row-wait) .ag-cell[col-id="${column}"]`);

/** Opens the first email of a new query with these conditions, at its overview. */
async function open(page: Page, conditions: object[]): Promise<void> {
  await page.keyboard.press('Alt+n');
  await screen(page).getByRole('button', { name: 'Edit as JSON' }).click();
  await screen(page)
    .getByLabel('Conditions as JSON')
    .fill(JSON.stringify({ operator: 'and', conditions }));
  await screen(page).getByRole('button', { name: /^Run/ }).first().click();
  await expect(screen(page).locator('.pp-results-count')).toHaveAttribute('data-total', /^\d+$/, SLOW);
  await screen(page)
    .locator('.ag-row[row-index="0"]:not(.pp-row-wait) .ag-cell[col-id="subject"]')
    .dblclick();
  await expect(screen(page)).toHaveAttribute('data-screen', 'email');
  await part(page, 'Overview');
  await expect(panel(page, 'Timeline').locator('.en-event').first()).toBeVisible(SLOW);
}

const FACTS = [
  'Subject',
  'From',
  'Reply-To',
  'Return-Path',
  'To',
  'Cc',
  'Bcc',
  'Received',
  'Sent',
  'Folder',
  'Quarantine',
  'Restore',
  'Reported',
  'Classified',
  'Encrypted',
  'Direction',
  'Size',
  'Client IP',
  'Language',
  'Message-ID',
  'Links',
  'Workflow',
  'Deleted',
  'Identifier',
  'App',
  'Entity ID',
  'Your role',
];

test('[spec 3, spec 7] the facts list every field of an email, and none is blank', async ({ page }) => {
  await open(page, [{ field: 'restore_state', operator: 'is', values: ['requested'] }]);
  const names = panel(page, 'Facts').locator('dt');
  await expect(names.filter({ hasText: /^Your role$/ })).toBeVisible(SLOW);
  expect(await names.allInnerTexts()).toEqual(expect.arrayContaining(FACTS));
  const values = await panel(page, 'Facts').locator('dd').allInnerTexts();
  expect(values.filter((text) => text.trim() === '')).toEqual([]);
  await expect(screen(page).locator('[data-restore="requested"]')).toBeVisible();
  // The verdict line counts the tools, and the stack lists the exceptions that apply.
  await expect(screen(page).locator('.en-verdict')).toContainText(/\d of \d tools? /);
  await part(page, 'Security stack');
  await expect(panel(page, 'Security stack').locator('.en-exception').first()).toContainText(
    /No exception|Allowed|Blocked/,
    SLOW,
  );
});

test('[spec 3, spec 7] recipients, links with replacements, clicks, headers, body, findings and events each have a part', async ({
  page,
}) => {
  await open(page, [
    { field: 'clicks', operator: 'greater_than', values: [0] },
    { field: 'links_count', operator: 'greater_than', values: [0] },
  ]);
  await expect(panel(page, 'Timeline').locator('[data-kind="click"]').first()).toContainText(
    'Clicked a link',
  );
  await part(page, 'Recipients');
  await expect(panel(page, 'Recipients').locator('.ag-row').first()).toContainText('@');
  await expect(panel(page, 'Permissions').locator('tbody tr').first()).toContainText('mailbox owner');
  await part(page, 'Links and clicks');
  await expect(panel(page, 'Links').locator('.ag-row').first()).toContainText(/hxxps?:/);
  await expect(panel(page, 'Links')).toContainText(/replaced/i);
  await expect(panel(page, 'Clicks').locator('.ag-row').first()).toContainText('@');
  await part(page, 'Headers');
  for (const name of ['SPF', 'DKIM', 'DMARC', 'ARC'])
    await expect(
      panel(page, 'Header analysis')
        .locator('.em-auth-head')
        .filter({ hasText: new RegExp(`^${name}`) }),
    ).toBeVisible();
  await expect(panel(page, 'Header analysis').locator('.em-hop').nth(1)).toBeVisible();
  await expect(panel(page, 'Raw headers')).toContainText('Received:');
  await part(page, 'Body');
  await panel(page, 'Body').getByText('Source', { exact: true }).click();
  await expect(screen(page).getByLabel('Body source').first()).toBeVisible();
  await part(page, 'Conversation');
  await expect(panel(page, 'Conversation')).toContainText(/No conversation|@/);
  await part(page, 'Split emails');
  await expect(panel(page, 'Split emails')).toContainText(/Not split|@/);
  await part(page, 'Findings');
  await expect(panel(page, 'Findings')).toContainText(/No findings|Fixed at|\d{4}-\d\d-\d\d/);
  await part(page, 'Events');
  await expect(cells(page, 'Events', 'summary').filter({ hasText: /^Received$/ })).toHaveCount(1, SLOW);
  await panel(page, 'Events').getByLabel('Search events').fill('clicked');
  await expect(cells(page, 'Events', 'type').first()).toHaveText('Clicked', SLOW);
});

test('[spec 7] a matched attachment shows where else it was seen, and downloads after a warning', async ({
  page,
}) => {
  await open(page, [
    { field: 'verdict_code', operator: 'is', values: ['malw'] },
    { field: 'attachments_count', operator: 'greater_than', values: [0] },
  ]);
  await part(page, 'Attachments');
  const list = panel(page, 'Attachments');
  await expect(list).toContainText(/[0-9a-f]{64}/);
  await expect(list.getByText(/^Seen in \d|^Find by hash$/).first()).toBeVisible();
  await list.getByRole('button', { name: 'Download' }).first().click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText(/it may be malware|is not available now/, SLOW);
  // The service lacks some files: after three tries the dialog says so and offers no save.
  if (await dialog.getByText('is not available now').isVisible()) {
    await expect(dialog).toContainText('The service was asked 3 times.');
    await expect(dialog.getByRole('button', { name: /^Save/ })).toHaveCount(0);
    return;
  }
  const download = nextFile(page);
  await dialog.getByRole('button', { name: 'Save as zip…' }).click();
  const file = await download;
  await expect(dialog).toContainText('The SHA-256 matches the one the service reported.');
  const zip = new ZipReader(new Uint8ArrayReader(readFileSync(await file.path())), { password: 'infected' });
  const [entry] = await zip.getEntries();
  expect(`${entry?.filename}.zip`).toBe(file.suggestedFilename());
  expect(entry?.encrypted).toBe(true);
  const bytes = entry && !entry.directory ? await entry.getData(new Uint8ArrayWriter()) : new Uint8Array();
  expect(bytes.length).toBeGreaterThan(0);
});

test('[promise] cached data renders at its final position: later data causes no layout shift', async ({
  page,
}) => {
  await open(page, [{ field: 'verdict', operator: 'is', values: ['found'] }]);
  const isSettled = () => expect(screen(page).locator('[aria-busy="true"]')).toHaveCount(0, SLOW);
  await expect(panel(page, 'Header analysis')).toContainText('SPF', SLOW);
  await isSettled();
  // Go to the next email and back; the second time all data is cached.
  await page.keyboard.press('j');
  await expect(page.locator('.pp-status-bar')).toContainText('Email 2 of', SLOW);
  await expect(panel(page, 'Timeline').locator('.en-event').first()).toBeVisible(SLOW);
  await expect(panel(page, 'Header analysis')).toContainText('SPF', SLOW);
  // What is still arriving for this email, for the first time, is not measured.
  await isSettled();
  await page.evaluate(() => {
    const shifts: string[] = [];
    Object.assign(globalThis, { shifts });
    type Shift = PerformanceEntry & { value: number; sources: { node: Node | null }[] };
    new PerformanceObserver((list) => {
      for (const { value, sources } of list.getEntries() as Shift[])
        for (const { node } of sources) {
          const element = node instanceof Element ? node : node?.parentElement;
          // Only the age at the end of a panel's header may change its width.
          const title = element?.closest('[data-panel]')?.getAttribute('data-panel');
          if (title && !element?.closest('.pp-panel-tail'))
            shifts.push(`${value.toFixed(4)} ${title}: ${element?.className}`);
        }
    }).observe({ type: 'layout-shift', buffered: false });
  });
  await page.keyboard.press('k');
  await expect(page.locator('.pp-status-bar')).toContainText('Email 1 of', SLOW);
  await expect(panel(page, 'Header analysis')).toContainText('SPF', SLOW);
  await isSettled();
  const shifts = await page.evaluate(() => (globalThis as unknown as { shifts: string[] }).shifts);
  expect(shifts).toEqual([]);
});
