/**
 * The product in its own window: the analyst's main job and the features that only a window has. Runs in real Chromium
 * under the Electron stand-in (project `window`), and in Electron if its binary and a display are present (`electron`).
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Page, test } from '@playwright/test';
import { parse } from 'csv-parse/sync';
import { expect } from '../fixtures.ts';
import { screen } from '../on-screen.ts';
import { type RecordingProxy, startRecordingProxy } from '../recording-proxy.ts';
import { cell, count, header, number, rows } from '../results-page.ts';
import { addTenant } from '../tenant.ts';
import { lacksElectron, openWindow, type ParapetWindow } from './parapet-window.ts';
import { serveRelease } from './release-server.ts';

const SLOW = { timeout: 30_000 };
const PASSPHRASE = 'a long passphrase';
/** Below the automatic fetch limit. */
const EMAILS = 1500;

const why = lacksElectron();
const inElectron = () => test.info().project.name === 'electron';
test.beforeAll(() => {
  if (inElectron() && why !== null) console.log(`The Electron suite is skipped: ${why}.`);
});
test.beforeEach(() => test.skip(inElectron() && why !== null, why ?? ''));

test.describe.configure({ timeout: 180_000 });

let dir = '';
let proxy: RecordingProxy | null = null;
let shown: ParapetWindow | null = null;
test.beforeEach(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'parapet-window-'));
});
test.afterEach(async () => {
  try {
    await shown?.end();
  } finally {
    shown = null;
    await proxy?.stop();
    proxy = null;
    // Empty if the test was skipped before it had a folder.
    if (dir !== '') rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
    dir = '';
  }
});

const open = async (...args: string[]) => {
  shown = await openWindow(inElectron(), ['--profile', path.join(dir, 'profile'), ...args]);
  shown.page.setDefaultTimeout(SLOW.timeout);
  return shown;
};
const dialog = (page: Page) => page.getByRole('dialog');
const connection = (page: Page) => page.getByRole('banner').getByRole('button', { name: /^Connection / });

async function switchOffline(page: Page, offline: boolean): Promise<void> {
  await connection(page).click();
  await page.getByRole('menuitem', { name: offline ? 'Go offline' : 'Go online' }).click();
  await expect(page.getByRole('button', { name: offline ? /, offline$/ : /, connected$/ })).toBeVisible(SLOW);
}

/** A profile with an evidence connection whose secrets are locked at the next start. */
async function keptBehindPassphrase(): Promise<void> {
  const mail = path.join(dir, 'mail');
  mkdirSync(mail);
  writeFileSync(path.join(mail, 'one.eml'), 'From: a@one.example\r\nSubject: One\r\n\r\nHello.\r\n');
  const window = await open('--connect', `evidence:${mail}`);
  const { page } = window;
  await page.locator('.pp-banners').getByRole('button', { name: 'Choose' }).click();
  await dialog(page).getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE);
  await dialog(page).getByLabel('Repeat passphrase').fill(PASSPHRASE);
  await page.keyboard.press('Control+Enter');
  await expect(dialog(page)).toHaveCount(0, SLOW);
  expect(await window.close()).toBe(0);
  await window.end();
}

async function run(page: Page): Promise<void> {
  await screen(page).getByRole('button', { name: /^Run/ }).first().click();
  await expect(count(page)).toHaveAttribute('data-total', /^\d+$/, SLOW);
}

