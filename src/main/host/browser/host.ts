/** The browser host, put together. */
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Ports } from '../../kernel/ports.ts';
import { takeInstance } from '../instance.ts';
import { createKeychain } from '../keychain.ts';
import { CannotStart, type Running } from '../lifetime.ts';
import { createLog } from '../log.ts';
import type { HostOptions } from '../options.ts';
import { type CreateApp, connectAsAsked, filesFolderOf, prepareProfile, startApp } from '../start-app.ts';
import { createDialogs } from './dialogs.ts';
import { createSessions } from './guard.ts';
import { forgetLink, openBrowser } from './open-browser.ts';
import { createPages } from './pages.ts';
import { type BrowserServer, startServer } from './server.ts';

export interface HostBuild {
  version: string;
  /** Absolute paths of the built renderer and of the product's read-only files. */
  rendererDir: string;
  resources: string;
  workers: Ports['workers'];
  createApp: CreateApp;
}

/** A folder for files on their way: in the profile, or for this run where the profile cannot be written. */
function filesFolder(profile: string): string {
  try {
    accessSync(profile, constants.W_OK);
    return filesFolderOf(profile);
  } catch {
    return mkdtempSync(path.join(os.tmpdir(), 'parapet-'));
  }
}

async function listen(options: Parameters<typeof startServer>[0]): Promise<BrowserServer> {
  try {
    return await startServer(options);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE')
      throw new CannotStart(
        `Port ${options.port} is in use by another program. Choose another one with --port.`,
      );
    if (code === 'EACCES') throw new CannotStart(`This user may not open port ${options.port}.`);
    throw error;
  }
}

/** Starts the core and the server, prints the ready line, and opens the browser unless told not to. */
export async function startBrowserHost(options: HostOptions, build: HostBuild): Promise<Running> {
  const log = createLog(process.env['PARAPET_LOG'] === 'verbose');
  const profile = prepareProfile(options);
  let server: BrowserServer | null = null;
  const files = filesFolder(profile.path);
  const sessions = createSessions();
  const forget = () => forgetLink(files).catch(() => {});
  /** The link opens one page and is gone then: what stays of it after a kill opens nothing. */
  const show = (origin: string) =>
    openBrowser(() => `${origin}/#token=${sessions.link(() => void forget())}`, files).catch(() => {});

  const instance = await takeInstance(
    profile.path,
    () => {
      if (server !== null && options.open) void show(server.origin);
      return server?.url ?? '';
    },
    log.warn,
  );
  if (!instance.first) {
    const where = instance.answer === null ? '' : `: ${instance.answer}`;
    throw new CannotStart(`Parapet is already running with this profile${where}`, 0);
  }

  const pages = createPages((wire) => app.attach(wire), sessions.admit);
  const dialogs = createDialogs(files, pages);
  const app = await startApp(build.createApp, {
    host: 'browser',
    version: build.version,
    paths: { profile: profile.path, resources: build.resources },
    workers: build.workers,
    dialogs,
    keychain: createKeychain(profile.id),
    shell: {
      async writeClipboard(text) {
        await pages.ask({ host: 'clipboard', text }).answer;
      },
      // A page's window belongs to the browser.
      control() {},
    },
    now: Date.now,
    ticks: () => performance.now(),
    log,
  });

  try {
    server = await listen({
      rendererDir: build.rendererDir,
      port: options.port,
      token: sessions.token,
      dialogs,
      pages,
    });
  } catch (error) {
    await app.stop();
    throw error;
  }
  // Before the line that opens windows: a window's tabs are its connection's, and change with it.
  await connectAsAsked(app, options, profile, log, () => false);
  process.stdout.write(`Parapet ready: ${server.url}\n`);
  if (options.open) await show(server.origin);

  const { close } = server;
  return {
    fault: app.fault,
    async stop() {
      await close();
      await app.stop();
      await forget();
      const left = await dialogs.clear();
      if (left > 0) log.warn('files that no page fetched are gone', { files: left });
      rmSync(files, { recursive: true, force: true });
      await instance.release();
    },
  };
}
