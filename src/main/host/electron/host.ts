/** Assembles the Electron host. */
import path from 'node:path';
import {
  type BrowserWindow,
  clipboard,
  app as electronApp,
  ipcMain,
  Menu,
  powerMonitor,
  protocol,
  session,
} from 'electron';
import type { Policy } from '../../kernel/policy.ts';
import type { Ports } from '../../kernel/ports.ts';
import { takeInstance } from '../instance.ts';
import { createKeychain } from '../keychain.ts';
import { CannotStart, type Running } from '../lifetime.ts';
import { createLog, keepLogIn } from '../log.ts';
import type { HostOptions } from '../options.ts';
import { createRoutes } from '../proxies.ts';
import {
  type CreateApp,
  connectAsAsked,
  type EarlyArrivals,
  identifyProfile,
  startApp,
} from '../start-app.ts';
import { capture } from './capture.ts';
import { createDialogs } from './dialogs.ts';
import { lockSession } from './lockdown.ts';
import { menuTemplate } from './menu.ts';
import { APP_ORIGIN, createProtocolHandler } from './protocol.ts';
import { createUpdater } from './updater.ts';
import { openWindow, showWindow } from './window.ts';
import { carryFrames } from './wire.ts';

export interface HostBuild {
  version: string;
  rendererDir: string;
  resources: string;
  preload: string;
  workers: Ports['workers'];
  policy: Policy;
  createApp: CreateApp;
  /** Files and links that the system asked Parapet to open before it was ready. */
  early: EarlyArrivals;
}

function controlWindow(window: BrowserWindow | null, action: 'minimise' | 'maximise' | 'close'): void {
  if (window === null) return;
  if (action === 'minimise') window.minimize();
  else if (action === 'close') window.close();
  else if (window.isMaximized()) window.unmaximize();
  else window.maximize();
}

function setMenu(command: (name: string) => void): void {
  const template = menuTemplate(command, {
    mac: process.platform === 'darwin',
    developer: !electronApp.isPackaged,
  });
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
}

/** Starts the core and opens the window. Closing the window requests the stop. */
export async function startElectronHost(
  options: HostOptions,
  profile: string,
  build: HostBuild,
  requestStop: () => void,
): Promise<Running> {
  const log = createLog(process.env['PARAPET_LOG'] === 'verbose');
  let window: BrowserWindow | null = null;
  const toFront = () => {
    if (window !== null && !window.isDestroyed()) showWindow(window);
  };
  build.early.add(options.arrivals);
  const instance = await takeInstance(
    profile,
    (arrivals) => {
      build.early.add(arrivals);
      toFront();
      return 'its window is in front now';
    },
    log.warn,
    options.arrivals,
  );
  if (!instance.first) {
    const answer = instance.answer === null ? '' : `: ${instance.answer}`;
    throw new CannotStart(`Parapet is already running with this profile${answer}`, 0);
  }

  const identity = identifyProfile(profile);
  keepLogIn(profile);
  log.info('started', { version: build.version, kind: 'electron', platform: process.platform });

  await electronApp.whenReady();
  lockSession(session.defaultSession);
  protocol.handle('app', createProtocolHandler(build.rendererDir));

  const updates = createUpdater(electronApp, build.resources, requestStop);
  const app = await startApp(build.createApp, {
    ...(updates === undefined ? {} : { updates }),
    host: 'electron',
    version: build.version,
    paths: { profile, resources: build.resources },
    workers: build.workers,
    dialogs: createDialogs(() => window),
    capture,
    keychain: createKeychain(identity.id),
    shell: {
      writeClipboard: (text) => clipboard.writeText(text),
      control: (action) => controlWindow(window, action),
    },
    now: Date.now,
    ticks: () => performance.now(),
    log,
    policy: build.policy,
    routes: createRoutes(process.env, (url) => session.defaultSession.resolveProxy(url)),
  });
  build.early.handOver(app);
  electronApp.on('open-file', toFront);
  electronApp.on('open-url', toFront);
  setMenu((name) => app.command(name));
  // For packages whose installer does not, such as the fleet package.
  if (process.platform === 'win32' && electronApp.isPackaged)
    electronApp.setAsDefaultProtocolClient('parapet');
  const resumed = () => app.resumed();
  powerMonitor.on('resume', resumed);

  let stopping = false;
  const connected = connectAsAsked(app, options, identity, { log, policy: build.policy }, () => stopping);
  const opened = openWindow({
    preload: build.preload,
    icon: path.join(build.resources, 'icon.png'),
    stateFile: path.join(profile, 'window.json'),
    onClosed: requestStop,
    onCrash: (code) => log.warn('The window crashed', { code }),
  });
  window = opened.window;
  const dropWire = carryFrames({
    ipc: ipcMain,
    contents: window.webContents,
    attach: (wire) => app.attach(wire),
    dropped: (path) => void app.offer(path),
  });
  await opened.loaded;
  process.stdout.write(`Parapet ready: ${APP_ORIGIN}/\n`);

  return {
    fault: (reason) => app.fault(reason),
    async stop() {
      stopping = true;
      instance.closing();
      powerMonitor.off('resume', resumed);
      dropWire();
      if (window !== null && !window.isDestroyed()) window.destroy();
      await app.stop();
      await connected;
      await instance.release();
    },
  };
}
