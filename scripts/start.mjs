// Starts Parapet: in Electron if its binary is installed or can be fetched, otherwise in this machine's browser.
// Handles --host electron|browser itself; every other option is passed to the product.
import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import path from 'node:path';
import { build } from './build.mjs';
import { electronBinary, installElectron, noteFailedFetch } from './electron-binary.mjs';
import { here, nodeBinary, root, superviseToEnd } from './node.mjs';

/** A machine that cannot fetch the binary does not retry at each start. */
const RETRY_FETCH_AFTER_MS = 3_600_000;

function takeHost(args) {
  const rest = [];
  let host = null;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at];
    if (arg === '--host') host = args[++at] ?? '';
    else if (arg.startsWith('--host=')) host = arg.slice('--host='.length);
    else rest.push(arg);
  }
  return { host, rest };
}

const hasDisplay = () =>
  process.platform !== 'linux' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);

const triedFile = path.join(root, 'out', '.electron-tried');

/** Minutes since fetching the binary failed, if it is too soon to retry automatically; null: it may be tried. */
function failedMinutesAgo() {
  const last = statSync(triedFile, { throwIfNoEntry: false });
  const age = last === undefined ? Number.POSITIVE_INFINITY : Date.now() - last.mtimeMs;
  return age >= 0 && age < RETRY_FETCH_AFTER_MS ? Math.ceil(age / 60_000) : null;
}

async function chooseHost(wanted) {
  if (wanted === 'browser') return { kind: 'browser' };
  if (wanted === null && !hasDisplay())
    return { kind: 'browser', why: 'this machine has no display for a window' };
  const binary = electronBinary();
  if (binary !== null) return { kind: 'electron', binary };
  const minutes = wanted === 'electron' ? null : failedMinutesAgo();
  if (minutes !== null)
    return {
      kind: 'browser',
      why: `fetching Electron failed ${minutes} min ago. To try again: npm start -- --host electron`,
    };
  const fetched = await installElectron();
  if (fetched !== null) return { kind: 'electron', binary: fetched };
  if (wanted === 'electron') return null;
  noteFailedFetch(triedFile);
  return { kind: 'browser', why: 'Electron could not be fetched' };
}

/**
 * The young generation is small, since its memory stays resident after the start. Source maps take 22 MB, so they are
 * only read for debugging (docs/adr/0028-measured.md).
 */
const nodeOptions = () => [
  '--max-semi-space-size=1',
  ...(process.env.PARAPET_LOG === 'verbose' ? ['--enable-source-maps'] : []),
];

/** Whether the options only print something: then no host is chosen and nothing is fetched. */
const isPrinted = (args) =>
  args
    .slice(0, args.includes('--') ? args.indexOf('--') : args.length)
    .some((arg) => ['--help', '-h', '--version'].includes(arg));

/** Runs the product to its end. If this process is killed, the closed IPC channel stops the product. */
const launch = (command, args, env = {}) =>
  superviseToEnd(
    spawn(command, args, {
      cwd: here,
      env: { ...process.env, ...env },
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    }),
  );

async function main() {
  const { host, rest } = takeHost(process.argv.slice(2));
  if (host !== null && host !== 'electron' && host !== 'browser') {
    process.stderr.write(`--host takes electron or browser, not ${JSON.stringify(host)}.\n`);
    return 2;
  }
  const code = await build({ quiet: true });
  if (code !== 0) return code;
  const chosen = await (isPrinted(rest) ? { kind: 'browser' } : chooseHost(host));
  if (chosen === null) return 1;
  if (chosen.kind === 'electron') return launch(chosen.binary, [root, ...rest]);
  // The product gives the reason when it opens the browser: not with --no-open, and not when it cannot start.
  const env = chosen.why === undefined ? {} : { PARAPET_BROWSER_REASON: chosen.why };
  return launch(nodeBinary(), [...nodeOptions(), path.join(root, 'out', 'main', 'node.js'), ...rest], env);
}

process.exitCode = await main().catch((error) => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  return 1;
});
