/** Rare states: missing evidence, a changed account, lost responses, locked secrets. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { openFolder } from './evidence-folder.ts';
import { expect, nextFile, test } from './fixtures.ts';
import { type Host, type HostOptions, startHost } from './host.ts';
import { screen } from './on-screen.ts';
import { type Relay, startRelay } from './relay.ts';
import { openTenant, startService, stopService } from './tenant.ts';

const SLOW = { timeout: 60_000 };
const dialog = (page: Page): Locator => page.getByRole('dialog');
const banner = (page: Page): Locator => page.locator('.pp-banners');

let dir = '';
const cleanups: (() => Promise<unknown>)[] = [];
test.beforeEach(() => {
  test.setTimeout(240_000);
  dir = mkdtempSync(path.join(os.tmpdir(), 'parapet-states-'));
});
test.afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  rmSync(dir, { recursive: true, force: true });
});

async function start(options: HostOptions): Promise<Host> {
  const host = await startHost(options);
  cleanups.push(() => host.stop());
  return host;
}

/** The narrowest and the widest window, and the theme of its screenshot; themes don't affect layout. */
const LOOKS = [
  { width: 1024, height: 700, colorScheme: 'dark' },
  { width: 1920, height: 1080, colorScheme: 'light' },
] as const;

/**
 * Checks in a narrow and a wide window that the part lies within the window and that no button text is clipped. Saves
 * screenshots to the folder `PARAPET_PICTURES`, if set.
 */
async function looksRight(page: Page, name: string, part: Locator): Promise<void> {
  const before = page.viewportSize() ?? { width: 1280, height: 720 };
  const folder = process.env['PARAPET_PICTURES'];
  for (const { colorScheme, ...size } of LOOKS) {
    await page.setViewportSize(size);
    await expect(part).toBeVisible();
    const box = await part.boundingBox();
    expect(box && box.x >= 0 && box.x + box.width <= size.width, `${name} at ${size.width}`).toBe(true);
    const clipped = await part
      .getByRole('button')
      .evaluateAll((buttons) =>
        buttons
          .filter((button) => button.scrollWidth > button.clientWidth + 1)
          .map((button) => button.textContent),
      );
    expect(clipped, `${name} at ${size.width}`).toEqual([]);
    if (folder) {
      await page.emulateMedia({ colorScheme });
      await expect(page.locator('body')).toHaveClass(new RegExp(`pp-${colorScheme}`));
      await page.screenshot({ path: path.join(folder, `${name}-${colorScheme}-${size.width}.png`) });
      await page.emulateMedia({ colorScheme: null });
    }
  }
  await page.setViewportSize(before);
}

/** Presses Tab until the target has the focus; one that needs the connection is disabled until that is back. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeEnabled(SLOW);
  for (let n = 0; n < 60; n++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error('Tab does not lead there');
}

const mail = (n: number) =>
  [
    'From: a@one.example',
    'To: b@two.example',
    `Subject: Mail ${n}`,
    'Date: Mon, 16 Nov 2026 10:00:00 +0000',
    `Message-ID: <${n}@one.example>`,
    '',
    'Body',
    '',
  ].join('\r\n');

/** `evidence-state.test.ts` checks that the choice is permanent. */
test('missing evidence files raise a question, and the imported mail is kept or removed by keyboard', async ({
  page,
}) => {
  const folderOf = (name: string) => path.join(dir, name);
  // Different numbers, so that a figure cannot be that of the connection before.
  const mails = { kept: 12, removed: 11 };
  for (const [name, count] of Object.entries(mails)) {
    mkdirSync(folderOf(name));
    for (let n = 0; n < count; n++) writeFileSync(path.join(folderOf(name), `${n}.eml`), mail(n));
  }
  const options = { connect: `evidence:${folderOf('kept')}`, profile: path.join(dir, 'profile') };
  mkdirSync(options.profile, { mode: 0o700 });
  const first = await startHost(options);
  await page.goto(first.url);
  const figure = screen(page).locator('[data-tile="Emails"] .pp-figure');
  await expect(figure).toHaveText('12', SLOW);
  await keepSealed(page, 'a long passphrase');
  await openFolder(page, folderOf('removed'));
  await expect(figure).toHaveText('11', SLOW);
  await first.stop();
  for (const [name, count] of Object.entries(mails))
    for (let n = 0; n < count; n++) rmSync(path.join(folderOf(name), `${n}.eml`));

  const second = await start(options);
  await page.goto(second.url);
  await unlock(page, 'a long passphrase');
  for (const [name, choice, remaining] of [
    ['kept', 'Keep imported mail', '12'],
    ['removed', 'Remove it', '0'],
  ] as const) {
    if (name === 'removed') {
      await page.getByRole('button', { name: /^Connection / }).click();
      await page.getByRole('menuitem', { name }).click();
    }
    await expect(page.getByRole('button', { name: `Connection ${name} ` })).toBeVisible(SLOW);
    const count = mails[name];
    const asks = banner(page).getByText(new RegExp(`${count} of ${count} .* read earlier are no longer`));
    await expect(asks).toBeVisible(SLOW);
    if (name === 'removed') await looksRight(page, 'evidence-gone', banner(page));
    await tabTo(page, banner(page).getByRole('button', { name: choice }));
    await page.keyboard.press('Enter');
    await expect(asks).toBeHidden(SLOW);
    await expect(figure).toHaveText(remaining, SLOW);
    await expect(banner(page).getByText('Evidence incomplete.')).toHaveCount(0);
  }
});

