// Builds main, preload and renderer into out/, unless out/ already holds the build of these sources.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimes,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { bin, nodeBinary, root } from './node.mjs';
import { writeNotices } from './notices.mjs';

const INPUTS = [
  'src',
  'docs/guide',
  'docs/screenshots',
  'resources/demo',
  'electron.vite.config.ts',
  'package.json',
  'package-lock.json',
  'tsconfig.base.json',
];
const stampFile = path.join(root, 'out', '.stamp');
const lockFile = path.join(root, 'out', '.building');

/** A digest over names, sizes and times of all inputs of a build; tests are not among them. */
function stampOfSources() {
  const digest = createHash('sha256');
  const visit = (file) => {
    const info = statSync(file, { throwIfNoEntry: false });
    if (info === undefined) return;
    if (info.isDirectory()) {
      for (const name of readdirSync(file).sort()) visit(path.join(file, name));
    } else if (!/\.test\.tsx?$/.test(file)) {
      digest.update(`${path.relative(root, file)}\0${info.size}\0${info.mtimeMs}\n`);
    }
  };
  for (const input of INPUTS) visit(path.join(root, input));
  return digest.digest('hex');
}

const isBuilt = (stamp) => existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp;

/** How often a build shows that it is still running, and when one that no longer does has been killed. */
const SIGN_OF_LIFE_MS = 1000;
const KILLED_AFTER_MS = 30_000;

/**
 * Takes the build lock of this folder, or waits for the build that has it. Resolves with the function that releases it.
 * The lock's age tells whether its build still runs: a process number could belong to another program by now.
 */
async function takeTurn() {
  mkdirSync(path.dirname(lockFile), { recursive: true });
  for (let isWaiting = false; ; ) {
    try {
      writeFileSync(lockFile, '', { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const held = statSync(lockFile, { throwIfNoEntry: false });
    if (held !== undefined && Math.abs(Date.now() - held.mtimeMs) > KILLED_AFTER_MS) {
      rmSync(lockFile, { force: true });
      continue;
    }
    if (!isWaiting) process.stderr.write('Waiting for another build of this folder…\n');
    isWaiting = true;
    await delay(200);
  }
  const signs = setInterval(() => utimes(lockFile, new Date(), new Date(), () => {}), SIGN_OF_LIFE_MS);
  return () => {
    clearInterval(signs);
    rmSync(lockFile, { force: true });
  };
}

const refuse = (why) => {
  process.stderr.write(`Parapet cannot be built in ${root}: ${why}\n`);
  return 1;
};

/** Vite takes what follows these characters in a path for a fragment or a query. */
const UNBUILDABLE = /[#?]/;

function electronVite(quiet) {
  return new Promise((resolve, reject) => {
    const child = spawn(nodeBinary(), [bin('electron-vite'), 'build'], {
      cwd: root,
      stdio: quiet ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    });
    let output = '';
    child.stdout?.on('data', (chunk) => (output += chunk));
    child.stderr?.on('data', (chunk) => (output += chunk));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code !== 0 && quiet) process.stderr.write(output);
      resolve(code ?? 1);
    });
  });
}

/** Resolves with the exit code of the build; 0 at once if nothing has changed. */
export async function build({ quiet = false } = {}) {
  if (isBuilt(stampOfSources())) return 0;
  if (UNBUILDABLE.test(root))
    return refuse('the build does not support # or ? in a path. Move or rename the folder and try again.');
  let done;
  try {
    done = await takeTurn();
  } catch (error) {
    return refuse(`${error.message}. A user who may write there can build it: npm run build.`);
  }
  try {
    const stamp = stampOfSources();
    if (isBuilt(stamp)) return 0;
    rmSync(stampFile, { force: true });
    if (quiet) process.stderr.write('Building Parapet…\n');
    const code = await electronVite(quiet);
    if (code === 0) {
      writeNotices();
      writeFileSync(stampFile, stamp);
    }
    return code;
  } finally {
    done();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await build();
