/** Starts the built browser host in its own process, as users start it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { UncaughtFile } from '../support/uncaught.ts';

const root = path.resolve(import.meta.dirname, '../..');
const START_TIMEOUT_MS = 60_000;
/** Environment variable with the path of a ready demo tenant database, which saves creating it. */
export const DEMO_DATABASE = 'PARAPET_TEST_DEMO';

export interface Host {
  /** Has the token in its fragment. */
  url: string;
  profile: string;
  process: ChildProcess;
  output(): string;
  /** Sends SIGTERM and returns the exit code. Throws if any of its processes or threads had an uncaught error. */
  stop(): Promise<number | null>;
}

export interface HostOptions {
  connect?: string;
  /** A profile folder to keep, for restarts; otherwise a temporary one. */
  profile?: string;
  args?: readonly string[];
  /** The folder that has the built product in `out`. */
  product?: string;
}

/** Starts the built host with its own profile and without access to the keychain. */
export async function startHost({
  connect = 'demo',
  profile,
  args = [],
  product = root,
}: HostOptions = {}): Promise<Host> {
  const dir = profile ?? mkdtempSync(path.join(os.tmpdir(), 'parapet-e2e-'));
  const demo = process.env[DEMO_DATABASE];
  if (connect === 'demo' && demo !== undefined) {
    const copy = path.join(dir, path.basename(demo));
    if (!existsSync(copy)) copyFileSync(demo, copy, constants.COPYFILE_FICLONE);
  }
  const uncaught = new UncaughtFile();
  const child = spawn(
    process.execPath,
    [path.join(product, 'out/main/node.js'), '--no-open', '--profile', dir, '--connect', connect, ...args],
    // The IPC channel closes if the tests die, and the host then exits.
    {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: { ...process.env, ...uncaught.env(), DBUS_SESSION_BUS_ADDRESS: 'disabled:' },
    },
  );
  let output = '';
  const ready = Promise.withResolvers<string>();
  const listen = (chunk: Buffer) => {
    output += chunk.toString();
    const url = /^Parapet ready: (\S+)$/m.exec(output)?.[1];
    if (url !== undefined) ready.resolve(url);
  };
  child.stdout?.on('data', listen);
  child.stderr?.on('data', listen);
  child.once('exit', (code) => ready.reject(new Error(`The host ended with ${code}:\n${output}`)));
  const timer = setTimeout(
    () => ready.reject(new Error(`The host did not start:\n${output}`)),
    START_TIMEOUT_MS,
  );
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    }
    if (profile === undefined) rmSync(dir, { recursive: true, force: true });
    try {
      uncaught.check();
    } finally {
      uncaught.remove();
    }
    return child.exitCode;
  };
  try {
    const url = await ready.promise;
    return { url, profile: dir, process: child, output: () => output, stop };
  } catch (error) {
    await stop();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
