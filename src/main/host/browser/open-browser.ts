/** Opens the system's browser at an address that carries a secret. */
import { spawn } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { systemProgram } from '../windows.ts';

/** The command that opens an address, or null if unknown for this system. */
export function browserCommand(
  platform: NodeJS.Platform,
  env: NodeJS.ProcessEnv,
  url: string,
): readonly [command: string, ...args: string[]] | null {
  if (platform === 'linux') return ['xdg-open', url];
  if (platform === 'darwin') return ['open', url];
  if (platform !== 'win32') return null;
  // Not through cmd, which would execute text after an & in the profile's name.
  return [systemProgram(env, 'rundll32.exe'), 'url.dll,FileProtocolHandler', url];
}

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
  const file = linkFile(dir);
  const command = browserCommand(process.platform, process.env, pathToFileURL(file).href);
  if (command === null || !hasDesktop()) return;
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await rm(file, { force: true });
  const text = JSON.stringify(address()).replaceAll('<', '\\u003c');
  await writeFile(
    file,
    `<!doctype html><meta charset="utf-8"><title>Parapet</title><script>location.replace(${text})</script>\n`,
    { mode: 0o600, flag: 'wx' },
  );
  const child = spawn(command[0], command.slice(1), { detached: true, stdio: 'ignore' });
  child.on('error', () => {});
  child.unref();
}
