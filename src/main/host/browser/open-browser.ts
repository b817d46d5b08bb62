/** Opens this machine's browser at an address that carries a secret. */
import { spawn } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const COMMANDS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  linux: ['xdg-open'],
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

const hasDesktop = () =>
  process.platform !== 'linux' || Boolean(process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY']);

/**
 * Opens the address through a file that only this user can read: as an argument, other users of this machine would
 * see its token in the process list. Does nothing, and fails not, where there is no browser. The answer removes
 * the file.
 */
export async function openBrowser(url: string, dir: string): Promise<() => Promise<void>> {
  const command = COMMANDS[process.platform];
  if (command === undefined || !hasDesktop()) return async () => {};
  const file = path.join(dir, 'open.html');
  const text = JSON.stringify(url).replaceAll('<', '\\u003c');
  await writeFile(
    file,
    `<!doctype html><meta charset="utf-8"><title>Parapet</title><script>location.replace(${text})</script>\n`,
    { mode: 0o600 },
  );
  const child = spawn(command[0], [...command.slice(1), pathToFileURL(file).href], {
    detached: true,
    stdio: 'ignore',
  });
  child.on('error', () => {});
  child.unref();
  return () => rm(file, { force: true });
}
