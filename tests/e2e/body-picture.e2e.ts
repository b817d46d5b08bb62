/**
 * The saved picture of a body, decoded by the browser and compared with a screenshot of a frame of the same size. The
 * mails try to load resources, to depend on the size of the window and to exceed the size limit.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Browser, Page } from '@playwright/test';
import { openFolder } from './evidence-folder.ts';
import { expect, nextFile, test } from './fixtures.ts';
import { HOSTILE } from './hostile-bodies.ts';
import { screen } from './on-screen.ts';
import { windowForConnections } from './one-window.ts';

/** Padding of the frame around each body, in pixels. */
const [X, Y] = [16, 12];
/** A GIF of one pixel: rgb(255, 0, 0). */
const RED = 'R0lGODdhAQABAIABAP8AAP///ywAAAAAAQABAAACAkQBADs=';
const BODIES: Readonly<Record<string, string>> = {
  long: `<style>@media (prefers-color-scheme: dark){#dark{background:#000!important}}#high{height:50vh}</style>
    <div style="height:40px;background:rgb(0,128,0)"></div><img src="cid:red" style="display:block;width:80px;height:60px">
    <p style="margin:0;font:30px/100px sans-serif;height:100px">Ungleich &lt;&amp;&gt; \u0001請求</p>
    <div id=dark style="height:3000px;background:linear-gradient(rgb(0,0,255),rgb(0,0,255))"></div>
    <div style="height:30px;background:rgb(9,9,9)"></div>`,
  wide: '<div style="width:4000px;height:20px;background:linear-gradient(90deg,rgb(0,0,255) 50%,rgb(0,128,0) 50%)"></div>',
  hostile: `${HOSTILE.filter(({ name }) => ['images', 'css', 'data', 'media', 'tracker'].includes(name))
    .map(({ html }) => html)
    .join('')}<div style="height:300px;background:rgb(0,128,0)">end</div>`,
  huge: '<div style="height:20000px">x</div>',
  growing: '<div style="height:calc(100vh + 10px)">x</div>',
};
const mailOf = (name: string): string =>
  [
    'From: a@sender.example',
    `Subject: ${name}`,
    `Message-ID: <${name}@pictures.example>`,
    'Date: Thu, 19 Nov 2026 08:41:07 +0000',
    'MIME-Version: 1.0',
    'Content-Type: multipart/related; boundary=b',
    '',
    '--b',
    'Content-Type: text/html; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from(BODIES[name] ?? '')
      .toString('base64')
      .replace(/.{76}/g, '$&\r\n'),
    '--b',
    'Content-Type: image/gif',
    'Content-ID: <red>',
    'Content-Transfer-Encoding: base64',
    '',
    RED,
    '--b--',
    '',
  ].join('\r\n');

let dir = '';
let page: Page;
/** Requests of the page to anything but the host. */
const external: string[] = [];
test.beforeAll(async ({ hostOf, windowOf }) => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'parapet-pictures-'));
  mkdirSync(path.join(dir, 'pictures'));
  for (const name of Object.keys(BODIES))
    writeFileSync(path.join(dir, 'pictures', `${name}.eml`), mailOf(name));
  const { host, ...shared } = await windowForConnections({ hostOf, windowOf }, { width: 1280, height: 800 });
  page = shared.page;
  const origin = new URL(host.url).origin;
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !/^(?:data|blob|about):/.test(request.url()))
      external.push(request.url().slice(0, 200));
  });
  await page.emulateMedia({ colorScheme: 'dark' });
  await openFolder(page, path.join(dir, 'pictures'));
});
test.afterAll(async () => {
  await page?.emulateMedia({ colorScheme: null });
  rmSync(dir, { recursive: true, force: true });
});

const button = (page: Page) => screen(page).getByRole('button', { name: 'Save picture of the body…' });

/** Opens the mail at its body. */
async function open(name: string): Promise<void> {
  const found = page.getByRole('option', { name: new RegExp(`^${name}`) });
  await expect(async () => {
    await page.keyboard.press('Control+k');
    await page.keyboard.insertText(`<${name}@pictures.example>`);
    await found
      .first()
      .click({ timeout: 5_000 })
      .catch(async (reason: unknown) => {
        await page.keyboard.press('Escape');
        throw reason;
      });
  }).toPass({ timeout: 30_000 });
  await expect(screen(page).locator('h1')).toHaveText(name);
  await screen(page).getByRole('tab', { name: /^Body/ }).click();
  await expect(button(page)).toBeEnabled();
}

async function savedPicture(page: Page): Promise<{ name: string; base64: string }> {
  const arriving = nextFile(page);
  await button(page).click();
  const file = await arriving;
  return { name: file.suggestedFilename(), base64: readFileSync(await file.path()).toString('base64') };
}

