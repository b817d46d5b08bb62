/**
 * Crash dumps stay on this machine. A dump holds memory, and so mail, in clear: only the newest are kept, in the profile,
 * and no diagnostics contain them.
 */
import { readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { app, crashReporter } from 'electron';

const KEPT = 2;
const AGE_MAX_MS = 14 * 24 * 3_600_000;

/** Removes all but the newest dumps, each with the files beside it that share its name. */
export function removeOldDumps(folder: string, now: number): void {
  let names: string[];
  try {
    names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch {
    return;
  }
  const dumps = names
    .filter((name) => name.endsWith('.dmp'))
    .map((name) => ({ file: path.join(folder, name), at: statSync(path.join(folder, name)).mtimeMs }))
    .sort((a, b) => b.at - a.at);
  for (const [index, { file, at }] of dumps.entries()) {
    if (index < KEPT && now - at < AGE_MAX_MS) continue;
    rmSync(file, { force: true });
    rmSync(file.replace(/\.dmp$/, '.meta'), { force: true });
  }
}

/** Before Electron is ready: dumps of every process are written to the profile, and nowhere else. */
export function keepCrashDumpsIn(profile: string): void {
  const folder = path.join(profile, 'crashes');
  removeOldDumps(folder, Date.now());
  app.setPath('crashDumps', folder);
  crashReporter.start({ uploadToServer: false });
}
