/**
 * Hostile bodies in a real browser: no script runs, no request is sent, nothing navigates. First many bodies go
 * through the sanitiser, in a page of the product under its content security policy; then whole mails through the
 * product itself.
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
import type { Browser, Page } from '@playwright/test';
import PostalMime from 'postal-mime';
import { build } from 'vite';
import { expect, test } from './fixtures.ts';
import { type Host, startHost } from './host.ts';
import { HOSTILE } from './hostile-bodies.ts';

// A trace injects scripts into every frame; their refusal would look like that of a body's script.
test.use({ trace: 'off' });

const root = path.resolve(import.meta.dirname, '../..');
const shared = process.env['PARAPET_SHARED'] ?? path.resolve(root, '../shared');
const vectorFile = (name: string) => path.join(shared, 'data/html', name);

/** All files below a folder of the shared data; empty if the folder is not on this machine. */
function filesBelow(folder: string): string[] {
  const dir = path.join(shared, 'data', folder);
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}

/** The code under test, bundled; served from the page's origin, as the policy allows no other. */
async function probeScript(): Promise<string> {
  const entry = path.join(root, 'src/renderer/features/email/body-safe.ts');
  const out = await build({
    root,
    configFile: false,
    logLevel: 'silent',
    build: { write: false, minify: false, lib: { entry, formats: ['iife'], name: 'parapetProbe' } },
  });
  const [first] = Array.isArray(out) ? out : [out];
  if (!first || !('output' in first)) throw new Error('The probe was not built');
  return first.output[0].code;
}

interface Watch {
  page: Page;
  /** Requests to anything but the host, navigations, dialogs and popups, as text. */
  escapes: string[];
  /** Console messages about scripts, styles or loads that the browser blocked. */
  refused: string[];
}