/** The pictures decoded by the browser: sizes, colours at points, and how many pixels differ between the first two. */
const pixels = (page: Page, pictures: readonly string[], places: readonly (readonly [number, number])[]) =>
  page.evaluate(
    async ([all, at]) => {
      const read = async (base64: string) => {
        const image = new Image();
        image.src = `data:image/png;base64,${base64}`;
        await image.decode();
        const canvas = document.createElement('canvas');
        canvas.width = image.naturalWidth;
        canvas.height = image.naturalHeight;
        const context = canvas.getContext('2d', { willReadFrequently: true });
        context?.drawImage(image, 0, 0);
        return context?.getImageData(0, 0, canvas.width, canvas.height) ?? new ImageData(1, 1);
      };
      const datas = await Promise.all(all.map(read));
      const [one, other] = datas;
      let differing = 0;
      if (one && other && one.data.length === other.data.length)
        for (let index = 0; index < one.data.length; index += 4) {
          const most = Math.max(
            ...[0, 1, 2].map((by) => Math.abs((one.data[index + by] ?? 0) - (other.data[index + by] ?? 0))),
          );
          if (most > 60) differing += 1;
        }
      return {
        sizes: datas.map(({ width, height }) => [width, height]),
        colours: at.map(([x, y]) =>
          datas.map(({ data, width }) =>
            [...data.slice((y * width + x) * 4, (y * width + x) * 4 + 3)].join(' '),
          ),
        ),
        differing,
      };
    },
    [pictures, places] as const,
  );

/** A screenshot of the frame's document in a window of its full size. */
async function screenshotOf(page: Page, browser: Browser, [width = 0, height = 0]: number[]) {
  const srcdoc = await screen(page).locator('iframe.em-frame').getAttribute('srcdoc');
  const other = await (
    await browser.newContext({ viewport: { width, height }, colorScheme: 'dark' })
  ).newPage();
  await other.setContent(
    `<body style="margin:0"><iframe sandbox="allow-same-origin" style="border:0;display:block;color-scheme:light;width:${width}px;height:${height}px"></iframe>`,
  );
  const drawn = await other.evaluate(async (html) => {
    const frame = document.querySelector('iframe');
    if (!frame || html === null) return false;
    const loaded = new Promise((done) => frame.addEventListener('load', done, { once: true }));
    frame.srcdoc = html;
    await loaded;
    return true;
  }, srcdoc);
  expect(drawn).toBe(true);
  const picture = (await other.screenshot()).toString('base64');
  await other.context().close();
  return picture;
}

test('the picture shows the whole body with its images, as a frame of that size draws it', async ({
  browser,
}) => {
  await open('long');
  const { name, base64 } = await savedPicture(page);
  expect(name).toBe('long, body.png');
  const [size = []] = (await pixels(page, [base64], [])).sizes;
  expect(size[1]).toBe(3_230 + 2 * Y);
  const seen = await screenshotOf(page, browser, size);
  const { sizes, colours, differing } = await pixels(
    page,
    [base64, seen],
    [
      [X + 5, Y + 5],
      [X + 40, Y + 70],
      [X + 5, 1_500],
      [X + 5, Y + 3_225],
    ],
  );
  expect(sizes[1]).toEqual(sizes[0]);
  // The third colour comes from the mail's dark style, as this window prefers dark.
  const wanted = ['0 128 0', '255 0 0', '0 0 0', '9 9 9'];
  expect(colours).toEqual(wanted.map((colour) => [colour, colour]));
  // Only the antialiasing of letters may differ.
  expect(differing).toBeLessThan(0.001 * (size[0] ?? 0) * (size[1] ?? 0));
  expect(external).toEqual([]);
});

test('the picture includes content that overflows sideways', async () => {
  await open('wide');
  const { base64 } = await savedPicture(page);
  const { sizes, colours } = await pixels(
    page,
    [base64],
    [
      [X + 1_990, Y + 10],
      [X + 3_990, Y + 10],
    ],
  );
  expect(sizes[0]?.[0]).toBe(4_000 + X);
  expect(colours).toEqual([['0 0 255'], ['0 128 0']]);
});

test('the picture of a hostile mail makes no request', async ({ browser }) => {
  await open('hostile');
  const { base64 } = await savedPicture(page);
  const [size = []] = (await pixels(page, [base64], [])).sizes;
  const seen = await screenshotOf(page, browser, size);
  const { sizes, differing } = await pixels(page, [base64, seen], []);
  expect(sizes[1]).toEqual(sizes[0]);
  expect(differing).toBeLessThan(0.005 * (size[0] ?? 0) * (size[1] ?? 0));
  expect(external).toEqual([]);
  expect(await page.evaluate(() => 'pwned' in globalThis)).toBe(false);
});

for (const [name, why] of [
  ['huge', 'A picture can have at most 16,384 per side'],
  ['growing', 'The body grows with its window'],
] as const)
  test(`a ${name} body saves no picture and says why`, async () => {
    await open(name);
    await button(page).click();
    await expect(page.getByText('No picture was saved')).toBeVisible();
    await expect(page.getByText(why)).toBeVisible();
    const toast = page.locator('.pp-toast', { hasText: 'No picture was saved' });
    await toast.getByRole('button', { name: 'Close' }).click();
    await expect(toast).toHaveCount(0);
  });
