/** How this package is updated, and how a verified update is handed to the system. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, copyFile, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { App } from 'electron';
import { z } from 'zod';
import type { UpdateKind } from '#shared/model/update.ts';
import { newPart } from '../../files/temp-file.ts';
import type { UpdatePort } from '../../kernel/ports.ts';

/** `resources/updates.json`, written when a release is made; null in a build without a feed. */
const source = z.object({ feed: z.string(), key: z.string() });

interface Machine {
  platform: NodeJS.Platform;
  arch: string;
  /** Path of this program. */
  program: string;
  /** The AppImage it was started from. */
  appImage: string | undefined;
}

/** Null for a package that a package manager or an administrator replaces (deb, rpm, MSI). */
export function updateKind({ platform, program, appImage }: Machine): UpdateKind | null {
  if (platform === 'darwin') return 'dmg';
  if (platform === 'linux') return appImage === undefined ? null : 'appimage';
  // The per-user installer leaves its uninstaller beside the program; the fleet installer does not.
  return platform === 'win32' && existsSync(path.join(path.dirname(program), 'Uninstall Parapet.exe'))
    ? 'nsis'
    : null;
}

/** Replaces a file, even from another disk: afterwards it is either the old one or the new one, never a part. */
async function replaceProgram(file: string, program: string): Promise<void> {
  const part = newPart(program);
  try {
    await copyFile(file, part);
    await chmod(part, 0o755);
    const handle = await open(part, 'r+');
    await handle.sync().finally(() => handle.close());
    await rename(part, program);
  } finally {
    await rm(part, { force: true });
  }
}

const startApart = (command: string, args: readonly string[]) =>
  new Promise<void>((resolve, reject) => {
    const child = spawn(command, args, { detached: true, stdio: 'ignore' });
    child.once('error', reject);
    child.once('spawn', () => {
      child.unref();
      resolve();
    });
  });

async function install(
  file: string,
  kind: UpdateKind | null,
  machine: Machine,
  app: Pick<App, 'relaunch'>,
  requestStop: () => void,
): Promise<void> {
  // The analyst replaces the old app by drag and drop; Parapet keeps running meanwhile.
  if (kind === 'dmg') return startApart('/usr/bin/open', [file]);
  if (kind === 'appimage' && machine.appImage !== undefined) {
    await replaceProgram(file, machine.appImage);
    app.relaunch({ execPath: machine.appImage, args: [] });
  } else if (kind === 'nsis') await startApart(file, ['--updated', '/S', '--force-run']);
  requestStop();
}

/** Undefined for a build without a feed, or one that is not packaged. */
export function createUpdater(
  app: Pick<App, 'isPackaged' | 'relaunch'>,
  resources: string,
  requestStop: () => void,
  machine: Machine = {
    platform: process.platform,
    arch: process.arch,
    program: process.execPath,
    appImage: process.env['APPIMAGE'],
  },
): UpdatePort | undefined {
  if (!app.isPackaged) return undefined;
  const read = source.safeParse(JSON.parse(readFileSync(path.join(resources, 'updates.json'), 'utf8')));
  if (!read.success) return undefined;
  const kind = updateKind(machine);
  return {
    ...read.data,
    kind,
    arch: machine.arch,
    install: (file) => install(file, kind, machine, app, requestStop),
  };
}
