/** Evidence by keyboard: Home, a campaign, an email, a reason, a rule from it, its hits, and back to the campaign. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { wordedText } from '../support/worded-mail.ts';
import { openFolder } from './evidence-folder.ts';
import { expect } from './fixtures.ts';
import { test } from './one-window.ts';

// It changes the connection of its host.
test.use({ ownHost: true });

const SLOW = { timeout: 30_000 };
const dir = mkdtempSync(path.join(tmpdir(), 'parapet-campaigns-'));
test.afterAll(() => rmSync(dir, { recursive: true, force: true }));

const LURE = `${wordedText(1)} Unusual sign-in: verify your account within 24 hours or it will be suspended`;
const mail = (from: string, subject: string, body: string, day: number) =>
  `From: ${from}\r\nTo: bo@corp.com\r\nSubject: ${subject}\r\nDate: ${day} Nov 2026 08:00:00 +0000\r\nMessage-ID: <${day}@made.example>\r\n\r\n${body}\r\n`;

/** Tab reaches it. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor(SLOW);
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab');
    if (await target.evaluate((drawn) => drawn === document.activeElement)) return;
  }
  await expect(target).toBeFocused();
}

test('[promise] by keyboard, Home leads to a campaign, a mail, a reason, its place, a rule from it and its hits', async ({
  page,
}) => {
  const folder = path.join(dir, 'parcels');
  mkdirSync(folder);
  const screen = page.locator('[data-front]');
  for (const [index, host] of ['cheap-host.xyz', 'other-host.top', 'third-host.icu'].entries())
    writeFileSync(
      path.join(folder, `${index}.eml`),
      mail(`PayPal <x${index}@${host}>`, 'Act now: verify', `Dear Bo, ${LURE}`, 3 + index),
    );
  writeFileSync(path.join(folder, '9.eml'), mail('Ann <ann@friend.com>', 'Lunch', 'See you at noon.', 9));
  await openFolder(page, folder);
  const panel = screen.locator('[data-panel="Campaigns that deserve a look"]');
  await expect(panel.locator('.pp-panel-count')).toHaveText('1', SLOW);
  const name = '“Act now: verify” from several domains';
  await tabTo(page, panel.getByRole('button', { name }));
  await page.keyboard.press('Enter');
  await expect(screen).toHaveAttribute('data-screen', 'campaign');
  await expect(screen.getByRole('heading', { level: 1 })).toHaveText(name);
  await expect(screen.locator('[data-panel="What its emails share"]')).toContainText(
    'Near-identical text',
    SLOW,
  );
  await expect(screen.locator('[data-panel="Emails"] .pp-panel-count')).toHaveText('3', SLOW);
  await page.keyboard.press(']');
  await page.keyboard.press(']');
  await expect(screen.locator('[data-panel="Senders"] .pp-panel-count')).toHaveText('3');
  // Its indicators, defanged.
  await page.keyboard.press('c');
  await expect(page.getByRole('dialog')).toContainText('other-host[.]top', SLOW);
  await page.keyboard.press('Escape');
  await page.keyboard.press('s');
  await expect(screen.locator('.pp-results-count')).toHaveAttribute('data-total', '3', SLOW);
  await screen.locator('.ag-row').first().waitFor(SLOW);
  await page.keyboard.press('Enter');
  await expect(screen).toHaveAttribute('data-screen', 'email');
  await expect(screen.locator('[data-panel="What this mail shows"]')).toContainText(
    'In a campaign of 3 emails',
    SLOW,
  );
  // A reason, its place in the body, a rule from it, and what that finds.
  const reasons = screen.locator('[data-panel="What this mail shows"] button.em-reason');
  await tabTo(page, reasons.filter({ hasText: 'Body' }).first());
  await page.keyboard.press('Enter');
  await expect(screen.locator('.em-place-words')).toContainText('The words are marked', SLOW);
  await tabTo(page, screen.getByRole('button', { name: 'Rule from this…' }));
  await page.keyboard.press('Enter');
  await expect(screen).toHaveAttribute('data-screen', 'rules');
  await expect(screen.getByLabel('Name')).toBeFocused();
  await expect(screen.getByLabel('Name')).toHaveValue(/^The body says “/);
  await expect(screen.locator('[data-effect]')).toHaveText('Finds 3 emails.', SLOW);
  await page.keyboard.press('Control+s');
  await expect(screen).toContainText('All mail checked', SLOW);
  await expect(screen.locator('.ag-cell:focus')).toContainText('The body says', SLOW);
  await page.keyboard.press('Enter');
  await expect(screen.locator('.pp-results-count')).toHaveAttribute('data-total', '3', SLOW);
  await screen.locator('.ag-row').first().waitFor(SLOW);
  await page.keyboard.press('Enter');
  await expect(screen).toHaveAttribute('data-screen', 'email');
  // Its tab still shows the body.
  await page.keyboard.press('o');
  await expect(screen.locator('[data-panel="What this mail shows"]')).toContainText('The body says', SLOW);
  await page.keyboard.press('7');
  await expect(screen).toHaveAttribute('data-screen', 'campaign');
  // The palette finds it by a word of its name.
  await page.keyboard.press('Alt+1');
  await page.keyboard.press('Control+k');
  await page.keyboard.insertText('act now');
  await expect(page.getByRole('option', { name: /Act now: verify/ }).first()).toBeVisible(SLOW);
});