/** Chooses to store secrets behind a passphrase. */
async function keepSealed(page: Page, passphrase: string): Promise<void> {
  await banner(page).getByRole('button', { name: 'Choose' }).click();
  await dialog(page).getByLabel('Passphrase', { exact: true }).fill(passphrase);
  await dialog(page).getByLabel('Repeat passphrase').fill(passphrase);
  await page.keyboard.press('Control+Enter');
  await expect(dialog(page)).toHaveCount(0, SLOW);
}

async function unlock(page: Page, passphrase: string): Promise<void> {
  await expect(dialog(page).getByLabel('Passphrase', { exact: true })).toBeFocused(SLOW);
  await page.keyboard.type(passphrase);
  await page.keyboard.press('Enter');
  await expect(banner(page).getByText('Saved secrets are locked')).toHaveCount(0, SLOW);
  await expect(dialog(page)).toHaveCount(0, SLOW);
}

test('locked secrets keep their banner until the right passphrase opens them', async ({ page }) => {
  const service = await startService(300);
  cleanups.push(() => stopService(service));
  const options = { connect: 'none', profile: path.join(dir, 'profile') };
  mkdirSync(options.profile, { mode: 0o700 });
  const first = await startHost(options);
  await page.goto(first.url);
  const add = page.getByRole('button', { name: 'Add a tenant' }).first();
  await add.click();
  // The form takes the focus as it opens, which would send the next key to it.
  await expect(page.getByLabel('Name', { exact: true })).toBeFocused();
  // The form is not modal: a dialog can open above it, and Escape closes it with the focus elsewhere.
  await page.getByRole('button', { name: 'shortcuts' }).press('Enter');
  await page
    .getByRole('dialog', { name: 'Keyboard shortcuts' })
    .getByRole('button', { name: 'Close' })
    .click();
  await expect(dialog(page)).toHaveCount(1);
  await page.getByRole('button', { name: 'shortcuts' }).press('Escape');
  await expect(dialog(page)).toHaveCount(0);
  await add.click();
  for (const [label, value] of [
    ['Name', 'Sealed tenant'],
    ['Service address', service.url],
    ['Credential', service.token],
  ] as const)
    await page.getByLabel(label, { exact: true }).fill(value);
  await page.getByRole('button', { name: 'Add and open' }).click();
  await dialog(page).getByLabel('Passphrase', { exact: true }).fill('a long passphrase');
  await dialog(page).getByLabel('Repeat passphrase').fill('a long passphrase');
  await page.keyboard.press('Control+Enter');
  await expect(dialog(page)).toHaveCount(0, SLOW);
  await expect(
    page.getByRole('button', { name: /^Connection Sealed tenant Tenant, connected$/ }),
  ).toBeVisible(SLOW);
  await first.stop();

  const second = await start(options);
  await page.goto(second.url);
  const field = dialog(page).getByLabel('Passphrase', { exact: true });
  await expect(field).toBeFocused(SLOW);
  await looksRight(page, 'secrets-dialog', dialog(page));
  await page.keyboard.type('a wrong passphrase');
  await page.keyboard.press('Enter');
  await expect(dialog(page).getByRole('alert')).toContainText(/passphrase/i, SLOW);
  await page.keyboard.press('Escape');
  const locked = banner(page).getByText('Saved secrets are locked');
  await expect(locked).toBeVisible();
  await looksRight(page, 'secrets-banner', banner(page));
  await tabTo(page, banner(page).getByRole('button', { name: 'Open' }));
  await page.keyboard.press('Enter');
  await unlock(page, 'a long passphrase');
  await expect(
    page.getByRole('button', { name: /^Connection Sealed tenant Tenant, connected$/ }),
  ).toBeVisible(SLOW);
});

