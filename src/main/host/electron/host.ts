/** The Electron host, put together. */
import path from 'node:path';
import {
  type BrowserWindow,
  clipboard,
  app as electronApp,
  ipcMain,
  Menu,
  protocol,
  session,
} from 'electron';
import type { Ports } from '../../kernel/ports.ts';
import { takeInstance } from '../instance.ts';
import { createKeychain } from '../keychain.ts';
import { CannotStart, type Running } from '../lifetime.ts';
import { createLog } from '../log.ts';
import type { HostOptions } from '../options.ts';
import type { Profile } from '../profile.ts';
import { type CreateApp, connectAsAsked, startApp } from '../start-app.ts';
import { createDialogs } from './dialogs.ts';
import { lockSession } from './lockdown.ts';
import { menuTemplate } from './menu.ts';
import { APP_ORIGIN, createProtocolHandler } from './protocol.ts';
import { openWindow, showWindow } from './window.ts';
import { carryFrames } from './wire.ts';

export interface HostBuild {
  version: string;
  rendererDir: string;
  resources: string;
  preload: string;
  workers: Ports['workers'];
  createApp: CreateApp;
}

function controlWindow(window: BrowserWindow | null, action: 'minimise' | 'maximise' | 'close'): void {
  if (window === null) return;
  if (action === 'minimise') window.minimize();
  else if (action === 'close') window.close();
  else if (window.isMaximized()) window.unmaximize();
  else window.maximize();
}

/** Starts the core and opens the window. Closing the window asks for the stop. */
export async function startElectronHost(
  options: HostOptions,
  profile: Profile,
  build: HostBuild,
  requestStop: () => void,
): Promise<Running> {
  const log = createLog(process.env['PARAPET_LOG'] === 'verbose');
  let window: BrowserWindow | null = null;
  const instance = await takeInstance(
    profile.path,
    () => {
      if (window !== null) showWindow(window);
      return 'its window is in front now';
    },
    log.warn,
  );
  if (!instance.first) {
    const answer = instance.answer === null ? '' : `: ${instance.answer}`;
    throw new CannotStart(`Parapet is already running with this profile${answer}`, 0);
  }

  await electronApp.whenReady();
  lockSession(session.defaultSession);
  protocol.handle('app', createProtocolHandler(build.rendererDir));

  const app = await startApp(build.createApp, {
    host: 'electron',
    version: build.version,
    paths: { profile: profile.path, resources: build.resources },
    workers: build.workers,
    dialogs: createDialogs(() => window),
    keychain: createKeychain(profile.id),
    shell: {
      async writeClipboard(text) {
        clipboard.writeText(text);
      },
      control: (action) => controlWindow(window, action),
    },
    now: Date.now,
    ticks: () => performance.now(),
    log,
  });
  Menu.setApplicationMenu(
    Menu.buildFromTemplate(
      menuTemplate((name) => app.command(name), {
        mac: process.platform === 'darwin',
        developer: !electronApp.isPackaged,
      }),
    ),
  );

  let stopping = false;
  const connected = connectAsAsked(app, options, profile, log, () => stopping);
  const opened = openWindow({
    preload: build.preload,
    icon: path.join(build.resources, 'icon.png'),
    stateFile: path.join(profile.path, 'window.json'),
    onClosed: requestStop,
    onCrash: (reason) => log.warn(`The window crashed: ${reason}`),
  });
  window = opened.window;
  const dropWire = carryFrames({
    ipc: ipcMain,
    contents: window.webContents,
    attach: (wire) => app.attach(wire),
  });
  await opened.loaded;
  process.stdout.write(`Parapet ready: ${APP_ORIGIN}/\n`);

  return {
    fault: app.fault,
    async stop() {
      stopping = true;
      dropWire();
      if (window !== null && !window.isDestroyed()) window.destroy();
      await app.stop();
      await connected;
      await instance.release();
    },
  };
}
