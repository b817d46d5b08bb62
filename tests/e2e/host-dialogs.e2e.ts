/** What a page does for the dialogs that a window of its own would have from the operating system. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from './fixtures.ts';

const MAIL = [
  'From: a@one.example',
  'To: b@two.example',
  'Subject: Hello',
  'Date: Mon, 16 Nov 2026 10:00:00 +0000',
  'Message-ID: <x@one.example>',
  '',
  'Body',
  '',
].join('\r\n');

// A host of its own: it ends on another connection than it began with.
test.use({ connect: 'none' });

test('evidence is opened by its path, which the host checks before the dialog closes', async ({
  host,
  page,
}) => {
  const folder = path.join(host.profile, 'mail-in-hand');
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'a.eml'), MAIL);

  await page.goto(host.url);
  await page
    .getByRole('banner')
    .getByRole('button', { name: /connection/i })
    .click();
  await page.getByRole('menuitem', { name: /Open a folder of mail/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Open evidence' });
  const input = dialog.getByRole('textbox');
  await expect(input).toBeFocused();
  await input.fill('/nowhere/at/all');
  await page.keyboard.press('Enter');
  await expect(dialog.getByRole('alert')).toHaveText('There is no such folder on this machine.');
  await input.fill(folder);
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('button', { name: /^Connection mail-in-hand/ })).toBeVisible();
});

test('Escape cancels, and the console goes on', async ({ host, page }) => {
  await page.goto(host.url);
  await page
    .getByRole('banner')
    .getByRole('button', { name: /connection/i })
    .click();
  await page.getByRole('menuitem', { name: /Open a folder of mail/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Open evidence' });
  await expect(dialog).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('navigation').first()).toBeVisible();
});
