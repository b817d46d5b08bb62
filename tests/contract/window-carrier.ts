/**
 * The Electron host in its own window: the product's wire, preload, protocol and lockdown over the Electron stand-in.
 * A test that uses it mocks `electron` with that stand-in.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { BrowserWindow as ElectronWindow, Session } from 'electron';
import { lockSession } from '#main/host/electron/lockdown.ts';
import { APP_SCHEME, createProtocolHandler } from '#main/host/electron/protocol.ts';
import { openWindow, preloadPath } from '#main/host/electron/window.ts';
import { carryFrames } from '#main/host/electron/wire.ts';
import {
  app,
  type BrowserWindow,
  ipcMain,
  mainEvaluated,
  protocol,
  session,
} from '../electron-standin/electron.ts';
import { closeEngine } from '../electron-standin/engine.ts';
import { build } from '../support/build.ts';
import { type Attach, type Carrier, createClient } from './carriers.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** Why this machine can't open a window, or null. The Chromium of the tests runs on Linux only. */
export const NO_WINDOW = process.platform === 'linux' ? null : 'the Chromium of the tests runs on Linux only';

export interface WindowCarrier extends Carrier {
  /** A window with a page, and a function that closes it. */
  window(): Promise<{ window: BrowserWindow; end(): void }>;
  /** Runs a script in the page and returns its value; promises are awaited. */
  run(window: BrowserWindow, script: string): Promise<unknown>;
  /** Pages by path; they replace the product's files and headers. */
  pages: Map<string, () => Response>;
}

const TAKE =
  'globalThis.taken.length > 0 ? taken.splice(0) : new Promise((go) => { wake = () => go(taken.splice(0)); })';
const COLLECT =
  'globalThis.taken = []; globalThis.wake = () => {}; parapetWire.onFrame((frame) => { taken.push(frame); wake(); wake = () => {}; }); 0';

export async function windowCarrier(attach: Attach): Promise<WindowCarrier> {
  await build();
  const dir = mkdtempSync(path.join(os.tmpdir(), 'parapet-window-'));
  writeFileSync(path.join(dir, 'index.html'), '<!doctype html><meta charset="utf-8"><title>Parapet</title>');
  app.setPath('userData', path.join(dir, 'window'));
  protocol.registerSchemesAsPrivileged([APP_SCHEME]);
  mainEvaluated();
  await app.whenReady();
  // Closing the last window must not end the app: the next test opens one.
  app.on('window-all-closed', () => {});
  lockSession(session.defaultSession as unknown as Session);
  const pages = new Map<string, () => Response>();
  const files = createProtocolHandler(dir);
  protocol.handle('app', async (request) => pages.get(new URL(request.url).pathname)?.() ?? files(request));

  const open = async () => {
    const { window, loaded } = openWindow({
      preload: preloadPath(path.join(root, 'out/main')),
      icon: path.join(root, 'resources/icon.png'),
      stateFile: path.join(dir, 'window.json'),
      onClosed() {},
      onCrash() {},
    });
    const drop = carryFrames({
      ipc: ipcMain as unknown as Parameters<typeof carryFrames>[0]['ipc'],
      contents: window.webContents,
      attach,
      dropped() {},
    });
    await loaded;
    const end = () => {
      drop();
      (window as ElectronWindow).destroy();
    };
    return { window: window as unknown as BrowserWindow, end };
  };
  const run = (window: BrowserWindow, script: string) => window.webContents.executeJavaScript(script);

  return {
    name: 'window',
    window: open,
    run,
    pages,
    async open() {
      const { window, end } = await open();
      const client = createClient(
        (message) => void run(window, `parapetWire.send(${JSON.stringify(message)})`).catch(() => undefined),
        async () => {
          end();
          client.closed();
        },
      );
      await run(window, COLLECT);
      const deliver = async () => {
        for (;;) for (const frame of (await run(window, TAKE)) as []) client.deliver(frame);
      };
      // Resolves when the window closes.
      void deliver().catch(() => undefined);
      return client.client;
    },
    async stop() {
      protocol.unhandle('app');
      await closeEngine();
      session.defaultSession.end();
      rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
