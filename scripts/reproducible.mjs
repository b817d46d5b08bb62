// Builds and packages this commit twice from scratch, in separate folders, and compares the packages' contents:
// node scripts/reproducible.mjs [--fetch]
// With --fetch it uses Electron's binary if available; without it, the stand-in of scripts/package.mjs.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { getRawHeader } from '@electron/asar';
import { root } from './node.mjs';

const run = (command, args, options = {}) => {
  const { status, stderr, stdout } = spawnSync(command, args, {
    maxBuffer: 2 ** 30,
    encoding: 'utf8',
    ...options,
  });
  if (status !== 0) throw new Error(`${command} ${args[0]} ended with ${status}: ${stderr}${stdout}`);
  return stdout;
};

/** Packages a copy of the commit with different file times and order. Returns the package. */
function made(dir, name, fetch) {
  const copy = path.join(dir, name);
  run('git', ['worktree', 'add', '--detach', copy, 'HEAD'], { cwd: root });
  symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
  run(process.execPath, ['scripts/package.mjs', '--dir', ...(fetch ? [] : ['--no-fetch'])], { cwd: copy });
  const unpacked = readdirSync(path.join(copy, 'dist')).find((one) =>
    statSync(path.join(copy, 'dist', one)).isDirectory(),
  );
  return path.join(copy, 'dist', unpacked);
}

const hash = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');
const digests = (dir) =>
  new Map(
    readdirSync(dir, { recursive: true })
      .filter((name) => statSync(path.join(dir, name)).isFile())
      .map((name) => [name, hash(path.join(dir, name))]),
  );
const entries = (record, at = '') =>
  Object.entries(record.files).flatMap(([name, entry]) =>
    entry.files ? entries(entry, `${at}/${name}`) : [[`${at}/${name}`, JSON.stringify(entry)]],
  );

/** The names with different values in two maps. */
const differing = (a, b) =>
  [...new Set([...a.keys(), ...b.keys()])].filter((name) => a.get(name) !== b.get(name));

const dir = mkdtempSync(path.join(os.tmpdir(), 'parapet-reproducible-'));
try {
  const fetch = process.argv.includes('--fetch');
  const packages = ['one', 'another-name'].map((name) => made(dir, name, fetch));
  const wrong = differing(...packages.map(digests));
  for (const name of wrong) {
    console.error(`differs: ${name}`);
    if (name.endsWith('app.asar'))
      for (const inside of differing(
        ...packages.map((one) => new Map(entries(getRawHeader(path.join(one, name)).header))),
      ))
        console.error(`  in it: ${inside}`);
  }
  const archive = [...digests(packages[0])].find(([name]) => name.endsWith('app.asar'));
  console.log(
    wrong.length === 0 ? `The same twice: app.asar ${archive?.[1]}` : 'Two builds of one commit differ.',
  );
  process.exitCode = wrong.length === 0 ? 0 : 1;
} finally {
  for (const name of ['one', 'another-name'])
    spawnSync('git', ['worktree', 'remove', '--force', path.join(dir, name)], { cwd: root });
  rmSync(dir, { recursive: true, force: true });
}