test('the main job works in a window and its state survives a restart', async () => {
  const window = await open('--connect', 'none');
  const { page, address } = window;
  const service = await startRecordingProxy(EMAILS);
  proxy = service;
  const broken: string[] = [];
  page.on('pageerror', (error) => broken.push(String(error)));
  page.on('console', (message) => {
    if (['warning', 'error'].includes(message.type())) broken.push(message.text());
  });

  await test.step('it shows the product, and nothing of Node', async () => {
    expect(page.url()).toBe(address);
    await expect(page.getByRole('navigation').first()).toBeVisible();
    expect(await window.state()).toMatchObject({ visible: true, minimised: false, maximised: false });
    const reach = await page.evaluate(() => ({
      wire: Object.keys(Reflect.get(globalThis, 'parapetWire') as object),
      node: ['require', 'process', 'module'].filter((name) => name in globalThis),
    }));
    expect(reach).toEqual({ wire: ['send', 'onFrame', 'onClose', 'drop'], node: [] });
  });

  await test.step('a tenant, its credential behind a passphrase', async () => {
    await addTenant(page, service.service);
    await dialog(page).getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE);
    await dialog(page).getByLabel('Repeat passphrase').fill(PASSPHRASE);
    await page.keyboard.press('Control+Enter');
    await expect(dialog(page)).toHaveCount(0, SLOW);
    await expect(page.getByRole('button', { name: /^Connection Large tenant.*, connected$/ })).toBeVisible(
      SLOW,
    );
  });

  await test.step('a query from the menu, run and sorted', async () => {
    await window.menu('File', 'New query');
    await expect(screen(page).locator('.pp-qb')).toBeVisible();
    await run(page);
    await expect.poll(() => number(page, 'loaded'), SLOW).toBe(EMAILS);
    // The rows of the order before stay until those of a new one are there.
    const top = screen(page).locator('.ag-row[row-index="0"]:not(.pp-row-wait)');
    for (const order of ['ascending', 'descending']) {
      const before = (await top.getAttribute('row-id')) ?? '';
      await header(page, 'subject').click();
      await expect(header(page, 'subject')).toHaveAttribute('aria-sort', order);
      await expect(top).not.toHaveAttribute('row-id', before);
    }
    // Mail without a subject sorts first ascending, last descending.
    await expect(cell(page, 0, 'subject')).not.toHaveText('Empty');
    await expect(cell(page, 0, 'subject')).not.toBeEmpty();
  });
  const first = (await cell(page, 0, 'subject').innerText()).trim();

  await test.step('an export goes to the path of the dialog', async () => {
    const file = path.join(dir, 'of the analyst.csv');
    await window.answer('save', file);
    await screen(page)
      .getByRole('button', { name: /^Export( results)?$/ })
      .last()
      .click();
    await dialog(page)
      .getByRole('button', { name: /^Export [\d,]+ row/ })
      .click();
    await expect.poll(() => existsSync(file), SLOW).toBe(true);
    const table = parse(readFileSync(file), { bom: true }) as string[][];
    expect(table).toHaveLength(EMAILS + 1);
    expect(table[1]?.[table[0]?.indexOf('Subject') ?? -1]?.replace(/^'/, '')).toBe(first);
    // The manifest gets its name after the file.
    await expect.poll(() => existsSync(`${file}.manifest.json`), SLOW).toBe(true);
    const [saveDialog] = await window.asked();
    expect(saveDialog).toMatchObject({ kind: 'save', modal: true });
    expect(saveDialog?.suggested).toMatch(/\.csv$/);
  });

  await test.step('a cancelled export writes no file and shows no message', async () => {
    const before = readdirSync(dir);
    await screen(page)
      .getByRole('button', { name: /^Export( results)?$/ })
      .last()
      .click();
    await dialog(page)
      .getByRole('button', { name: /^Export [\d,]+ row/ })
      .click();
    await expect.poll(async () => (await window.asked()).length).toBe(2);
    expect(readdirSync(dir)).toEqual(before);
    await page.keyboard.press('Escape');
    await expect(dialog(page)).toHaveCount(0);
  });

  await test.step('indicators go to the system clipboard, and an email opens', async () => {
    await cell(page, 0, 'subject').click();
    // All rows, as an internal mail has only the tenant's own indicators, which are left out.
    await page.keyboard.press('Control+a');
    await page.keyboard.press('c');
    await expect(dialog(page).getByRole('button', { name: /^Copy \d/ })).toBeFocused(SLOW);
    await page.keyboard.press('Enter');
    await expect.poll(() => window.copied()).not.toBe('');
    await cell(page, 0, 'subject').dblclick();
    await expect(screen(page)).toHaveAttribute('data-screen', 'email');
    await expect(screen(page).getByRole('heading', { level: 1 })).toHaveText(first, SLOW);
  });

  await test.step('queries are exported to a file and imported', async () => {
    const file = path.join(dir, 'queries.json');
    await page.keyboard.press('Alt+2');
    await page.getByLabel('Search queries').fill('Replies to quarantined');
    await expect(page.locator('[data-preview] h2')).toContainText('Replies to quarantined');
    await rows(page).first().click();
    await window.answer('save', file);
    await screen(page).getByRole('button', { name: 'Export' }).click();
    await expect.poll(() => existsSync(file), SLOW).toBe(true);
    const content = JSON.parse(readFileSync(file, 'utf8')) as { queries: object[] };
    writeFileSync(
      file,
      JSON.stringify({ ...content, queries: [{ ...content.queries[0], id: null, name: 'From a file' }] }),
    );
    await window.answer('open', file);
    await screen(page).getByRole('button', { name: 'Import' }).click();
    await dialog(page).getByRole('button', { name: 'Import 1 query' }).click();
    await expect(dialog(page)).toContainText('Imported 1 query');
    await expect(dialog(page)).toContainText('From a file');
    await dialog(page).getByRole('button', { name: 'Close' }).last().click();
    await expect(dialog(page)).toHaveCount(0);
  });

  await test.step('the same email stays open offline and after a reload', async () => {
    await page
      .getByRole('tab')
      .filter({ hasText: first.slice(0, 20) })
      .first()
      .click();
    await switchOffline(page, true);
    await page.reload();
    await expect(page.getByRole('button', { name: /, offline$/ })).toBeVisible(SLOW);
    await expect(screen(page).getByRole('heading', { level: 1 })).toHaveText(first, SLOW);
    await switchOffline(page, false);
  });

  await test.step('after a sleep the connection is checked at once', async () => {
    const before = service.seen.length;
    await window.sleep();
    await expect
      .poll(() => service.seen.slice(before).some((line) => /^GET \S*\/apps\b/.test(line)))
      .toBe(true);
    await expect(page.getByRole('button', { name: /, connected$/ })).toBeVisible();
  });

  await test.step('the window buttons work, and a second start restores the window', async () => {
    await page.getByRole('button', { name: 'Maximise' }).click();
    await expect.poll(async () => (await window.state()).maximised).toBe(true);
    await page.getByRole('button', { name: 'Maximise' }).click();
    await expect.poll(async () => (await window.state()).maximised).toBe(false);
    await page.getByRole('button', { name: 'Minimise' }).click();
    await expect.poll(async () => (await window.state()).minimised).toBe(true);
    const second = await window.second();
    expect(second.output).toContain('already running');
    expect(second.code).toBe(0);
    await expect.poll(async () => (await window.state()).minimised).toBe(false);
  });

  await test.step('the page cannot navigate away or open a window', async () => {
    await page.evaluate(() => {
      globalThis.open('https://example.invalid/');
      location.href = 'https://example.invalid/';
    });
    await expect(page).toHaveURL(address);
    expect(page.context().pages()).toHaveLength(1);
  });

  expect(broken).toEqual([]);

  await test.step('a crashed page reloads while its job continues', async () => {
    const held = service.hold(/^POST \S*\/query\/execute/);
    await window.menu('File', 'New query');
    await expect(screen(page).locator('.pp-qb')).toBeVisible();
    await screen(page).getByRole('button', { name: /^Run/ }).first().click();
    await expect.poll(held.waiting, SLOW).toBeGreaterThan(0);
    await window.crash();
    await expect.poll(window.output, SLOW).toContain('The window crashed');
    await expect.poll(() => window.text().catch(() => ''), SLOW).toContain('Large tenant');
    await window.place({ x: 100, y: 60, width: 1200, height: 760 });
    // The window also closes cleanly while the job waits for a response.
    expect(await window.close()).toBe(0);
    held.release();
  });

  await test.step('a restart restores the window position, the tabs and their data', async () => {
    await window.end();
    const restarted = await open();
    const { page } = restarted;
    expect((await restarted.state()).bounds).toMatchObject({ x: 100, y: 60, width: 1200, height: 760 });
    expect(await page.evaluate(() => [innerWidth, innerHeight])).toEqual([1200, 760]);
    await dialog(page).getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE);
    await page.keyboard.press('Enter');
    await expect(dialog(page)).toHaveCount(0, SLOW);
    await expect(page.getByRole('button', { name: /^Connection Large tenant.*, connected$/ })).toBeVisible(
      SLOW,
    );
    await expect(page.getByRole('tab')).not.toHaveCount(0);
    await page
      .getByRole('tab', { name: /New query|Query/ })
      .first()
      .click();
    await expect(count(page)).toHaveAttribute('data-total', String(EMAILS), SLOW);
    await restarted.menu('File', 'quit');
    await restarted.end();
    shown = null;
  });
});

