/** A folder of mail opened as evidence: every mail is listed, and none causes a network request. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { DOCUMENT, LURE, layOneOfEach, REPORT } from '../support/evidence-kinds.ts';
import { readSealedZip } from '../support/sealed-zip.ts';
import { openFolder } from './evidence-folder.ts';
import { expect, nextFile, test } from './fixtures.ts';
import type { Host } from './host.ts';
import { screen } from './on-screen.ts';
import { windowForConnections } from './one-window.ts';
import { cell } from './results-page.ts';

const root = path.resolve(import.meta.dirname, '../..');
const shared = process.env['PARAPET_SHARED'] ?? path.resolve(root, '../shared');
const collection = path.join(shared, 'data/eml');
/** Imports are slow on a busy machine. */
const IMPORT = { timeout: 150_000 };
const PASSWORD = 'correct horse';
const SLOW = { timeout: 30_000 };

interface Listed {
  file: string;
  remote: number;
  scripts: number;
  forms: number;
}

const mail = (subject: string, html: string) =>
  [
    'From: "Accounts payable" <billing@vendor.example>',
    'To: m.okafor@aldermoor.test',
    `Subject: ${subject}`,
    `Message-ID: <${subject.replaceAll(' ', '-')}@vendor.example>`,
    'Date: Thu, 19 Nov 2026 08:41:07 +0000',
    'MIME-Version: 1.0',
    'Content-Type: text/html; charset=utf-8',
    '',
    html,
    '',
  ].join('\r\n');

const MADE = [
  mail('pictures', '<p>seen</p><img src="https://track.vendor.example/p.gif"><img src="//vendor.test/q">'),
  mail(
    'styles',
    '<link rel=stylesheet href="https://vendor.test/a.css"><p style="background:url(//v.test/b)">seen',
  ),
  mail('script', '<script src="https://vendor.test/x.js"></script><p onclick="alert(1)">seen</p>'),
  mail('form', '<form action="https://vendor.test/login"><input name=p></form><p>seen</p>'),
  mail(
    'frames',
    '<iframe src="https://vendor.test/"></iframe><p>seen</p><meta http-equiv=refresh content="0;//v.test">',
  ),
];

/** A reason in each kind of place. */
const WORST = [
  'From: "PayPal Security" <service@evil.example>',
  'To: m.okafor@aldermoor.test',
  'Subject: Your account is limited',
  'Message-ID: <worst@evil.example>',
  'Date: Thu, 19 Nov 2026 08:41:07 +0000',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=b',
  '',
  '--b',
  'Content-Type: text/html; charset=utf-8',
  '',
  '<p>Dear customer,</p><p>Please <b>verify</b> your account within 24 hours, or it will be suspended.</p>',
  '<p><a href="http://192.0.2.7/login">https://www.paypal.com/signin</a></p>',
  '--b',
  'Content-Type: application/octet-stream; name="invoice.pdf.exe"',
  'Content-Disposition: attachment; filename="invoice.pdf.exe"',
  'Content-Transfer-Encoding: base64',
  '',
  'TVqQAAMAAAAEAAAA//8AALgAAAAAAAAAQAAAAA==',
  '--b--',
  '',
].join('\r\n');

/** DOM clobbering of the document and its forms, styles against highlights, hidden text, and a word split by tags. */
const MARKS_ATTACK = `<style>::highlight(pp-search) { background: transparent } mark { color: white }</style>
<img name="documentElement"><img name="adoptedStyleSheets"><img name="createTreeWalker"><img name="body">
<form><input name="closest"><input name="scrollIntoView"><p>Please pay the <b>INV</b>OICE today.</p></form>
<p style="display:none">invoice</p><p>in</p><p>voice</p><mark>forged</mark>`;

/** Records every request of the page to anything but its host. */
function watch(page: Page, host: Host): string[] {
  const external: string[] = [];
  const { origin } = new URL(host.url);
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.origin !== origin && !['data:', 'blob:', 'about:'].includes(url.protocol))
      external.push(request.url());
  });
  return external;
}

