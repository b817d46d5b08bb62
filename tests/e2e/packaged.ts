/** The packaged product, built by `npm run package -- --dir`; a stand-in replaces a missing Electron binary. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { extractAll } from '@electron/asar';

const root = path.resolve(import.meta.dirname, '../..');

export interface Packaged {
  /** The Electron executable, with its fuses set. */
  program: string;
  /** The folder of the executable and the resources. */
  unpacked: string;
  resources: string;
  archive: string;
  /** The files of the archive including native modules, as Electron presents them to the product. */
  extracted: string;
  remove(): void;
}

/** Why this machine cannot build the package; null if it can. */
export const cannotPackage =
  process.platform === 'linux' && process.arch === 'x64' ? null : 'packages are inspected on Linux x64';

let product: Packaged | null = null;

const has = (command: string) => spawnSync(command, ['--version'], { stdio: 'ignore' }).error === undefined;

/** Builds .deb and .rpm, as far as their tools are installed. Returns the file names. */
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

/** Packages this build, once per worker. */
export function packaged(): Packaged {
  if (product !== null) return product;
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
  product = {
    program: path.join(unpacked, 'parapet'),
    unpacked,
    resources,
    archive,
    extracted,
    remove: () => {
      rmSync(dir, { recursive: true, force: true });
      product = null;
    },
  };
  return product;
}
