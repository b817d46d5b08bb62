// Starts Parapet: in Electron where its binary is or can be had, otherwise in this machine's browser.
// Takes --host electron|browser for itself; every other option goes to the product.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { build } from './build.mjs';
import { nodeBinary, root, superviseToEnd } from './node.mjs';

const INSTALL_TIMEOUT_MS = 60_000;
const RETRY_INSTALL_AFTER_MS = 24 * 3_600_000;

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

const require = createRequire(import.meta.url);

/** Path of the Electron binary, or null. Requiring the package itself would start a download. */
function electronBinary() {
  try {
    const dir = path.dirname(require.resolve('electron/package.json'));
    const file = path.join(dir, 'dist', readFileSync(path.join(dir, 'path.txt'), 'utf8').trim());
    return existsSync(file) ? file : null;
  } catch {
    return null;
  }
}

const hasDisplay = () =>
  process.platform !== 'linux' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);

/** Asks Electron's own installer for the binary; a failed try is not repeated for a day. */
async function installElectron() {
  const tried = path.join(root, 'out', '.electron-tried');
  const last = statSync(tried, { throwIfNoEntry: false });
  if (last !== undefined && Date.now() - last.mtimeMs < RETRY_INSTALL_AFTER_MS) return null;
  process.stderr.write('Getting the Electron binary…\n');
  const installer = path.join(path.dirname(require.resolve('electron/package.json')), 'install.js');
  await new Promise((resolve) => {
    const child = spawn(process.execPath, [installer], { stdio: 'ignore', timeout: INSTALL_TIMEOUT_MS });
    child.once('error', resolve);
    child.once('close', resolve);
  });
  const binary = electronBinary();
  if (binary === null) writeFileSync(tried, '');
  return binary;
}

async function chooseHost(wanted) {
  if (wanted === 'browser') return { kind: 'browser' };
  if (wanted === null && !hasDisplay())
    return { kind: 'browser', why: 'this machine has no display for a window' };
  const binary = electronBinary() ?? (hasDisplay() ? await installElectron() : null);
  if (binary !== null) return { kind: 'electron', binary };
  const why = 'the Electron binary is not installed and could not be had';
  if (wanted === 'electron') {
    process.stderr.write(`Parapet cannot start in Electron: ${why}. Try --host browser.\n`);
    return null;
  }
  return { kind: 'browser', why };
}

/** Runs the product to its end. When this process is killed, the product hears the channel close. */
const launch = (command, args) =>
  superviseToEnd(spawn(command, args, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] }));

async function main() {
  const { host, rest } = takeHost(process.argv.slice(2));
  if (host !== null && host !== 'electron' && host !== 'browser') {
    process.stderr.write(`--host takes electron or browser, not ${JSON.stringify(host)}.\n`);
    return 2;
  }
  const code = await build({ quiet: true });
  if (code !== 0) return code;
  const chosen = await chooseHost(host);
  if (chosen === null) return 1;
  if (chosen.kind === 'electron') return launch(chosen.binary, [root, ...rest]);
  if (chosen.why !== undefined)
    process.stdout.write(`Opening Parapet in the browser instead of its own window: ${chosen.why}.\n`);
  return launch(nodeBinary(), ['--enable-source-maps', path.join(root, 'out', 'main', 'node.js'), ...rest]);
}

process.exitCode = await main().catch((error) => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  return 1;
});