test('files and links from arguments, a second start or the system are confirmed before they open', async () => {
  const mail = path.join(dir, 'handed over');
  mkdirSync(mail);
  for (const name of ['first.eml', 'second.eml', 'third.eml'])
    writeFileSync(
      path.join(mail, name),
      `From: ann@sender.example\r\nSubject: ${name}\r\nMessage-ID: <${name}@sender.example>\r\n\r\nHello.\r\n`,
    );
  await keptBehindPassphrase();
  const window = await open(path.join(mail, 'first.eml'), 'parapet://settings');
  const { page } = window;
  const connections = async () => {
    await connection(page).click();
    await page.getByRole('menuitem', { name: 'Add a tenant…' }).waitFor();
    const names = await page.getByRole('menuitem').allInnerTexts();
    await page.keyboard.press('Escape');
    return names.join(' ');
  };

  await test.step('a locked profile is unlocked first, then the file is confirmed, then the link opens', async () => {
    await expect(dialog(page)).toContainText('Saved secrets are locked', SLOW);
    await dialog(page).getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE);
    await page.keyboard.press('Enter');
    await expect(dialog(page)).toContainText('Open this mail file?', SLOW);
    await expect(dialog(page)).toContainText('first.eml');
    await expect(dialog(page)).toContainText(mail);
    expect(await screen(page).getAttribute('data-screen')).not.toBe('settings');
    await page.keyboard.press('Escape');
    await expect(screen(page)).toHaveAttribute('data-screen', 'settings', SLOW);
    expect(await connections()).not.toContain('first.eml');
  });

  await test.step('a second start hands over a relative path, and this window comes to the front', async () => {
    await window.minimise();
    await expect.poll(async () => (await window.state()).minimised).toBe(true);
    const second = await window.second(
      ['--some-switch=of-chromium', 'second.eml', 'parapet://email/a/b/delete'],
      mail,
    );
    expect(second.output).toContain('already running');
    expect(second.code).toBe(0);
    await expect.poll(async () => (await window.state()).minimised).toBe(false);
    await expect(dialog(page)).toContainText('second.eml', SLOW);
    await page.keyboard.press('Escape');
    await expect(page.locator('[data-toasts]')).toContainText('leads to no screen', SLOW);
    await expect(screen(page)).toHaveAttribute('data-screen', 'settings');
  });

  await test.step('the system hands over a link and a file, which opens once it is confirmed', async () => {
    expect(await window.opened('open-url', 'parapet://guide')).toBe(true);
    await expect(screen(page)).toHaveAttribute('data-screen', 'guide');
    for (let index = 0; index < 100; index++)
      await window.opened('open-url', `parapet://email/gmail/${index}`);
    await expect(page.locator('[data-toasts]')).toContainText(/\d+ files or links not opened/, SLOW);
    expect(await page.getByRole('navigation', { name: 'Tabs' }).getByRole('tab').count()).toBeLessThan(15);
    expect(await window.opened('open-file', path.join(mail, 'third.eml'))).toBe(true);
    await expect(dialog(page)).toContainText('third.eml', SLOW);
    await page.keyboard.press('Control+Enter');
    await expect(page.getByRole('button', { name: /^Connection third\.eml/ })).toBeVisible(SLOW);
  });
  expect(await window.close()).toBe(0);
});

