/**
 * Crash dumps stay on this machine. A dump holds memory, and so mail, in clear: only the newest are kept, in the profile,
 * and no diagnostics contain them.
 */
import { lstatSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { app, crashReporter } from 'electron';

const KEPT = 2;
const AGE_MAX_MS = 14 * 24 * 3_600_000;

/** Null if it fails. The dumps of another start, a virus scanner or a failing disk must not prevent this one. */
function attempt<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}

/** Removes all but the newest dumps, each with the files beside it that share its name. Never throws. */
export function removeOldDumps(folder: string, now: number): void {
  const names = attempt(() => readdirSync(folder, { recursive: true, encoding: 'utf8' })) ?? [];
  const dumps = names
    .filter((name) => name.endsWith('.dmp'))
    .map((name) => path.join(folder, name))
    .map((file) => ({ file, at: attempt(() => lstatSync(file).mtimeMs) ?? 0 }))
    .sort((a, b) => b.at - a.at);
  for (const [index, { file, at }] of dumps.entries()) {
    if (index < KEPT && now - at < AGE_MAX_MS) continue;
    for (const path of [file, file.replace(/\.dmp$/, '.meta')]) attempt(() => rmSync(path, { force: true }));
  }
}

/** Before Electron is ready: dumps of every process are written to the profile, and nowhere else. */
export function keepCrashDumpsIn(profile: string): void {
  const folder = path.join(profile, 'crashes');
  removeOldDumps(folder, Date.now());
  app.setPath('crashDumps', folder);
  crashReporter.start({ uploadToServer: false });
}