const emails = (page: Page) => screen(page).locator('[data-tile="Emails"] .pp-figure');

/** Opens a mail by its Message-ID, and each of its parts. */
async function openMail(page: Page, messageId: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.keyboard.insertText(messageId);
  // Only options that are mails show a verdict.
  const email = page
    .getByRole('option')
    .filter({ has: page.locator('.pp-verdict') })
    .first();
  await expect(email).toBeVisible(SLOW);
  await email.click();
  await expect(screen(page)).toHaveAttribute('data-screen', 'email', SLOW);
  for (const part of ['Headers', 'Links', 'Attachments', 'Body']) {
    await screen(page)
      .getByRole('tab', { name: new RegExp(`^${part}`) })
      .click();
    await expect(screen(page).locator('.pp-panel').first()).toBeVisible(SLOW);
    await expect(screen(page).locator('.pp-skeleton-rows')).toHaveCount(0, SLOW);
  }
}

/** Searches bodies for a word, opens the matching mail and checks the marks. */
async function markedInBody(page: Page): Promise<void> {
  await page.keyboard.press('Alt+n');
  await screen(page).locator('.pp-qb').waitFor();
  await page.keyboard.press('Alt+c');
  await page.getByPlaceholder('Search fields').fill('Body text');
  await page.keyboard.press('Enter');
  await screen(page).getByLabel('Value of Body text').fill('invoice');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Control+Enter');
  await expect(screen(page).locator('.pp-results-count')).toHaveAttribute('data-total', '1');
  await cell(page, 0, 'subject').dblclick();
  await screen(page).getByRole('tab', { name: /^Body/ }).click();
  const words = screen(page).locator('.em-sought-words');
  await expect(words).toHaveText('2 matches in this view, 1 in text that is not shown');
  /** The highlighted texts in the frame; `one` is the highlight of the current match. */
  const marked = () =>
    screen(page)
      .locator('iframe')
      .evaluate((frame: HTMLIFrameElement) => {
        const inner = frame.contentWindow as Window & typeof globalThis;
        return [...inner.CSS.highlights].map(([name, ranges]) => ({
          one: name.endsWith('-one'),
          texts: [...ranges].map(String),
        }));
      });
  await expect.poll(marked).toEqual([
    { one: false, texts: ['INVOICE', 'invoice'] },
    { one: true, texts: [] },
  ]);
  await screen(page).getByRole('button', { name: 'Next match in the body' }).click();
  await expect(words).toHaveText('1 of 2 matches in this view, 1 in text that is not shown');
  await expect.poll(async () => (await marked())[1]).toEqual({ one: true, texts: ['INVOICE'] });
  await screen(page).getByText('Text', { exact: true }).click();
  await expect(words).toHaveText('2 matches in this view');
}

/** Mails of the collection that exist only as attachments. */
const ATTACHED = 41;

