/** Opens the system's browser at an address that carries a secret. */
import { spawn } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const COMMANDS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  linux: ['xdg-open'],
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

const hasDesktop = () =>
  process.platform !== 'linux' || Boolean(process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY']);

const linkFile = (dir: string) => path.join(dir, 'open.html');

/** Removes the file that holds the link. */
export const forgetLink = (dir: string) => rm(linkFile(dir), { force: true });

/**
 * Opens the address through a file that only this user can read: as an argument, other users could see its token in the
 * process list. The token opens one page, and `forgetLink` removes the file afterwards. Does nothing where there is no
 * browser.
 */
export async function openBrowser(address: () => string, dir: string): Promise<void> {
  const command = COMMANDS[process.platform];
  if (command === undefined || !hasDesktop()) return;
  const file = linkFile(dir);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await rm(file, { force: true });
  const text = JSON.stringify(address()).replaceAll('<', '\\u003c');
  await writeFile(
    file,
    `<!doctype html><meta charset="utf-8"><title>Parapet</title><script>location.replace(${text})</script>\n`,
    { mode: 0o600, flag: 'wx' },
  );
  const child = spawn(command[0], [...command.slice(1), pathToFileURL(file).href], {
    detached: true,
    stdio: 'ignore',
  });
  child.on('error', () => {});
  child.unref();
}