test('an update is checked only on request, then downloaded and installed', async () => {
  test.skip(inElectron(), 'An archive that knows another feed is refused by its integrity.');
  const release = await serveRelease(dir, '- Added: <b>something</b>.\n- Fixed: the rest.');
  try {
    const args = ['--profile', path.join(dir, 'another profile'), '--connect', 'none', 'parapet://settings'];
    shown = await openWindow(false, args, release.product);
    const { page } = shown;
    const updates = page.locator('.pp-panel').filter({ has: page.getByRole('heading', { name: 'Updates' }) });
    await expect(updates).toContainText('Never checked', SLOW);
    expect(release.asked).toEqual([]);
    await updates.getByRole('button', { name: 'Check now' }).click();
    await expect(updates).toContainText('Version 9.0.0 is available', SLOW);
    await expect(updates.getByRole('region', { name: 'Release notes' })).toHaveText(
      '- Added: <b>something</b>.\n- Fixed: the rest.',
    );
    expect(release.asked).toEqual(['/stable.json']);
    await updates.getByRole('button', { name: 'Download 1.9 MB' }).click();
    const restart = updates.getByRole('button', { name: 'Restart to install' });
    await expect(restart).toBeVisible(SLOW);
    expect(readFileSync(release.image).equals(release.bytes)).toBe(false);
    await restart.click();
    await expect.poll(shown.output, SLOW).toContain(`relaunches ${release.image}`);
    expect(readFileSync(release.image).equals(release.bytes)).toBe(true);
    expect(await shown.close()).toBe(0);
  } finally {
    await release.stop();
  }
});

test('the packaged product does not start without its sandbox', async () => {
  test.skip(inElectron(), 'Electron itself says whether it is packaged.');
  const { startStandIn } = await import('../../electron-standin/launch.ts');
  const started = startStandIn(['--no-sandbox', '--profile', path.join(dir, 'profile')], {
    ELECTRON_STANDIN_PACKAGED: '1',
  });
  expect(await started.exited).toBe(2);
  expect(started.output()).toContain('does not show mail without the sandbox');
});