async function watch(browser: Browser, host: Host): Promise<Watch> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const origin = new URL(host.url).origin;
  const escapes: string[] = [];
  const refused: string[] = [];
  const isLocal = (url: string) => url.startsWith(origin) || /^(?:data|blob|about):/.test(url);
  page.on('request', (request) => {
    const inFrame = request.frame() !== page.mainFrame();
    if (!isLocal(request.url()) || (inFrame && request.url().startsWith(origin)))
      escapes.push(`request ${request.url()}`);
  });
  page.on('framenavigated', (frame) => {
    if (frame === page.mainFrame() ? !isLocal(frame.url()) : !frame.url().startsWith('about:'))
      escapes.push(`navigation ${frame.url()}`);
  });
  page.on('dialog', (dialog) => {
    escapes.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on('page', (popup) => escapes.push(`window ${popup.url()}`));
  page.on('console', (message) => {
    // Expected: the inert document that a body is parsed into ignores its <base>. It loads nothing.
    if (message.text().startsWith("Setting the document's base URI")) return;
    if (/Blocked script execution|Content Security Policy|Unsafe attempt|@import rules/i.test(message.text()))
      refused.push(message.text().slice(0, 300));
  });
  await page.goto(host.url);
  await page.waitForSelector('.pp-shell');
  return { page, escapes, refused };
}

interface Outcome {
  drawn: boolean;
  /** Time until the browser has drawn it. */
  ms: number;
  text: string;
  /** Forbidden elements, attributes and styles that are left in the body. */
  unsafe: string[];
}

/** Sanitises each body in the page and draws it as the product does. */
async function drawAll(page: Page, bodies: readonly string[]): Promise<Outcome[]> {
  return page.evaluate(async (list) => {
    type Probe = { makeSafe: (html: string) => { document: string | null } };
    const { makeSafe } = (globalThis as unknown as { parapetProbe: Probe }).parapetProbe;
    const allowedTags =
      /^(?:html|head|meta|style|body|abbr|address|article|aside|b|bdi|bdo|big|blockquote|br|caption|center|cite|code|col|colgroup|dd|del|dfn|dir|div|dl|dt|em|figcaption|figure|font|footer|h[1-6]|header|hr|i|img|ins|kbd|li|main|mark|menu|nav|nobr|ol|p|pre|q|s|samp|section|small|span|strike|strong|sub|summary|sup|table|tbody|td|tfoot|th|thead|time|tr|tt|u|ul|var|wbr)$/;
    const outcomes: Outcome[] = [];
    for (const html of list) {
      const began = performance.now();
      const { document: safeDocument } = makeSafe(html);
      const unsafe: string[] = [];
      if (safeDocument === null) {
        outcomes.push({ drawn: false, ms: performance.now() - began, text: '', unsafe });
        continue;
      }
      const frame = document.createElement('iframe');
      frame.setAttribute('sandbox', 'allow-same-origin');
      const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
      frame.srcdoc = safeDocument;
      document.body.append(frame);
      await loaded;
      const ms = performance.now() - began;
      const doc = new DOMParser().parseFromString(safeDocument, 'text/html');
      for (const element of doc.querySelectorAll('*')) {
        if (!allowedTags.test(element.localName)) unsafe.push(`element ${element.localName}`);
        for (const { name, value } of element.attributes) {
          if (
            /^on/i.test(name) ||
            /^(?:href|action|formaction|srcset|background|srcdoc|ping|data|xlink:href)$/i.test(name)
          )
            unsafe.push(`attribute ${name}`);
          if (name === 'src' && !/^data:image\/(?:png|jpe?g|gif|webp|bmp|avif);base64,/i.test(value))
            unsafe.push(`src ${value.slice(0, 80)}`);
          if (name === 'style' && /url\((?!"data:image\/)/i.test(value))
            unsafe.push(`style ${value.slice(0, 80)}`);
        }
      }
      for (const style of doc.querySelectorAll('style')) {
        if (/@import|url\((?!"data:image\/)/i.test(style.textContent ?? '')) unsafe.push('style sheet');
      }
      outcomes.push({ drawn: true, ms, text: doc.body.textContent ?? '', unsafe });
      frame.remove();
    }
    return outcomes;
  }, bodies);
}

/** Loads the code under test into a page of the product. */
async function loadProbe(page: Page): Promise<void> {
  const script = await probeScript();
  await page.route('**/probe.js', (route) => route.fulfill({ contentType: 'text/javascript', body: script }));
  await page.addScriptTag({ url: '/probe.js' });
}

async function expectHarmless(
  { page, escapes, refused }: Watch,
  bodies: readonly string[],
): Promise<Outcome[]> {
  const outcomes = await drawAll(page, bodies);
  const broken = outcomes.flatMap(({ unsafe }, index) =>
    unsafe.length > 0 ? [{ body: bodies[index], unsafe }] : [],
  );
  expect(broken).toEqual([]);
  expect(await page.evaluate(() => 'pwned' in globalThis)).toBe(false);
  expect(escapes).toEqual([]);
  // The frame's sandbox and policy had nothing left to block.
  expect(refused).toEqual([]);
  return outcomes;
}

/** All tests share a host, which has the hostile mails as evidence, and a window. */
let dir = '';
let host: Host;
let watched: Watch;
test.beforeAll(async ({ browser }) => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'parapet-hostile-'));
  mkdirSync(path.join(dir, 'mail'));
  for (const [index, { html }] of HOSTILE.entries())
    writeFileSync(path.join(dir, 'mail', `${index}.eml`), mail(index, html));
  host = await startHost({ connect: `evidence:${path.join(dir, 'mail')}` });
  watched = await watch(browser, host);
});
test.afterAll(async () => {
  await watched?.page.context().close();
  await host?.stop();
  rmSync(dir, { recursive: true, force: true });
});

test.describe('hostile bodies', () => {
  test.beforeAll(() => loadProbe(watched.page));

  test('[spec 7] hand-made bodies run, load and navigate nothing and stay readable; too large or too deeply nested ones are not drawn', async () => {
    const oversized = [
      '<div>'.repeat(39_000),
      '<font><b>'.repeat(15_000),
      '<i>x</i>'.repeat(20_000),
      `<p ${Array.from({ length: 20_000 }, (_, index) => `a${index}=1`).join(' ')}>x`,
      'x'.repeat(2 * 1024 * 1024 + 1),
    ];
    const outcomes = await expectHarmless(watched, [...HOSTILE.map(({ html }) => html), ...oversized]);
    expect(outcomes.slice(HOSTILE.length).map(({ drawn }) => drawn)).toEqual(oversized.map(() => false));
    const lost = HOSTILE.filter(
      ({ html }, index) => html.includes('seen') && !outcomes[index]?.text.includes('seen'),
    );
    expect(lost.map(({ name }) => name)).toEqual([]);
    const text = (name: string) => outcomes[HOSTILE.findIndex((mail) => mail.name === name)]?.text ?? '';
    expect(text('form')).toContain('evil[.]example');
    expect(text('links')).toContain('goes to evil[.]example');
  });

  test('bodies of public collections run, load and navigate nothing', async () => {
    const files = ['dompurify.jsonl', 'h5sc.jsonl', 'httpleaks.jsonl'].filter((name) =>
      existsSync(vectorFile(name)),
    );
    test.skip(files.length === 0, 'the shared collections of vectors are not on this machine');
    const bodies = files.flatMap((name) =>
      readFileSync(vectorFile(name), 'utf8')
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map((line) => JSON.parse(line) as { payload?: string; data?: string; html?: string })
        .map(({ payload, data, html }) =>
          (payload ?? data ?? html ?? '').replaceAll(/%js_[a-z_0-9]+%/g, 'javascript:top.pwned=1'),
        ),
    );
    for (const name of ['patt_xss.txt', 'xss_payloadbox.txt'].filter((name) =>
      existsSync(vectorFile(name)),
    )) {
      const lines = readFileSync(vectorFile(name), 'utf8').split('\n');
      // 25 vectors share a body to save time; one that swallows the rest hides only those.
      for (let offset = 0; offset < lines.length; offset += 25)
        bodies.push(lines.slice(offset, offset + 25).join('\n<hr>\n'));
    }
    const outcomes = await expectHarmless(watched, bodies);
    expect(outcomes.filter(({ drawn }) => !drawn)).toEqual([]);
  });

  test('[promise] every available mail and page is safe and drawn within two seconds', async () => {
    test.setTimeout(300_000);
    const mails = filesBelow('eml').filter((file) => !file.endsWith('.jsonl'));
    const pages = filesBelow('html').filter((file) => !/\.(?:jsonl|txt)$/.test(file));
    test.skip(mails.length + pages.length === 0, 'the shared mails and pages are not on this machine');
    const bodies: { file: string; html: string }[] = [];
    for (const file of mails) {
      // An unreadable mail has no body.
      const mail = await PostalMime.parse(readFileSync(file)).catch(() => null);
      const html = mail?.html ?? (mail?.text ? `<pre>${mail.text}</pre>` : null);
      if (html !== null) bodies.push({ file, html });
    }
    for (const file of pages) bodies.push({ file, html: readFileSync(file, 'utf8') });
    expect(bodies.length).toBeGreaterThan(0.9 * (mails.length + pages.length));
    const outcomes: (Outcome & { file: string })[] = [];
    for (let offset = 0; offset < bodies.length; offset += 100) {
      const some = bodies.slice(offset, offset + 100);
      const harmless = await expectHarmless(
        watched,
        some.map(({ html }) => html),
      );
      outcomes.push(...harmless.map((mail, index) => ({ ...mail, file: some[index]?.file ?? '' })));
    }
    const slow = outcomes.filter(({ ms }) => ms > 2_000).map(({ file, ms }) => [file, Math.round(ms)]);
    expect(slow).toEqual([]);
    // Only oversized bodies are not drawn.
    const undrawn = outcomes.filter(({ drawn }) => !drawn).length;
    expect(undrawn).toBeLessThan(0.02 * outcomes.length);
    test.info().annotations.push({
      type: 'bodies',
      description: `${outcomes.length} drawn, the slowest in ${Math.round(Math.max(...outcomes.map(({ ms }) => ms)))} ms`,
    });
  });
});

const mail = (index: number, html: string) =>
  [
    'From: "Accounts" <billing@evil.example>',
    'To: m.okafor@aldermoor.example',
    `Subject: =?utf-8?B?${Buffer.from(`<img src=x onerror=top.pwned=1> ${HOSTILE[index]?.name}`).toString('base64')}?=`,
    `Message-ID: <hostile-${index}@evil.example>`,
    'Date: Thu, 19 Nov 2026 08:41:07 +0000',
    'MIME-Version: 1.0',
    'Content-Type: text/html; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from(html).toString('base64').replace(/.{76}/g, '$&\r\n'),
    '',
  ].join('\r\n');

test.describe('hostile mails in the product', () => {
  async function openMail(page: Page, index: number): Promise<void> {
    const option = page.getByRole('option', {
      name: new RegExp(`onerror=top.pwned=1> ${HOSTILE[index]?.name}`),
    });
    // The folder may still be importing: search again until the mail is there.
    await expect(async () => {
      await page.keyboard.press('Control+k');
      await page.keyboard.insertText(`<hostile-${index}@evil.example>`);
      await option
        .first()
        .click({ timeout: 5_000 })
        .catch(async (reason: unknown) => {
          await page.keyboard.press('Escape');
          throw reason;
        });
    }).toPass({ timeout: 30_000 });
    await expect(page.locator('.pp-screen:not([hidden]) h1')).toContainText(HOSTILE[index]?.name ?? '');
  }

  test('ten hostile mails open without a request, a script or a navigation; the subject is plain text', async () => {
    const { page, escapes, refused } = watched;
    const names = [
      'script',
      'svg',
      'links',
      'form',
      'clobbering',
      'frames',
      'refresh',
      'images',
      'css',
      'protocols',
    ];
    for (const name of names) {
      await openMail(
        page,
        HOSTILE.findIndex((mail) => mail.name === name),
      );
      const screen = page.locator('.pp-screen:not([hidden])');
      await expect(screen.locator('h1')).toContainText('<img src=x onerror=top.pwned=1>');
      const frame = screen.locator('iframe.em-frame');
      await expect(frame).toBeVisible();
      // The same origin lets the window receive keys; nothing else is allowed.
      expect(await frame.getAttribute('sandbox')).toBe('allow-same-origin');
      expect(await screen.locator('a[href]').count()).toBe(0);
    }
    await expect(page.locator('.pp-screen:not([hidden]) .em-blocked')).toContainText('Blocked');
    expect(await page.evaluate(() => 'pwned' in globalThis)).toBe(false);
    expect(escapes).toEqual([]);
    expect(refused).toEqual([]);
  });

  test('no style of a mail hides or forges the warnings about its links', async () => {
    const { page } = watched;
    await openMail(
      page,
      HOSTILE.findIndex(({ name }) => name === 'marks'),
    );
    const screen = page.locator('.pp-screen:not([hidden])');
    const outside = screen.locator('.em-deceptive');
    await expect(outside).toContainText('hxxps://www[.]paypal[.]com/ → evil[.]example');
    await expect(outside).toContainText('hxxps://bank[.]example/signin → javascript[:], not a web address');
    const body = screen.frameLocator('iframe.em-frame');
    const mark = body.getByText('goes to evil[.]example', { exact: true });
    await expect(mark).toBeVisible();
    const look = await mark.evaluate((element) => {
      const style = getComputedStyle(element);
      const { x, width } = element.getBoundingClientRect();
      return {
        inside: x >= 0 && width > 40,
        background: style.backgroundColor,
        opacity: style.opacity,
        before: getComputedStyle(element, '::before').content,
      };
    });
    expect(look).toEqual({ inside: true, background: 'rgb(252, 239, 217)', opacity: '1', before: 'none' });
    const forged = await body
      .getByText('paypal[.]com', { exact: true })
      .evaluate((element) => getComputedStyle(element).backgroundColor);
    expect(forged).toBe('rgba(0, 0, 0, 0)');
  });

  test('every link that deceives, also by the order of its letters, is named outside of the frame and reached by keys', async () => {
    const { page } = watched;
    await openMail(
      page,
      HOSTILE.findIndex(({ name }) => name === 'order'),
    );
    const outside = page.locator('.pp-screen:not([hidden]) .em-deceptive');
    await expect(outside).toContainText('different host (34):');
    const named = await outside.locator('.em-deceptive-link').allInnerTexts();
    expect(named).toHaveLength(34);
    expect(named.slice(0, 4)).toEqual(
      ['com', 'org', 'net', 'de'].map((end) => `paypal[.]${end} → evil[.]example`),
    );
    const list = outside.locator('.em-blocked-text');
    await expect(list).toHaveAttribute('tabindex', '0');
    await list.focus();
    await page.keyboard.press('End');
    await expect(outside.getByText('bank29[.]example/ → evil[.]example')).toBeInViewport();
  });

  test('evidence never reaches the network: an image stays blocked on request and says why', async () => {
    const { page, escapes } = watched;
    await openMail(
      page,
      HOSTILE.findIndex(({ name }) => name === 'images'),
    );
    const screen = page.locator('.pp-screen:not([hidden])');
    await screen.getByRole('button', { name: 'Show once' }).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText('evil[.]example');
    await dialog.getByRole('button', { name: /^Load \d+ images? from 1 host$/ }).click();
    await expect(screen.locator('.em-blocked')).toContainText('never reaches the network');
    expect(escapes).toEqual([]);
  });
});
