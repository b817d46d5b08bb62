/** The product in its own window. Runs where the Electron binary and a display are; says so where they are not. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { _electron, expect, test } from '@playwright/test';

const root = path.resolve(import.meta.dirname, '../../..');
const electronDir = path.dirname(createRequire(import.meta.url).resolve('electron/package.json'));
const pathFile = path.join(electronDir, 'path.txt');
const binary = existsSync(pathFile)
  ? path.join(electronDir, 'dist', readFileSync(pathFile, 'utf8').trim())
  : null;
const hasDisplay =
  process.platform !== 'linux' || Boolean(process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY']);
const why =
  binary === null || !existsSync(binary)
    ? "Electron's binary is not installed (node node_modules/electron/install.js gets it)"
    : hasDisplay
      ? null
      : 'there is no display';

if (why !== null) console.log(`The Electron suite is skipped: ${why}.`);
test.skip(why !== null, why ?? '');

let profile: string;
let complaints = '';
test.beforeEach(() => {
  profile = mkdtempSync(path.join(os.tmpdir(), 'parapet-electron-'));
});
test.afterEach(() => {
  rmSync(profile, { recursive: true, force: true });
  // Electron takes no preload by its environment: what it says is what there is.
  expect(complaints).not.toMatch(/Uncaught|Unhandled/);
});

const launch = async () => {
  const app = await _electron.launch({
    executablePath: binary!,
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      root,
      '--profile',
      profile,
      '--connect',
      'demo',
    ],
  });
  complaints = '';
  app.process().stderr?.on('data', (chunk: Buffer) => {
    complaints += chunk.toString();
  });
  return app;
};

test('the window shows the product, isolated from Node', async () => {
  const app = await launch();
  const page = await app.firstWindow();
  expect(page.url()).toBe('app://parapet/index.html');
  await expect(page.getByRole('navigation').first()).toBeVisible();
  const reach = await page.evaluate(() => ({
    require: typeof Reflect.get(globalThis, 'require'),
    process: typeof Reflect.get(globalThis, 'process'),
    wire: Object.keys(Reflect.get(globalThis, 'parapetWire') as object),
  }));
  expect(reach).toEqual({ require: 'undefined', process: 'undefined', wire: ['send', 'onFrame', 'onClose'] });
  await app.close();
});

test('the page can neither leave nor open anything', async () => {
  const app = await launch();
  const page = await app.firstWindow();
  await page.evaluate(() => {
    window.open('https://example.invalid/');
    location.href = 'https://example.invalid/';
  });
  await expect(page).toHaveURL('app://parapet/index.html');
  expect(app.windows()).toHaveLength(1);
  await app.close();
});

test('closing the window ends the process', async () => {
  const app = await launch();
  const ended = new Promise((resolve) => app.process().once('exit', resolve));
  const page = await app.firstWindow();
  await page.close();
  expect(await ended).toBe(0);
});
