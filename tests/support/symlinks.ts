import { lstatSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

function canCreate(): boolean {
  const folder = mkdtempSync(path.join(tmpdir(), 'parapet-symlink-'));
  try {
    const link = path.join(folder, 'link');
    symlinkSync(path.join(folder, 'file'), link);
    return lstatSync(link).isSymbolicLink();
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Why a test with symbolic links is skipped; null: this user can create them. Few Windows users can. */
export const NO_SYMLINKS: string | null = canCreate() ? null : 'this user cannot create symbolic links';
