/** In-page replacements for the native dialogs that a browser tab lacks. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { expect } from './fixtures.ts';
import { test } from './one-window.ts';

// A host of its own, as the tests open other connections.
test.use({ connect: 'none' });

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

test('evidence opens by its path, which the host checks before the dialog closes', async ({ host, page }) => {
  const folder = path.join(host.profile, 'mail-in-hand');
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'a.eml'), MAIL);

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
  // Until its Home comes to the front, which closes menus, the window is not ready for the next test.
  await expect(page.getByRole('heading', { level: 1, name: 'mail-in-hand' })).toBeVisible();
});

test('Escape cancels the dialog, and the console stays usable', async ({ page }) => {
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

/** Drags a file onto the window and drops it. Returns whether the page handled the two events. */
const drop = (page: Page, name: string, text: string) =>
  page.evaluate(
    ([fileName, content]) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([content], fileName));
      const target = document.elementFromPoint(innerWidth / 2, innerHeight / 2)!;
      const fire = (type: string) =>
        target.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
      fire('dragenter');
      return [!fire('dragover'), !fire('drop')];
    },
    [name, text] as const,
  );

test('[promise] a dropped file is offered for import or refused, and never opened by the browser', async ({
  host,
  page,
}) => {
  const file = path.join(host.profile, 'dropped.eml');
  writeFileSync(file, MAIL);

  expect(await drop(page, 'harmless.html', '<script>alert(1)</script>')).toEqual([true, true]);
  await expect(page.getByText('Not opened: harmless.html')).toBeVisible();
  await expect(page.locator('.pp-drop')).toHaveCount(0);

  // A page can't see the path of a dropped file, so the dialog asks for it.
  expect(await drop(page, 'dropped.eml', MAIL)).toEqual([true, true]);
  const dialog = page.getByRole('dialog', { name: 'Open evidence' });
  await dialog.getByLabel('Path of “dropped.eml”').fill(file);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: /^Connection dropped\.eml/ })).toBeVisible();
  await expect(page.getByRole('heading', { level: 1, name: 'dropped.eml' })).toBeVisible();

  // A query file is read and compared; nothing is sent until the analyst confirms.
  const query = {
    kind: 'parapet-queries',
    version: 1,
    queries: [{ type: 'query', domain: 'email', entityType: 'email', name: 'From a file', columns: [] }],
  };
  expect(await drop(page, 'queries.json', JSON.stringify(query))).toEqual([true, true]);
  const plan = page.getByRole('dialog', { name: 'Import from queries.json' });
  await expect(plan.getByText('From a file')).toBeVisible();
  await expect(plan.getByText(/Nothing is sent yet/)).toBeVisible();
});