test.describe('evidence', () => {
  let dir = '';
  let page: Page;
  let external: string[];
  test.beforeAll(async ({ hostOf, windowOf }) => {
    dir = mkdtempSync(path.join(os.tmpdir(), 'parapet-evidence-'));
    const shared = await windowForConnections({ hostOf, windowOf });
    page = shared.page;
    page.setDefaultTimeout(SLOW.timeout);
    external = watch(page, shared.host);
  });
  test.beforeEach(async ({ viewport }) => {
    test.setTimeout(300_000);
    external.splice(0);
    if (viewport !== null) await page.setViewportSize(viewport);
  });
  test.afterAll(() => {
    rmSync(dir, { recursive: true, force: true });
  });

  test('mails of a generated folder are counted and open without a request; a match in a body is marked, and counted outside the mail', async () => {
    const folder = path.join(dir, 'generated');
    mkdirSync(folder);
    for (const [index, text] of MADE.entries()) writeFileSync(path.join(folder, `${index}.eml`), text);
    writeFileSync(path.join(folder, 'lure.eml'), mail('lure', MARKS_ATTACK));
    writeFileSync(
      path.join(folder, 'box.mbox'),
      MADE.map((text) => `From x Thu Nov 19 08:41:07 2026\n${text.replace('@vendor', '.box@vendor')}\n`).join(
        '',
      ),
    );
    await openFolder(page, folder);
    await expect(emails(page)).toHaveAttribute('title', String(MADE.length * 2 + 1), IMPORT);
    for (const subject of ['pictures', 'styles', 'script', 'form', 'frames']) {
      await openMail(page, `<${subject}@vendor.example>`);
      await expect(screen(page).getByRole('heading', { level: 1 })).toHaveText(subject);
      await expect(screen(page).locator('iframe').contentFrame().locator('body')).toContainText('seen', SLOW);
    }
    // An empty list does not mean no access: files do not say whose mailbox they were in.
    await screen(page)
      .getByRole('tab', { name: /^Recipients/ })
      .click();
    const permissions = screen(page).locator('[data-panel="Permissions"]');
    await expect(permissions).toContainText('Permissions unknown', SLOW);
    await expect(permissions.locator('.pp-panel-count')).toHaveCount(0);
    await test.step('the words of a body search are marked in a mail that tries to prevent it', () =>
      markedInBody(page));
    expect(external).toEqual([]);
  });

  test('[promise] each kind of mail file leads from a word in a body to a report, its attachments and its original bytes', async () => {
    const folder = path.join(dir, 'kinds');
    mkdirSync(folder);
    const subjects = await layOneOfEach(folder);
    await openFolder(page, folder);
    await expect(emails(page)).toHaveAttribute('title', String(subjects.length), IMPORT);

    await page.keyboard.press('Alt+n');
    await screen(page).locator('.pp-qb').waitFor();
    await page.keyboard.press('Alt+c');
    await page.getByPlaceholder('Search fields').fill('Body text');
    await page.keyboard.press('Enter');
    await screen(page).getByLabel('Value of Body text').fill('pay the INVOICE');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+Enter');
    await expect(screen(page).locator('.pp-results-count')).toHaveAttribute('data-total', '1');
    await expect(cell(page, 0, 'match')).toHaveText('pay the invoice');
    await cell(page, 0, 'subject').dblclick();
    await expect(screen(page).getByRole('heading', { level: 1 })).toHaveText('lure');

    await screen(page).locator('[data-panel="Facts"]').getByRole('button', { name: 'report' }).click();
    await expect(screen(page).getByRole('heading', { level: 1 })).toHaveText('report');
    await screen(page)
      .getByRole('tab', { name: /^Attachments/ })
      .click();
    await screen(page).getByRole('button', { name: 'Attachments: more' }).click();
    await page.getByRole('menuitem', { name: 'Save all…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    const zip = nextFile(page);
    await dialog.getByRole('button', { name: 'Save as zip…' }).click();
    const sealed = readSealedZip(readFileSync(await (await zip).path()), PASSWORD);
    expect([...sealed.keys()]).toEqual(['lure.eml', 'a.pdf', 'manifest.json']);
    expect(sealed.get('lure.eml')?.toString()).toBe(LURE);
    expect(sealed.get('a.pdf')).toEqual(DOCUMENT);
    await page.keyboard.press('Escape');

    await page.keyboard.press('Alt+n');
    await screen(page).getByRole('button', { name: /^Run/ }).first().click();
    await expect(screen(page).locator('.pp-results-count')).toHaveAttribute(
      'data-total',
      String(subjects.length),
    );
    await screen(page).getByRole('checkbox', { name: 'Select all' }).check();
    await page.keyboard.press('Control+K');
    await page.locator('.pp-palette').getByRole('combobox').fill('save attachments');
    await expect(page.locator('.pp-palette').getByRole('option').first()).toContainText('Save attachments');
    await page.keyboard.press('Enter');
    await dialog.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    const together = nextFile(page);
    await dialog.getByRole('button', { name: 'Save as zip…' }).click();
    const archive = readSealedZip(readFileSync(await (await together).path()), PASSWORD);
    expect([...archive.keys()].sort()).toEqual(['a.pdf', 'lure.eml', 'manifest.json']);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Alt+w');

    await screen(page).getByRole('tab', { name: /^Body/ }).click();
    await screen(page).getByText('Whole message').first().click();
    const whole = nextFile(page);
    await screen(page).getByRole('button', { name: 'Save .eml' }).click();
    expect(readFileSync(await (await whole).path(), 'utf8')).toBe(REPORT);
    expect(external).toEqual([]);
  });

  test('the reasons of the worst mail lead by Enter to their places in header, body, links and attachments, which are marked', async () => {
    const folder = path.join(dir, 'reasons');
    mkdirSync(folder);
    writeFileSync(path.join(folder, 'worst.eml'), WORST);
    const text = `${'A line of a long text.\r\n'.repeat(400)}You must act now!\r\n${'More.\r\n'.repeat(99)}`;
    writeFileSync(path.join(folder, 'long.eml'), mail('long', text).replace('text/html', 'text/plain'));
    await openFolder(page, folder);
    await expect(emails(page)).toHaveAttribute('title', '2', IMPORT);
    const open = async (messageId: string) => {
      await page.keyboard.press('Control+k');
      await page.keyboard.insertText(messageId);
      const option = page.getByRole('option').filter({ has: page.locator('.pp-verdict') });
      await expect(option.first()).toBeVisible(SLOW);
      await option.first().click();
    };
    await open('<worst@evil.example>');
    const panel = screen(page).locator('[data-panel="What this mail shows"]');
    await expect(panel).toContainText('No security tool has seen this mail.', SLOW);
    await expect(screen(page).locator('.en-verdict')).toContainText('No security tool has seen this email.');
    await expect(screen(page).locator('.en-verdict')).not.toContainText('tools');
    const reason = (place: string) =>
      panel.locator('button.em-reason').filter({ has: page.locator('.em-reason-place', { hasText: place }) });
    /** Follows a reason and returns, by keys alone. */
    const follow = async (place: string, look: () => Promise<unknown>) => {
      await reason(place).first().focus();
      await page.keyboard.press('Enter');
      await expect(screen(page).locator('.em-place-bar')).toContainText('marked', SLOW);
      await look();
      await page.keyboard.press('Escape');
      await expect(reason(place).first()).toBeFocused();
    };
    await follow('From header', () =>
      expect(screen(page).locator('.em-code-marked')).toContainText('From: "PayPal Security"'),
    );
    await follow('Body', () =>
      expect
        .poll(() =>
          screen(page)
            .locator('iframe')
            .evaluate((frame: HTMLIFrameElement) => {
              const inner = frame.contentWindow as Window & typeof globalThis;
              const marks = [...inner.CSS.highlights].find(([name]) => name.endsWith('-one'))?.[1];
              return [...(marks ?? [])].map(String);
            }),
        )
        .toHaveLength(1),
    );
    await follow('Link', () =>
      expect(screen(page).locator('[data-panel="Links"] .ag-cell-focus')).toBeVisible(),
    );
    await follow('invoice.pdf.exe', () =>
      expect(screen(page).locator('.em-attachment[aria-current]')).toContainText('invoice.pdf.exe'),
    );
    await page.keyboard.press('t');
    await expect(screen(page).locator('.em-check')).toHaveCount(7);
    await expect(screen(page).locator('.em-check[data-tool="check_attachments"] .em-reason')).not.toHaveCount(
      0,
    );
    // In a long text the words themselves are scrolled to.
    await open('<long@vendor.example>');
    await follow('Body', async () => {
      const text = screen(page).locator('.em-text');
      await expect
        .poll(() => text.evaluate((node) => node.scrollTop / (node.scrollHeight - node.clientHeight)))
        .toBeGreaterThan(0.7);
    });
    expect(external).toEqual([]);
  });

  test('by keyboard, Home leads to the worst mail and to a hunt', async () => {
    const folder = path.join(dir, 'worst');
    mkdirSync(folder);
    const order = mail('Your recent Amazon order is on hold', '<p>Call us about the order.</p>').replace(
      '"Accounts payable" <billing@vendor.example>',
      '"Amazon" <billingservices.amazon.com@gmail.com>',
    );
    writeFileSync(path.join(folder, 'a.eml'), mail('minutes', '<p>See you at ten.</p>'));
    writeFileSync(path.join(folder, 'b.eml'), order);
    writeFileSync(path.join(folder, 'c.eml'), mail('agenda', '<p>See you at eleven.</p>'));
    await openFolder(page, folder);
    await expect(emails(page)).toHaveAttribute('title', '3', IMPORT);
    const worst = screen(page).locator('[data-panel="Emails that deserve a look"]');
    await expect(worst.locator('.pp-panel-count')).toHaveText('1 of 3', SLOW);
    await expect(worst.locator('li')).toHaveCount(2);
    await expect(worst.locator('li').first()).toContainText('Amazon');
    /** Presses Tab until the control with this name has focus. */
    const tabTo = async (name: RegExp) => {
      const control = screen(page).getByRole('button', { name }).first();
      await expect(control).toBeVisible(SLOW);
      for (let presses = 0; presses < 60; presses += 1) {
        await page.keyboard.press('Tab');
        if (await control.evaluate((drawn) => drawn === document.activeElement)) return;
      }
      await expect(control).toBeFocused();
    };
    await tabTo(/^Your recent Amazon order/);
    await page.keyboard.press('Enter');
    await expect(screen(page).getByRole('heading', { level: 1 })).toHaveText(
      'Your recent Amazon order is on hold',
    );
    await page.keyboard.press('Alt+1');
    await tabTo(/^Name of an organisation at a foreign domain 1$/);
    await page.keyboard.press('Enter');
    await expect(screen(page).locator('.pp-results-count')).toHaveAttribute('data-total', '1', SLOW);
    await expect(cell(page, 0, 'subject')).toHaveText('Your recent Amazon order is on hold');
  });

  test('results of a partly read folder say PARTIAL, legible in a narrow window', async () => {
    const folder = path.join(dir, 'partly read');
    mkdirSync(folder);
    writeFileSync(path.join(folder, 'a.eml'), mail('whole', '<p>seen</p>'));
    writeFileSync(path.join(folder, 'broken.zip'), 'PK');
    await openFolder(page, folder);
    await page.setViewportSize({ width: 800, height: 700 });
    await expect(emails(page)).toHaveAttribute('title', '1', IMPORT);
    await page.keyboard.press('Alt+n');
    await screen(page).getByRole('button', { name: /^Run/ }).first().click();
    const word = screen(page).locator('.pp-fetch-bar').getByText('PARTIAL');
    await expect(word).toBeVisible(SLOW);
    expect(await word.evaluate((drawn) => drawn.scrollWidth - drawn.clientWidth)).toBe(0);
  });

  test('[promise] the shared collection imports 730 mails, and ten of the nastiest open without a request', async () => {
    test.skip(
      !existsSync(path.join(collection, 'index.jsonl')),
      'the shared collection of mail is not on this machine',
    );
    const listed = readFileSync(path.join(collection, 'index.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Listed);
    const nasty = listed
      .map((row) => ({
        score: row.scripts * 5 + row.forms * 3 + row.remote,
        id:
          /^message-id:\s*(<[^<>\s]+>)/im.exec(
            readFileSync(path.join(shared, 'data', row.file), 'latin1'),
          )?.[1] ?? '',
      }))
      .filter(({ id }) => id !== '')
      .sort((a, b) => b.score - a.score)
      .slice(0, 10);
    await openFolder(page, collection);
    await expect(emails(page)).toHaveAttribute('title', String(listed.length + ATTACHED), IMPORT);
    for (const { id } of nasty) await openMail(page, id);
    expect(nasty).toHaveLength(10);
    expect(external).toEqual([]);
  });
});