/** The tests share a relay, a host and a window; each sets its own faults. */
test.describe('one tenant', () => {
  let relay: Relay;
  let host: Host;
  let page: Page;
  test.beforeAll(async ({ browser }) => {
    relay = await startRelay(1_500);
    host = await startHost({ connect: 'none' });
    page = await (await browser.newContext()).newPage();
    await openTenant(page, host, relay);
  });
  test.beforeEach(() => page.keyboard.press('Alt+Shift+W'));
  test.afterEach(() => {
    relay.change = () => null;
    relay.resetHanging();
  });
  test.afterAll(async () => {
    await page?.context().close();
    await host?.stop();
    await relay?.stop();
  });

  test('an action without a response is unknown in the journal and is resent only after a confirmation', async () => {
    await page.keyboard.press('Alt+n');
    await screen(page).getByRole('button', { name: /^Run/ }).first().click();
    await screen(page).locator('.ag-row[row-index="0"] .ag-cell[col-id="subject"]').click();
    await page.keyboard.press('a');
    await page.getByRole('menuitem', { name: 'Tag…', exact: true }).click();
    await dialog(page).locator('[data-targets="1"]').waitFor(SLOW);
    await dialog(page).getByLabel('Tag', { exact: true }).fill('looked-at');
    await dialog(page)
      .getByLabel(/^Reason/)
      .fill('A test');
    let sent = 0;
    relay.change = ({ method, path }) => {
      if (method !== 'POST' || !/\/action$/.test(path)) return null;
      sent += 1;
      return sent === 1 ? 'cut' : null;
    };
    await page.keyboard.press('Control+Enter');
    const again = dialog(page).getByRole('button', { name: 'Retry 1 unknown…' });
    await expect(again).toBeVisible(SLOW);
    expect(sent).toBe(1);
    await looksRight(page, 'not-known', dialog(page));
    await tabTo(page, again);
    await page.keyboard.press('Enter');
    await expect(dialog(page).getByRole('alert')).toContainText('This one may have arrived.');
    // The safe choice has the focus.
    await expect(dialog(page).getByRole('button', { name: 'Don’t send again' })).toBeFocused();
    await looksRight(page, 'not-known-again', dialog(page));
    const [box, button] = await Promise.all([
      dialog(page).boundingBox(),
      dialog(page).getByRole('button', { name: 'Send again to 1' }).boundingBox(),
    ]);
    expect(button!.x + button!.width).toBeLessThanOrEqual(box!.x + box!.width);
    await page.keyboard.press('Enter');
    await expect(again).toBeFocused();
    expect(sent).toBe(1);
    await tabTo(page, dialog(page).getByRole('button', { name: 'Show in Activity' }));
    await page.keyboard.press('Enter');
    await expect(screen(page)).toHaveAttribute('data-screen', 'activity');
    await expect(screen(page).locator('.pp-journal-detail')).toContainText('Unknown, may have arrived', SLOW);
    await looksRight(page, 'journal-not-known', screen(page).locator('.pp-journal'));
    // Nothing is known to be done, so the job is not partial, and the list offers no retry without a confirmation.
    const job = screen(page).locator('.pp-job-ended', { hasText: 'Tag: ' });
    await expect(job).toContainText('UNKNOWN');
    await expect(job).not.toContainText('PARTIAL');
    await expect(job.getByRole('button', { name: /again|Retry/ })).toHaveCount(0);
    await screen(page).getByRole('button', { name: 'Show 1 target' }).press('Enter');
    await tabTo(page, again);
    await page.keyboard.press('Enter');
    await tabTo(page, dialog(page).getByRole('button', { name: 'Send again to 1' }));
    await page.keyboard.press('Enter');
    await expect.poll(() => sent, SLOW).toBe(2);
    // The refusal may come from the first request, which arrived: neither attempt is known to have failed.
    await expect(dialog(page)).toContainText('An earlier attempt may have done it.', SLOW);
    await expect(dialog(page)).toContainText('It has the tag looked-at already');
    await expect(dialog(page).getByRole('status')).toContainText('1 unknown.');
    await page.keyboard.press('Escape');
    await expect(dialog(page)).toHaveCount(0);
    for (const row of [0, 1])
      await expect(
        screen(page).locator(`.pp-journal-list .ag-row[row-index="${row}"] .ag-cell[col-id="outcome"]`),
      ).toHaveText('Unknown, may have arrived', SLOW);
  });

  test('an export without an exact total promises at least the loaded rows', async () => {
    relay.change = ({ path, body }) => {
      if (!/\/query\/execute$/.test(path)) return null;
      // Only the first page is served.
      if (JSON.parse(body).search_after) return { status: 403, body: { error: 'Not now' } };
      return (answer) => ({ ...(answer as object), total_rows: 10 });
    };
    await page.keyboard.press('Alt+n');
    await screen(page).getByRole('button', { name: /^Run/ }).first().click();
    await screen(page).locator('.ag-row').first().waitFor(SLOW);
    await screen(page)
      .getByRole('button', { name: /^Export(?! query)/ })
      .first()
      .click();
    await expect(dialog(page).getByRole('button', { name: /^Export at least [\d,]+ rows/ })).toBeVisible();
    await expect(dialog(page)).toContainText('The service reports no exact total');
    await looksRight(page, 'export-at-least', dialog(page));
    relay.change = () => null;
    const file = nextFile(page);
    await page.keyboard.press('Control+Enter');
    const lines = readFileSync(await (await file).path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    expect(lines.length - 1).toBe(1_500);
  });

  test('[promise] a profile whose service hangs says so and shows the data of the list; its failure is reported once', async () => {
    await page.keyboard.press('Alt+n');
    await screen(page).getByRole('button', { name: /^Run/ }).first().click();
    await expect(screen(page).locator('.pp-results-count')).toHaveAttribute('data-total', /\d/, SLOW);
    const row = screen(page).locator('.ag-row[row-index="0"]');
    const verdict = await row.locator('.ag-cell[col-id="verdict"] .pp-verdict-word').innerText();
    const subject = await row.locator('.ag-cell[col-id="subject"]').innerText();
    relay.change = () => 'hang';
    await row.locator('.ag-cell[col-id="subject"]').click();
    await page.keyboard.press('Enter');
    await expect(screen(page)).toHaveAttribute('data-screen', 'email');
    // At once, from the row it was opened from.
    await expect(screen(page).locator('h1')).toHaveText(subject);
    const facts = screen(page).locator('[data-panel="Facts"]');
    await expect(facts.locator('.pp-verdict-word', { hasText: verdict })).toBeVisible();
    await expect(facts).toContainText(/@/);
    // Nothing has failed yet; the status bar says that it is waiting instead of connected.
    await expect(page.locator('.pp-status-reach')).toContainText(/^Waiting for the service · \d+ s$/, SLOW);
    await expect(screen(page).getByRole('alert')).toHaveCount(0);
    relay.change = () => ({ status: 500, body: { error: 'Out of memory' } });
    relay.resetHanging();
    // A problem shared by several parts is shown once above them with their number; the list's data stays.
    // The parts fail one after another, so the first may be reported alone at first.
    await expect(screen(page).getByRole('alert')).toHaveText(/^\d+ parts not loaded: /, SLOW);
    // A hidden tab may report the same failure, so only visible text counts.
    await expect(page.getByText(/Out of memory/).filter({ visible: true })).toHaveCount(1, SLOW);
    await expect(facts.locator('.pp-verdict-word', { hasText: verdict })).toBeVisible();
    await expect(screen(page).locator('[data-panel]').filter({ hasText: 'could not be loaded' })).toHaveCount(
      0,
    );
    await looksRight(page, 'hung', screen(page));
    relay.change = () => null;
    await screen(page).getByRole('button', { name: 'Retry' }).first().click();
    await expect(facts).toContainText('Message-ID', SLOW);
    await expect(screen(page).getByRole('alert')).toHaveCount(0);
  });

  test('a file is verified against its manifest by keyboard, and a changed one is reported', async () => {
    const text = 'a,b\r\n1,2\r\n';
    const file = path.join(dir, 'list.csv');
    const manifest = `${file}.manifest.json`;
    const digest = createHash('sha256').update(text).digest('hex');
    writeFileSync(file, text);
    writeFileSync(
      manifest,
      JSON.stringify({
        kind: 'parapet-file-manifest',
        version: 1,
        file: 'list.csv',
        bytes: text.length,
        sha256: digest,
        what: 'A list',
        entries: 1,
        at: '2026-11-22T10:00:00Z',
      }),
    );
    await page.keyboard.press('Control+k');
    await page.keyboard.type('activity');
    await page.keyboard.press('Enter');
    await expect(screen(page)).toHaveAttribute('data-screen', 'activity');
    await screen(page).getByRole('button', { name: 'Verify…' }).press('Enter');
    const verify = async (files: string[]) => {
      const chooser = page.waitForEvent('filechooser');
      await dialog(page).getByRole('button', { name: 'Choose file…' }).press('Enter');
      await (await chooser).setFiles(files);
      await expect(dialog(page).getByText('list.csv', { exact: true })).toBeVisible();
      await page.keyboard.press('Control+Enter');
    };
    await verify([manifest, file]);
    const status = dialog(page).getByRole('status');
    await expect(status).toContainText('list.csv matches its manifest.', SLOW);
    await expect(status).toContainText(digest);
    await looksRight(page, 'verify-holds', dialog(page));
    writeFileSync(file, text.replace('2', '3'));
    await verify([file, manifest]);
    await expect(status).toContainText('list.csv does not match its manifest.', SLOW);
    await looksRight(page, 'verify-not', dialog(page));
    await verify([file]);
    await expect(dialog(page).getByRole('alert')).toContainText(
      'has no manifest beside it or inside it',
      SLOW,
    );
    // Two files without a manifest are refused with the reason, and the dialog asks again.
    const chooser = page.waitForEvent('filechooser');
    await dialog(page).getByRole('button', { name: 'Choose file…' }).press('Enter');
    writeFileSync(path.join(dir, 'other.csv'), text);
    await (await chooser).setFiles([file, path.join(dir, 'other.csv')]);
    const again = page.getByRole('dialog', { name: 'Verify a file' }).last();
    await expect(again.getByRole('alert')).toHaveText('Choose one file, optionally with its manifest.');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await expect(dialog(page)).toHaveCount(0);
  });

  test('a new credential asks whether the account is the same; a new address says which data is removed', async () => {
    const [here, there] = [await startService(300), await startService(200)];
    cleanups.push(
      () => stopService(here),
      () => stopService(there),
    );
    await openTenant(page, host, here, 'Changed tenant');
    const drawer = page.getByRole('dialog', { name: 'Edit Changed tenant' });
    const open = async () => {
      await page
        .getByRole('navigation', { name: 'Sections' })
        .getByRole('button', { name: 'Settings' })
        .press('Enter');
      await screen(page)
        .locator('.pp-connection-row', { hasText: 'Changed tenant' })
        .getByRole('button', { name: 'Edit', exact: true })
        .press('Enter');
      await expect(drawer.getByLabel('Name', { exact: true })).toBeFocused();
    };
    const type = async (label: string, text: string) => {
      await tabTo(page, drawer.getByLabel(label, { exact: true }));
      await page.keyboard.press('Control+a');
      await page.keyboard.insertText(text);
    };
    const question = drawer.getByRole('group', { name: 'Same tenant and account?' });
    const unsaid = drawer
      .getByRole('alert')
      .getByText('Choose whether the new credential is for the same account.');

    await open();
    await expect(question).toBeHidden();
    await type('Credential', here.token);
    await expect(question).toBeVisible();
    // Without an answer nothing is saved, and the drawer says what is missing.
    await page.keyboard.press('Control+Enter');
    await expect(unsaid).toBeVisible();
    await looksRight(page, 'account-question', drawer);
    await tabTo(page, question.getByRole('radio', { name: 'Yes, renewed' }));
    await page.keyboard.press('Space');
    await expect(unsaid).toBeHidden();
    await expect(drawer.getByText('Cached data stays only if')).toBeVisible();
    await page.keyboard.press('ArrowRight');
    await expect(question.getByRole('radio', { name: 'No, a different one' })).toBeChecked();
    await expect(drawer.getByText('Cached data of this connection is removed when you save.')).toBeVisible();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Control+Enter');
    await expect(dialog(page)).toHaveCount(0, SLOW);

    await open();
    await type('Service address', there.url);
    await type('Credential', there.token);
    await expect(question).toBeHidden();
    await expect(drawer.getByText('This is a different service')).toBeVisible();
    await looksRight(page, 'address-moves', drawer);
    await page.keyboard.press('Control+Enter');
    await expect(dialog(page)).toHaveCount(0, SLOW);
    await expect(page.getByRole('button', { name: /, connected$/ })).toBeVisible(SLOW);

    // The other tests use the first tenant.
    await page.getByRole('button', { name: /^Connection / }).click();
    await page.getByRole('menuitem', { name: /^Large tenant/ }).click();
    await expect(page.getByRole('button', { name: /^Connection Large tenant .*, connected$/ })).toBeVisible(
      SLOW,
    );
  });
});
