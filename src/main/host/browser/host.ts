/** Assembles the browser host. */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ParapetError } from '#shared/bridge/errors.ts';
import type { Policy } from '../../kernel/policy.ts';
import type { Ports } from '../../kernel/ports.ts';
import { readSmall, writeDurable } from '../../store/durable.ts';
import { takeInstance } from '../instance.ts';
import { createKeychain } from '../keychain.ts';
import { CannotStart, type Running } from '../lifetime.ts';
import { createLog, keepLogIn } from '../log.ts';
import type { HostOptions } from '../options.ts';
import { canWrite } from '../profile.ts';
import { createRoutes } from '../proxies.ts';
import {
  type CreateApp,
  connectAsAsked,
  EarlyArrivals,
  filesFolderOf,
  identifyProfile,
  prepareProfile,
  startApp,
} from '../start-app.ts';
import { BrowserDialogs } from './dialogs.ts';
import { createSessions } from './guard.ts';
import { forgetLink, openBrowser } from './open-browser.ts';
import { Pages } from './pages.ts';
import { type BrowserServer, startServer } from './server.ts';

export interface HostBuild {
  version: string;
  /** Absolute paths of the built renderer and of the product's read-only files. */
  rendererDir: string;
  resources: string;
  workers: Ports['workers'];
  policy: Policy;
  createApp: CreateApp;
}

/** Folder for transferred files: in the profile, or a temporary one when the profile is not writable. */
const filesFolder = (profile: string): string =>
  canWrite(profile) ? filesFolderOf(profile) : mkdtempSync(path.join(os.tmpdir(), 'parapet-'));

async function listen(options: Parameters<typeof startServer>[0]): Promise<BrowserServer> {
  try {
    return await startServer(options);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE')
      throw new CannotStart(
        `Port ${options.port} is in use by another program. Choose another one with --port.`,
      );
    if (code === 'EADDRNOTAVAIL')
      throw new CannotStart(
        'This machine has no address 127.0.0.1, the only one on which Parapet listens. Bring up the loopback interface with it and start again.',
      );
    if (code === 'EACCES') throw new CannotStart(`This user may not open port ${options.port}.`);
    throw error;
  }
}

const portFile = (profile: string) => path.join(profile, 'port');

/** 0 if there is none. */
function lastPort(profile: string): number {
  try {
    const port = Number(readSmall(portFile(profile)));
    return Number.isInteger(port) && port >= 1024 && port <= 65_535 ? port : 0;
  } catch {
    return 0;
  }
}

function rememberPort(profile: string, origin: string): void {
  try {
    writeDurable(portFile(profile), new URL(origin).port);
  } catch {
    // A profile that cannot be written gets a free port each time.
  }
}

/** Starts the core and the server, prints the ready line, and opens the browser unless `--no-open` is given. */
export async function startBrowserHost(options: HostOptions, build: HostBuild): Promise<Running> {
  const log = createLog(process.env['PARAPET_LOG'] === 'verbose');
  const profile = prepareProfile(options);
  let server: BrowserServer | null = null;
  const files = filesFolder(profile);
  const sessions = createSessions();
  const forget = () => forgetLink(files).catch(() => {});
  /** The link opens a single page and then expires, so a file left by a crash opens nothing. */
  const show = (origin: string) =>
    openBrowser(() => `${origin}/#token=${sessions.link(() => void forget())}`, files).catch(() => {});

  const early = new EarlyArrivals();
  early.add(options.arrivals);
  const instance = await takeInstance(
    profile,
    (arrivals) => {
      early.add(arrivals);
      if (server !== null && options.open) void show(server.origin);
      return server?.url ?? '';
    },
    log.warn,
    options.arrivals,
  );
  if (!instance.first) {
    const where = instance.answer === null ? '' : `: ${instance.answer}`;
    throw new CannotStart(`Parapet is already running with this profile${where}`, 0);
  }

  const identity = identifyProfile(profile);
  keepLogIn(profile);
  log.info('started', { version: build.version, kind: 'browser', platform: process.platform });

  const pages = new Pages((wire) => app.attach(wire), sessions.admit);
  const dialogs = new BrowserDialogs(files, pages);
  const app = await startApp(build.createApp, {
    host: 'browser',
    version: build.version,
    paths: { profile, resources: build.resources },
    workers: build.workers,
    dialogs,
    keychain: createKeychain(identity.id),
    shell: {
      // A page writes the clipboard itself (renderer/bridge/connect.ts) and never asks for this.
      async writeClipboard() {
        throw new ParapetError('not-allowed', 'Only a page can write the clipboard of its browser.');
      },
      // Window controls belong to the browser.
      control() {},
    },
    now: Date.now,
    ticks: () => performance.now(),
    log,
    policy: build.policy,
    routes: createRoutes(process.env),
  });

  early.handOver(app);

  try {
    const listenOn = (port: number) =>
      listen({ rendererDir: build.rendererDir, port, token: sessions.token, dialogs, pages });
    // Reuses the port of the last run: windows left open from it have this origin, and can continue.
    const last = options.port === 0 ? lastPort(profile) : 0;
    server = await (last === 0 ? listenOn(options.port) : listenOn(last).catch(() => listenOn(0)));
    rememberPort(profile, server.origin);
  } catch (error) {
    await app.stop();
    throw error;
  }
  // Before the ready line, after which windows open: a window's tabs belong to its connection and would change with it.
  await connectAsAsked(app, options, identity, { log, policy: build.policy }, () => false);
  process.stdout.write(`Parapet ready: ${server.url}\n`);
  if (options.open) {
    // Set by the start script where a window of its own was wanted first.
    const reason = process.env['PARAPET_BROWSER_REASON'];
    if (reason !== undefined)
      process.stdout.write(`Opening Parapet in the browser instead of its own window: ${reason}.\n`);
    await show(server.origin);
  }

  const { close } = server;
  return {
    fault: (reason) => app.fault(reason),
    async stop() {
      instance.closing();
      await close();
      await app.stop();
      await forget();
      const count = await dialogs.clear();
      if (count > 0) log.warn('files that no page downloaded were removed', { files: count });
      rmSync(files, { recursive: true, force: true });
      await instance.release();
    },
  };
}
