/**
 * The saved picture of a body, decoded by the browser and compared with screenshots of the frame on screen. The mails
 * try to load resources, to look different under another parser or in another window, and to exceed the size limit.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Page } from '@playwright/test';
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
  // Each box is green on screen alone.
  letters: `<style>[align=right]{background:rgb(0,128,0)} * html .hack{background:rgb(255,0,0)}
    :root{--colour:rgb(0,128,0)} DIV.upper{background:rgb(0,128,0)} .rem{background:rgb(0,128,0);width:20rem;height:calc(40rem / 13)}</style>
    <div align=RIGHT style="height:40px"></div><div class=hack style="height:40px;background-color:rgb(0,128,0)"></div>
    <div class=upper style="height:40px"></div><div class=rem></div>`,
  window: `<style>.box{height:40px;background:rgb(0,128,0)} @media (min-height:1000px){.media{background:rgb(255,0,0)}}
    .part{width:50vw} @media (max-height:1000px){.low{background:rgb(0,128,0)!important}}</style>
    <div class="box media"></div><div class="box part"></div><div class="box low" style="background:rgb(255,0,0)"></div>
    <div class=box></div><div style="height:calc(100vh + 10px)"></div><div style="height:1500px"></div>`,
  scrolls: `<div style="height:80px;overflow:auto"><div style="height:400px;background:rgb(255,0,0)">
    <div style="height:60px;overflow-y:scroll"><div style="height:350px"></div></div></div>
    <div style="height:20px;background:rgb(0,0,255)">Pay to DE00 0000</div></div>
    <div style="height:40px;background:rgb(0,128,0)"></div>`,
  behind: '<style>:root{background:linear-gradient(red,blue)!important}</style>x',
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
  const option = page.getByRole('option', { name: new RegExp(`^${name}`) });
  await expect(async () => {
    await page.keyboard.press('Control+k');
    await page.keyboard.insertText(`<${name}@pictures.example>`);
    await option
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

async function savedPicture(): Promise<{ name: string; base64: string; manifest: string }> {
  const arriving = nextFile(page);
  const telling = page.waitForEvent('download', (download) =>
    download.suggestedFilename().endsWith('.manifest.json'),
  );
  await button(page).click();
  const [file, manifest] = await Promise.all([arriving, telling]);
  return {
    name: file.suggestedFilename(),
    base64: readFileSync(await file.path()).toString('base64'),
    manifest: readFileSync(await manifest.path(), 'utf8'),
  };
}

/** The picture decoded by the browser: its size, colours at points, and the pixels that differ from parts of it as seen. */
const pixels = (
  base64: string,
  places: readonly (readonly [x: number, y: number])[],
  pictures: readonly { base64: string; top: number }[] = [],
) =>
  page.evaluate(
    async ([of, place, parts]) => {
      const read = async (data: string) => {
        const image = new Image();
        image.src = `data:image/png;base64,${data}`;
        await image.decode();
        const canvas = document.createElement('canvas');
        canvas.width = image.naturalWidth;
        canvas.height = image.naturalHeight;
        const context = canvas.getContext('2d', { willReadFrequently: true });
        context?.drawImage(image, 0, 0);
        return context?.getImageData(0, 0, canvas.width, canvas.height) ?? new ImageData(1, 1);
      };
      const whole = await read(of);
      let compared = 0;
      let differing = 0;
      for (const { base64: data, top } of parts) {
        const part = await read(data);
        for (let y = 0; y < part.height && top + y < whole.height; y++)
          for (let x = 0; x < part.width; x++) {
            const [first, other] = [(y * part.width + x) * 4, ((top + y) * whole.width + x) * 4];
            const most = Math.max(
              ...[0, 1, 2].map((by) =>
                Math.abs((part.data[first + by] ?? 0) - (whole.data[other + by] ?? 0)),
              ),
            );
            compared += 1;
            if (most > 60) differing += 1;
          }
      }
      return {
        size: [whole.width, whole.height],
        colours: place.map(([x, y]) =>
          [...whole.data.slice((y * whole.width + x) * 4, (y * whole.width + x) * 4 + 3)].join(' '),
        ),
        compared,
        /** Only the antialiasing of letters may differ. */
        differing: compared === 0 ? null : differing / compared,
      };
    },
    [base64, places, pictures] as const,
  );

