/** Deceptive mails, opened as evidence in a real browser: the profile shows the truth. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { HOSTILE_MAILS, type HostileMail, type Place } from '../hostile/mails.ts';
import { openFolder } from './evidence-folder.ts';
import { expect, test } from './fixtures.ts';
import { screen } from './on-screen.ts';
import { windowForConnections } from './one-window.ts';

/** Optional folder for screenshots of every checked part, in both themes and two widths. */
const pictures = process.env['PARAPET_PICTURES'] ?? '';
const SIZES = [
  { width: 1024, height: 768 },
  { width: 1920, height: 1080 },
] as const;

const TABS: Readonly<Record<Place, RegExp>> = {
  overview: /^Overview/,
  links: /^Links and clicks/,
  attachments: /^Attachments/,
  headers: /^Headers/,
  body: /^Body/,
  frame: /^Body/,
  text: /^Body/,
  source: /^Body/,
  message: /^Body/,
};
const VIEWS: Readonly<Partial<Record<Place, string>>> = {
  text: 'Text',
  source: 'Source',
  message: 'Whole message',
};

async function openMail(page: Page, { name }: HostileMail): Promise<void> {
  const email = page
    .getByRole('option')
    .filter({ has: page.locator('.pp-verdict') })
    .first();
  // The folder may still be importing: search again until the mail is there.
  await expect(async () => {
    await page.keyboard.press('Control+k');
    await page.keyboard.insertText(`<${name}@hostile.example>`);
    await email.click({ timeout: 5_000 }).catch(async (reason: unknown) => {
      await page.keyboard.press('Escape');
      throw reason;
    });
  }).toPass({ timeout: 60_000 });
  await expect(screen(page)).toHaveAttribute('data-screen', 'email');
}

async function go(page: Page, place: Place): Promise<void> {
  await screen(page).getByRole('tab', { name: TABS[place] }).click();
  await expect(screen(page).locator('.pp-skeleton, .pp-skeleton-rows')).toHaveCount(0);
  const view = VIEWS[place];
  if (view !== undefined)
    await screen(page).getByRole('group', { name: 'Body view' }).getByText(view, { exact: true }).click();
}

/** The visible text of that part, with collapsed white space. */
async function textAt(page: Page, place: Place): Promise<string> {
  const all =
    place === 'frame'
      ? await screen(page).locator('iframe.em-frame').contentFrame().locator('body').innerText()
      : await screen(page).innerText();
  return all.replace(/\s+/g, ' ');
}

async function picture(page: Page, name: string): Promise<void> {
  const before = page.viewportSize();
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const size of SIZES) {
      await page.setViewportSize(size);
      await page.evaluate(() => document.fonts.ready);
      await page.screenshot({ path: path.join(pictures, `${name}-${colorScheme}-${size.width}.png`) });
    }
  }
  if (before) await page.setViewportSize(before);
}

test.describe('deceptive mails', () => {
  let dir = '';
  let page: Page;
  test.beforeAll(async ({ hostOf, windowOf }) => {
    dir = mkdtempSync(path.join(os.tmpdir(), 'parapet-lies-'));
    const folder = path.join(dir, 'hostile');
    mkdirSync(folder);
    for (const { name, mail } of HOSTILE_MAILS) writeFileSync(path.join(folder, `${name}.eml`), mail);
    ({ page } = await windowForConnections({ hostOf, windowOf }, { width: 1600, height: 800 }));
    await openFolder(page, folder);
  });
  test.afterAll(() => {
    rmSync(dir, { recursive: true, force: true });
  });

  test('keys work after a click into the body, and its selection can be copied', async () => {
    const mail = HOSTILE_MAILS.find(({ name }) => name === 'forged-mark');
    if (mail === undefined) throw new Error('There is no such mail');
    await openMail(page, mail);
    await go(page, 'frame');
    const body = screen(page).locator('iframe.em-frame').contentFrame().getByText('Sign in', { exact: true });
    const inFrame = () => page.evaluate(() => document.activeElement?.localName === 'iframe');
    const palette = page.locator('.pp-palette');
    await body.click();
    await expect.poll(inFrame).toBe(true);
    await page.keyboard.press('Control+k');
    await expect(palette).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(palette).toHaveCount(0);
    await body.click();
    await page.keyboard.press('F6');
    await expect.poll(inFrame).toBe(false);
    await body.click();
    await page.keyboard.press('?');
    await expect(page.getByRole('dialog')).toBeVisible();
    await page.keyboard.press('Escape');
    // The dialog restores the focus only after its fade-out.
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await body.click();
    await page.keyboard.press('Escape');
    await expect.poll(inFrame).toBe(false);
    await body.dblclick();
    await page.keyboard.press('Control+c');
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Control+v');
    await expect(palette.locator('input')).toHaveValue('Sign');
    await page.keyboard.press('Escape');
    await expect(palette).toHaveCount(0);
  });

  for (const hostile of HOSTILE_MAILS) {
    const { name, lie, shown, never = {}, green } = hostile;
    test(`${name}: ${lie}`, async () => {
      await openMail(page, hostile);
      for (const place of Object.keys(TABS) as Place[]) {
        const required = shown[place] ?? [];
        const unwanted = never[place] ?? [];
        if (required.length === 0 && unwanted.length === 0) continue;
        await go(page, place);
        await expect(async () => {
          const text = await textAt(page, place);
          for (const phrase of required) expect(text).toContain(phrase);
          for (const phrase of unwanted) expect(text).not.toContain(phrase);
        }).toPass({ timeout: 30_000 });
        if (pictures !== '') await picture(page, `${name}-${place}`);
      }
      if (green !== undefined) {
        await go(page, 'overview');
        await expect(screen(page).locator('.em-auth')).toHaveCount(4);
        await expect(screen(page).locator('.em-auth-good')).toHaveCount(green);
      }
    });
  }

  // Last, as it changes the trusted servers.
  test('results of a trusted authentication server count, also for stored mails', async () => {
    const gateway = HOSTILE_MAILS.find(({ name }) => name === 'auth-gateway');
    if (gateway === undefined) throw new Error('There is no such mail');
    await page.keyboard.press('Control+k');
    await page.keyboard.insertText('Settings');
    await page
      .getByRole('option', { name: /^Settings/ })
      .first()
      .click();
    await screen(page)
      .locator('.pp-connection-row', { hasText: 'hostile' })
      .getByRole('button', { name: 'Edit', exact: true })
      .click();
    const field = page.getByLabel('Trusted authentication servers');
    await field.fill('https://gateway.example');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(page.getByText('is not the name of a server').first()).toBeVisible();
    await field.fill(' Gateway.Example \n');
    await expect(page.getByText('are re-evaluated when you save')).toBeVisible();
    if (pictures !== '') await picture(page, 'connection-form');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(field).toHaveCount(0);
    await openMail(page, gateway);
    await go(page, 'overview');
    await expect(screen(page).locator('.em-auth-good')).toHaveCount(3);
    expect(await textAt(page, 'overview')).toMatch(/SPF pass DKIM pass DMARC pass/);
  });
});
