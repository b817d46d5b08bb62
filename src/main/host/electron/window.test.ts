import type { EventEmitter } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type * as Electron from 'electron';
import { afterEach, beforeEach, expect, type Mock, test, vi } from 'vitest';
import { soon } from '#tests/support/soon.ts';
import { NO_SYMLINKS } from '#tests/support/symlinks.ts';

const created = vi.hoisted(() => ({
  options: [] as unknown[],
  windows: [] as unknown[],
  load: async (): Promise<void> => {},
}));

vi.mock('electron', async () => {
  const { EventEmitter: Emitter } = await import('node:events');
  class FakeWindow extends Emitter {
    webContents = Object.assign(new Emitter(), { setWindowOpenHandler() {}, reload: vi.fn() });
    show = vi.fn();
    maximize = vi.fn();
    destroyed = false;
    destroy = vi.fn(() => {
      this.destroyed = true;
    });
    isDestroyed = () => this.destroyed;
    loadURL = vi.fn(() => created.load());
    getNormalBounds = () => ({ x: 5, y: 6, width: 1300, height: 800 });
    isMaximized = () => true;
    constructor(options: unknown) {
      super();
      created.options.push(options);
      created.windows.push(this);
    }
  }
  return {
    BrowserWindow: FakeWindow as unknown as typeof Electron.BrowserWindow,
    screen: {
      getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1920, height: 1080 } } as Electron.Display],
    } as Electron.Screen,
  } satisfies Partial<typeof Electron>;
});

const { openWindow } = await import('./window.ts');
let dir: string;
const open = () => {
  const onClosed = vi.fn();
  const onCrash = vi.fn();
  const { loaded } = openWindow({
    preload: '/p/index.cjs',
    icon: '/i.png',
    stateFile: path.join(dir, 'window.json'),
    onClosed,
    onCrash,
  });
  return {
    loaded,
    options: created.options.at(-1) as Electron.BrowserWindowConstructorOptions,
    window: created.windows.at(-1) as EventEmitter & {
      webContents: EventEmitter & { reload: ReturnType<typeof vi.fn> };
      loadURL: ReturnType<typeof vi.fn>;
      maximize: ReturnType<typeof vi.fn>;
      destroy: Mock<() => void>;
    },
    onClosed,
    onCrash,
  };
};

beforeEach(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'parapet-window-'));
});
afterEach(() => {
  created.load = async () => {};
  rmSync(dir, { recursive: true });
});

test('the window is isolated, sandboxed and loads the product only', () => {
  const { options, window } = open();
  expect(options.webPreferences).toMatchObject({
    contextIsolation: true,
    sandbox: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    experimentalFeatures: false,
    webviewTag: false,
  });
  expect(options.webPreferences).not.toHaveProperty('enableBlinkFeatures');
  expect(options).toMatchObject({ minWidth: 1024, minHeight: 700, titleBarStyle: 'hidden' });
  expect(window.loadURL).toHaveBeenCalledWith('app://parapet/index.html');
});

test('the window reopens where it was', async () => {
  const { window } = open();
  window.emit('close');
  const file = path.join(dir, 'window.json');
  await soon(() => expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ width: 1300 }));
  const again = open();
  expect(again.options).toMatchObject({ x: 5, y: 6, width: 1300, height: 800 });
  expect(again.window.maximize).toHaveBeenCalled();
});

test.skipIf(NO_SYMLINKS !== null)('a link in place of the remembered position is replaced', () => {
  const other = path.join(dir, 'notes.txt');
  writeFileSync(other, 'mine');
  symlinkSync(other, path.join(dir, 'window.json'));
  open().window.emit('close');
  expect(readFileSync(other, 'utf8')).toBe('mine');
  expect(open().options).toMatchObject({ x: 5 });
});

test.each([
  ['outside of every display', { x: 9000, y: 0, width: 1300, height: 800, maximised: false }],
  ['too small', { x: 0, y: 0, width: 10, height: 10, maximised: false }],
  ['too large for Electron', { x: 0, y: 0, width: 2 ** 40, height: 800, maximised: false }],
])('a remembered position %s is not used', (_what, state) => {
  writeFileSync(path.join(dir, 'window.json'), JSON.stringify(state));
  expect(open().options).not.toHaveProperty('x');
});

test('a crashed page is loaded again once, a crash loop closes the window', () => {
  const { window, onCrash } = open();
  window.webContents.emit('render-process-gone', {}, { reason: 'crashed' });
  expect(window.webContents.reload).toHaveBeenCalledTimes(1);
  window.webContents.emit('render-process-gone', {}, { reason: 'oom' });
  expect(window.destroy).toHaveBeenCalledTimes(1);
  expect(onCrash.mock.calls).toEqual([['crashed'], ['oom']]);
});

test('closing the window requests the stop', () => {
  const { window, onClosed } = open();
  window.emit('closed');
  expect(onClosed).toHaveBeenCalled();
});

test.each([
  ['the page crashes and is loaded again', 'crash'],
  ['the window is closed', 'close'],
] as const)('a first load that fails because %s does not end the start', async (_why, what) => {
  const load = Promise.withResolvers<void>();
  created.load = () => load.promise;
  const { window, loaded } = open();
  if (what === 'crash') window.webContents.emit('render-process-gone', {}, { reason: 'crashed' });
  else window.destroy();
  load.reject(new Error('ERR_FAILED (-2) loading app://parapet/index.html'));
  await expect(loaded).resolves.toBeUndefined();
});

test('a first load that fails for another reason ends the start with it', async () => {
  created.load = () => Promise.reject(new Error('ERR_FAILED (-2) loading app://parapet/index.html'));
  await expect(open().loaded).rejects.toThrow('ERR_FAILED');
});
