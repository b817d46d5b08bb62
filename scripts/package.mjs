// Packages Parapet with electron-builder: npm run package [-- --dir]
// Where Electron's binary cannot be had, it packages with a stand-in, which shows what a package would hold.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { build } from './build.mjs';
import { bin, nodeBinary, root, runNode } from './node.mjs';

const INSTALL_TIMEOUT_MS = 120_000;
const require = createRequire(import.meta.url);
const electronDir = path.dirname(require.resolve('electron/package.json'));
const { version } = JSON.parse(readFileSync(path.join(electronDir, 'package.json'), 'utf8'));

/** The folder of Electron's binary, got with its own installer when it is not there; null: it cannot be had. */
function electronDist() {
  const dist = path.join(electronDir, 'dist');
  if (existsSync(path.join(electronDir, 'path.txt'))) return dist;
  const installed = spawnSync(nodeBinary(), [path.join(electronDir, 'install.js')], {
    stdio: 'ignore',
    timeout: INSTALL_TIMEOUT_MS,
  });
  return installed.status === 0 && existsSync(path.join(electronDir, 'path.txt')) ? dist : null;
}

const configFile = path.join(root, 'electron-builder.yml');

/** Fuses are bits inside the binary, which a stand-in has not. */
function configWithoutFuses(dir) {
  const file = path.join(dir, 'electron-builder.yml');
  writeFileSync(file, readFileSync(configFile, 'utf8').replace(/^electronFuses:\n( .*\n)+/m, ''));
  return file;
}

/** A folder laid out as Electron's, with a program that says what it is. */
function standIn() {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'parapet-electron-'));
  mkdirSync(path.join(dir, 'resources'));
  mkdirSync(path.join(dir, 'locales'));
  writeFileSync(path.join(dir, 'version'), version);
  writeFileSync(path.join(dir, 'LICENSE'), '');
  writeFileSync(path.join(dir, 'LICENSES.chromium.html'), '');
  const program = path.join(dir, 'electron');
  writeFileSync(
    program,
    '#!/bin/sh\necho "This package was made without the Electron binary and cannot start." >&2\nexit 1\n',
  );
  chmodSync(program, 0o755);
  writeFileSync(path.join(dir, 'chrome-sandbox'), '');
  return dir;
}

async function main() {
  const args = process.argv.slice(2);
  const built = await build({ quiet: true });
  if (built !== 0) return built;
  const builder = bin('electron-builder');
  const dist = electronDist();
  if (dist !== null)
    return runNode([
      builder,
      '--config',
      configFile,
      '--publish',
      'never',
      ...args,
      `-c.electronDist=${dist}`,
    ]);

  console.log(
    "Electron's binary cannot be had here: packaging with a stand-in. The result shows what a package holds and does not start.",
  );
  const dir = standIn();
  try {
    const code = await runNode([
      builder,
      '--config',
      configWithoutFuses(dir),
      '--publish',
      'never',
      '--linux',
      '--dir',
      `-c.electronDist=${dir}`,
    ]);
    if (code === 0)
      console.log('Packaged into dist/linux-unpacked, without Electron itself and without fuses.');
    return code;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

process.exitCode = await main();
