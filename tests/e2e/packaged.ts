/** The product as a package carries it: made by `npm run package -- --dir`, with a stand-in where Electron's binary is not. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { extractAll } from '@electron/asar';

const root = path.resolve(import.meta.dirname, '../..');

export interface Packaged {
  /** Electron's program of the package, its fuses set. */
  program: string;
  /** The folder that holds both. */
  unpacked: string;
  resources: string;
  archive: string;
  /** The archive's files in a folder, native modules among them, as Electron would show them to the product. */
  extracted: string;
  remove(): void;
}

/** Why there is no package to be had here; null: there is. */
export const cannotPackage =
  process.platform === 'linux' && process.arch === 'x64' ? null : 'packages are inspected on Linux x64';

let made: Packaged | null = null;

const has = (command: string) => spawnSync(command, ['--version'], { stdio: 'ignore' }).error === undefined;

/** Makes packages of the packaged product: those of these kinds whose tools are here. Answers their names. */
export function installers(dir: string): string[] {
  const kinds = [...(has('dpkg-deb') ? ['deb'] : []), ...(has('rpmbuild') ? ['rpm'] : [])];
  if (kinds.length < 2)
    console.log(`Of .deb and .rpm, only these can be made here: ${kinds.join() || 'none'}.`);
  if (kinds.length === 0) return [];
  if (!has('fpm')) symlinkSync(path.join(root, 'tests/support/fpm.mjs'), path.join(dir, 'fpm'));
  execFileSync(
    process.execPath,
    [
      path.join(root, 'node_modules/electron-builder/cli.js'),
      ...['--config', path.join(root, 'electron-builder.yml'), '--publish', 'never'],
      ...['--linux', ...kinds, '--prepackaged', packaged().unpacked, `-c.directories.output=${dir}`],
    ],
    {
      cwd: root,
      stdio: 'pipe',
      env: { ...process.env, USE_SYSTEM_FPM: 'true', PATH: `${dir}:${process.env['PATH']}` },
    },
  );
  return readdirSync(dir).filter((name) => /\.(deb|rpm)$/.test(name));
}

/** Packages this build, once for a worker. */
export function packaged(): Packaged {
  if (made !== null) return made;
  const dir = mkdtempSync(path.join(os.tmpdir(), 'parapet-package-'));
  execFileSync(
    process.execPath,
    [
      path.join(root, 'scripts/package.mjs'),
      '--dir',
      '--linux',
      '--no-fetch',
      `-c.directories.output=${dir}`,
    ],
    { stdio: 'pipe' },
  );
  const unpacked = path.join(dir, 'linux-unpacked');
  const resources = path.join(unpacked, 'resources');
  const archive = path.join(resources, 'app.asar');
  const extracted = path.join(dir, 'extracted');
  extractAll(archive, extracted);
  made = {
    program: path.join(unpacked, 'parapet'),
    unpacked,
    resources,
    archive,
    extracted,
    remove: () => {
      rmSync(dir, { recursive: true, force: true });
      made = null;
    },
  };
  return made;
}
