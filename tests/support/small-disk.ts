/** A small file system in memory that can really run full. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Its mount point, a new folder by default; null: not available, as mounting needs root. `size`: bytes. */
export function mountDisk(
  size: number,
  folder = mkdtempSync(join(tmpdir(), 'parapet-full-')),
): string | null {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=700`, 'tmpfs', folder], {
      stdio: 'ignore',
    });
    return folder;
  } catch {
    rmSync(folder, { recursive: true });
    return null;
  }
}

/** Leaves an empty folder. */
export function pullOut(folder: string): void {
  execFileSync('umount', ['-l', folder]);
}

export function unmountDisk(folder: string): void {
  pullOut(folder);
  rmSync(folder, { recursive: true });
}