/** Screenshots of the frame on screen, at its top and at its bottom. */
async function seenParts(): Promise<{ base64: string; top: number }[]> {
  const frame = screen(page).locator('iframe.em-frame');
  const parts: { base64: string; top: number }[] = [];
  for (const to of [0, 100_000]) {
    const top = await frame.evaluate((element, y) => {
      const root = (element as HTMLIFrameElement).contentDocument?.documentElement;
      if (root) root.scrollTop = y;
      return root?.scrollTop ?? 0;
    }, to);
    // Messages of the window lie over the frame.
    const shot = await frame.screenshot({ style: '.pp-toasts { visibility: hidden }' });
    parts.push({ base64: shot.toString('base64'), top: Math.round(top) });
  }
  return parts;
}

test('[promise] the picture shows the whole body with its images, as the frame draws it', async () => {
  await open('long');
  const { name, base64 } = await savedPicture();
  expect(name).toBe('long, body.png');
  const places = [
    [X + 5, Y + 5],
    [X + 40, Y + 70],
    [X + 5, 1_500],
    [X + 5, Y + 3_225],
  ] as const;
  const { size, colours, differing } = await pixels(base64, places, await seenParts());
  expect(size[1]).toBe(3_230 + 2 * Y);
  // The third colour comes from the mail's dark style, as this window prefers dark.
  expect(colours).toEqual(['0 128 0', '255 0 0', '0 0 0', '9 9 9']);
  expect(differing).toBeLessThan(0.001);
  expect(external).toEqual([]);
});

test('the picture includes content that overflows sideways', async () => {
  await open('wide');
  const { base64 } = await savedPicture();
  const { size, colours } = await pixels(base64, [
    [X + 1_990, Y + 10],
    [X + 3_990, Y + 10],
  ]);
  expect(size[0]).toBe(4_000 + X);
  expect(colours).toEqual(['0 0 255', '0 128 0']);
});

test('[promise] the picture of a hostile mail makes no request', async () => {
  await open('hostile');
  const { base64 } = await savedPicture();
  const { differing } = await pixels(base64, [], await seenParts());
  expect(differing).toBeLessThan(0.005);
  expect(external).toEqual([]);
  expect(await page.evaluate(() => 'pwned' in globalThis)).toBe(false);
});

for (const name of ['letters', 'window'])
  test(`what depends on the parser or the window is in the picture as on screen: ${name}`, async () => {
    await open(name);
    const { base64 } = await savedPicture();
    const { colours, differing, compared } = await pixels(
      base64,
      [0, 1, 2, 3].map((index) => [X + 30, Y + 40 * index + 20] as const),
      await seenParts(),
    );
    expect(colours).toEqual(Array.from({ length: 4 }, () => '0 128 0'));
    expect(compared).toBeGreaterThan(50_000);
    expect(differing).toBeLessThan(0.001);
  });

test('areas that scroll are shown in full, and the manifest says so', async () => {
  await open('scrolls');
  const { base64, manifest } = await savedPicture();
  const { size, colours } = await pixels(base64, [
    [X + 400, Y + 150],
    [X + 400, Y + 310],
    [X + 400, Y + 410],
    [X + 400, Y + 450],
  ]);
  // The sentence that only scrolling shows, in an area inside another, and what follows them.
  expect(colours).toEqual(['255 0 0', '255 0 0', '0 0 255', '0 128 0']);
  // The frame on screen may be higher than the body.
  expect(size[1]).toBeGreaterThanOrEqual(460 + 2 * Y);
  expect(manifest).toContain('with 2 areas that scroll on screen shown in full');
  expect(manifest).toContain('every element compared with the body on screen');
});

for (const [name, why] of [
  ['huge', 'A picture can have at most 16,384 per side'],
  ['behind', 'the email paints the page behind its body'],
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
