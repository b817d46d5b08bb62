// Finds and fetches Electron's binary. Run as a script, under the right Node, it fetches it; exit code 0: it is installed.
// Requiring the package itself would start a download without progress.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { runNode } from './node.mjs';

/** A download is aborted only if no data arrives for this long, however slow it is. */
const STALL_MS = 60_000;
const MEGABYTE = 1_000_000;

export const electronDir = () =>
  path.dirname(createRequire(import.meta.url).resolve('electron/package.json'));

/** Path of the binary in Electron's package, or null. */
export function electronBinary(dir = electronDir()) {
  try {
    const file = path.join(dir, 'dist', readFileSync(path.join(dir, 'path.txt'), 'utf8').trim());
    return existsSync(file) ? file : null;
  } catch {
    return null;
  }
}

const megabytes = (bytes) => Math.round(bytes / MEGABYTE);

/** Shows progress: in place on a terminal, otherwise one line for each tenth. */
function progressTo(out) {
  const begun = performance.now();
  let tenth = -1;
  let toldAt = Number.NEGATIVE_INFINITY;
  return ({ transferred, total }) => {
    const seconds = (performance.now() - begun) / 1000;
    const rate = transferred / Math.max(seconds, 0.001);
    const part = total ? transferred / total : 0;
    const left = total ? `, about ${Math.ceil((total - transferred) / rate)} s left` : '';
    const line = `${total ? `${Math.floor(part * 100)}% of ${megabytes(total)} MB` : `${megabytes(transferred)} MB`}, ${(rate / MEGABYTE).toFixed(1)} MB/s${left}`;
    const due = out.isTTY ? performance.now() - toldAt > 250 : Math.floor(part * 10) > tenth;
    if (!due && part < 1) return;
    toldAt = performance.now();
    tenth = Math.floor(part * 10);
    out.write(out.isTTY ? `\r${line.padEnd(60)}` : `  ${line}\n`);
  };
}

const reasonOf = (error) => {
  const cause = error?.cause instanceof Error ? `: ${error.cause.message || error.cause.code}` : '';
  return `${error instanceof Error ? error.message : error}${cause}`;
};

/** Fetches the archive with progress, then lets Electron's own installer unpack it. Returns null, or why it failed. */
export async function fetchElectron({ dir = electronDir(), out = process.stderr, stallMs = STALL_MS } = {}) {
  try {
    // Before the download, as the checkout may be read-only or belong to another user.
    accessSync(dir, constants.W_OK);
    mkdirSync(path.join(dir, 'dist'), { recursive: true });
    accessSync(path.join(dir, 'dist'), constants.W_OK);
  } catch (error) {
    return `it cannot be installed: ${reasonOf(error)}`;
  }
  const require = createRequire(path.join(dir, 'package.json'));
  const { version } = JSON.parse(readFileSync(path.join(dir, 'package.json'), 'utf8'));
  const { downloadArtifact } = await import(pathToFileURL(require.resolve('@electron/get')).href);
  out.write(`Fetching Electron ${version} (only once). Ctrl+C cancels.\n`);
  const controller = new AbortController();
  let stalled = setTimeout(() => controller.abort(), stallMs);
  const tell = progressTo(out);
  try {
    await downloadArtifact({
      version,
      artifactName: 'electron',
      platform: process.env.npm_config_platform || process.platform,
      arch: process.env.npm_config_arch || process.arch,
      cacheRoot: process.env.electron_config_cache,
      checksums: process.env.electron_use_remote_checksums ? undefined : require('./checksums.json'),
      downloadOptions: {
        quiet: true,
        signal: controller.signal,
        getProgressCallback: async (progress) => {
          clearTimeout(stalled);
          stalled = setTimeout(() => controller.abort(), stallMs);
          tell(progress);
        },
      },
    });
  } catch (error) {
    if (out.isTTY) out.write('\n');
    return controller.signal.aborted ? `nothing arrived for ${stallMs / 1000} seconds` : reasonOf(error);
  } finally {
    clearTimeout(stalled);
  }
  out.write(`${out.isTTY ? '\n' : ''}Unpacking Electron…\n`);
  const unpacked = spawnSync(process.execPath, [path.join(dir, 'install.js')], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, force_no_cache: '' },
    encoding: 'utf8',
  });
  if (electronBinary(dir) !== null) return null;
  return `it could not be unpacked: ${unpacked.stderr?.trim().split('\n')[0] || unpacked.error?.message || `exit code ${unpacked.status}`}`;
}

/** Remembers in the time of a file that fetching failed. A checkout of another user keeps no note, and each start tries again. */
export function noteFailedFetch(file) {
  try {
    writeFileSync(file, '');
  } catch {
    // The browser opens all the same.
  }
}

/** Advice if it cannot be fetched. */
export const FETCH_HELP = `What you can do:
  npm start -- --host electron     tries again now
  npm start -- --host browser      opens Parapet in your browser, without Electron
  ELECTRON_GET_USE_PROXY=1 HTTPS_PROXY=http://PROXY:PORT npm start -- --host electron
                                   behind a proxy
  ELECTRON_MIRROR=https://MIRROR/ npm start -- --host electron
                                   from a mirror that this machine can reach
`;

/** Fetches it in a child process that shows progress on this terminal. Returns the binary, or null. */
export async function installElectron() {
  await runNode([fileURLToPath(import.meta.url)]);
  return electronBinary();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const failed = await fetchElectron();
  if (failed !== null) process.stderr.write(`Electron could not be fetched: ${failed}.\n${FETCH_HELP}`);
  process.exitCode = failed === null ? 0 : 1;
}
