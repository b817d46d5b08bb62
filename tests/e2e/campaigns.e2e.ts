/** Campaigns of evidence by keyboard: Home, a campaign, its emails, an email, and back to its campaign. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
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

test('by keyboard, Home leads to a campaign, its emails, and from an email back to it', async ({ page }) => {
  const folder = path.join(dir, 'parcels');
  mkdirSync(folder);
  const screen = page.locator('[data-front]');
  for (const [at, host] of ['cheap-host.xyz', 'other-host.top', 'third-host.icu'].entries())
    writeFileSync(
      path.join(folder, `${at}.eml`),
      mail(`PayPal <x${at}@${host}>`, 'Act now: verify', `Dear Bo, ${LURE}`, 3 + at),
    );
  writeFileSync(path.join(folder, '9.eml'), mail('Ann <ann@friend.com>', 'Lunch', 'See you at noon.', 9));
  await openFolder(page, folder);
  const panel = screen.locator('[data-panel="Campaigns that deserve a look"]');
  await expect(panel.locator('.pp-panel-count')).toHaveText('1', SLOW);
  const name = '“Act now: verify” from several domains';
  const campaign = panel.getByRole('button', { name });
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab');
    if (await campaign.evaluate((drawn) => drawn === document.activeElement)) break;
  }
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
  await page.keyboard.press('7');
  await expect(screen).toHaveAttribute('data-screen', 'campaign');
  // The palette finds it by a word of its name.
  await page.keyboard.press('Alt+1');
  await page.keyboard.press('Control+k');
  await page.keyboard.insertText('act now');
  await expect(page.getByRole('option', { name: /Act now: verify/ }).first()).toBeVisible(SLOW);
});
