// Packages Parapet with electron-builder: npm run package [-- --dir] [--no-fetch]
// If Electron's binary is not available, it packages a stand-in, which shows what a package would contain.
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { build } from './build.mjs';
import { electronBinary, electronDir, installElectron } from './electron-binary.mjs';
import { bin, root, runNode } from './node.mjs';
import { writePackageNotices } from './notices.mjs';

const { version } = JSON.parse(readFileSync(path.join(electronDir(), 'package.json'), 'utf8'));

/** The folder of Electron's binary, fetched if missing; null: not available. */
async function electronDist(fetch) {
  const binary = electronBinary() ?? (fetch ? await installElectron() : null);
  return binary === null ? null : path.join(electronDir(), 'dist');
}

/** The marker by which @electron/fuses finds the eight fuses, and their shipped form: version 1, one byte each. */
const FUSES = Buffer.concat([
  Buffer.from('dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'),
  Buffer.from([1, 8]),
  Buffer.from('10110001'),
]);

/** A folder laid out like Electron's, with a placeholder program. */
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
    Buffer.concat([
      Buffer.from(
        '#!/bin/sh\necho "This package was made without the Electron binary and cannot start." >&2\nexit 1\n',
      ),
      FUSES,
    ]),
  );
  chmodSync(program, 0o755);
  writeFileSync(path.join(dir, 'chrome-sandbox'), '');
  return dir;
}

async function main() {
  const given = process.argv.slice(2);
  const args = given.filter((arg) => arg !== '--no-fetch');
  const built = await build({ quiet: true });
  if (built !== 0) return built;
  writePackageNotices();
  const dist = await electronDist(args.length === given.length);
  const dir = dist ?? standIn();
  if (dist === null)
    console.log(
      "Electron's binary cannot be had here: packaging with a stand-in. The result shows what a package holds and does not start.",
    );
  try {
    return await runNode([
      bin('electron-builder'),
      '--config',
      path.join(root, 'electron-builder.yml'),
      '--publish',
      'never',
      ...args,
      `-c.electronDist=${dir}`,
    ]);
  } finally {
    if (dist === null) rmSync(dir, { recursive: true, force: true });
  }
}

process.exitCode = await main();