test('Chromium itself takes the picture of a body, also of one that no other way draws, and nothing of it runs', async () => {
  const mail = path.join(dir, 'mail');
  mkdirSync(mail);
  // The page behind the body is painted, which a picture drawn on a canvas does not have.
  const body = `<style>:root{background:linear-gradient(rgb(0,128,0),rgb(0,128,0))!important} .high{height:50vh}
    @media (min-height:2000px){.media{background:rgb(255,0,0)!important}}</style>
    <div class=media style="height:40px;background:rgb(0,0,255)"></div><div class=high></div><div style="height:3000px"></div>
    <div style="height:80px;overflow:auto"><div style="height:400px;background:rgb(9,9,9)"></div></div>`;
  writeFileSync(
    path.join(mail, 'one.eml'),
    `From: a@one.example\r\nSubject: One\r\nMessage-ID: <one@pictures.example>\r\nContent-Type: text/html\r\n\r\n${body}\r\n`,
  );
  const window = await open('--connect', `evidence:${mail}`);
  const { page } = window;
  // The palette finds the mail once the folder has been read.
  await expect(async () => {
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.keyboard.insertText('<one@pictures.example>');
    await page.getByRole('option', { name: /^One/ }).first().click({ timeout: 5_000 });
  }).toPass({ timeout: 60_000 });
  await screen(page).getByRole('tab', { name: /^Body/ }).click();
  const file = path.join(dir, 'body.png');
  await window.answer('save', file);
  await screen(page).getByRole('button', { name: 'Save picture of the body…' }).click();
  await expect.poll(() => existsSync(file), SLOW).toBe(true);
  const coloursOf = (base64: string, places: readonly (readonly [number, number])[]) =>
    page.evaluate(
      async ([data, place]) => {
        const image = new Image();
        image.src = `data:image/png;base64,${data}`;
        await image.decode();
        const canvas = document.createElement('canvas');
        canvas.width = image.naturalWidth;
        canvas.height = image.naturalHeight;
        const context = canvas.getContext('2d');
        context?.drawImage(image, 0, 0);
        return {
          size: [canvas.width, canvas.height],
          colours: place.map(([x, y]) =>
            [...(context?.getImageData(x, y, 1, 1).data.slice(0, 3) ?? [])].join(' '),
          ),
        };
      },
      [base64, places] as const,
    );
  const { size, colours } = await coloursOf(readFileSync(file).toString('base64'), [
    [40, 30],
    [40, 2000],
    [4, 4],
  ]);
  expect(colours).toEqual(['0 0 255', '0 128 0', '0 128 0']);
  // The area that scrolls is shown in full.
  expect(size[1]).toBeGreaterThan(3_440);

  await test.step('a document that was not sanitised runs no script and loads nothing', async () => {
    const hostile = `<!doctype html><body style="margin:0;background:rgb(0,0,255)" onload="document.body.style.background='red'">
      <script>document.body.style.background = 'red'</script><img src="https://pictures.invalid/a.png" onerror="document.body.style.background='red'">
      <img name="querySelectorAll"><iframe src="app://parapet/index.html"></iframe><meta http-equiv=refresh content="0;url=https://pictures.invalid/b">`;
    const answer = await page.evaluate(
      (text) =>
        new Promise<{ png: string }>((resolve) => {
          const wire = Reflect.get(globalThis, 'parapetWire') as {
            send(frame: object): void;
            onFrame(handler: (frame: { id?: number; output?: { png: string } }) => void): void;
          };
          wire.onFrame((frame) => {
            if (frame.id === 987_654 && frame.output) resolve(frame.output);
          });
          const pixels = { width: 200, height: 100 };
          wire.send({
            ...{ type: 'call', id: 987_654, operation: 'window.capture' },
            input: { document: text, view: pixels, size: pixels, isDark: false, looks: [] },
          });
        }),
      hostile,
    );
    expect((await coloursOf(answer.png, [[190, 90]])).colours).toEqual(['0 0 255']);
    if (!inElectron()) {
      const { pictures } = (await window.state()) as unknown as { pictures: { outcome: string }[] };
      // The window may be gone before it asks for the image, or after.
      expect(pictures.filter(({ outcome }) => outcome !== 'cancelled')).toEqual([]);
    }
    expect(page.context().pages()).toHaveLength(1);
  });
});
