/** The product as its users start it, for tests: the browser host in a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { UncaughtFile } from '../support/uncaught.ts';

const root = path.resolve(import.meta.dirname, '../..');
const START_TIMEOUT_MS = 60_000;
/** Names a demo tenant's database, as the product makes it at its first start. */
export const DEMO_DATABASE = 'PARAPET_TEST_DEMO';

export interface Host {
  /** With the token in its fragment. */
  url: string;
  profile: string;
  process: ChildProcess;
  output(): string;
  /** SIGTERM and wait; answers the exit code. Rejects when anything was not caught in its processes and threads. */
  stop(): Promise<number | null>;
}

export interface HostOptions {
  connect?: string;
  /** A folder that outlives the host, for restarts; made and removed otherwise. */
  profile?: string;
  args?: readonly string[];
  /** The folder of the built product. */
  product?: string;
}

/** Starts the built host with a profile of its own and no way to the analyst's keychain. */
export async function startHost({
  connect = 'demo',
  profile,
  args = [],
  product = root,
}: HostOptions = {}): Promise<Host> {
  const dir = profile ?? mkdtempSync(path.join(os.tmpdir(), 'parapet-e2e-'));
  const demo = process.env[DEMO_DATABASE];
  if (connect === 'demo' && demo !== undefined) {
    const own = path.join(dir, path.basename(demo));
    if (!existsSync(own)) copyFileSync(demo, own, constants.COPYFILE_FICLONE);
  }
  const uncaught = new UncaughtFile();
  const child = spawn(
    process.execPath,
    [path.join(product, 'out/main/node.js'), '--no-open', '--profile', dir, '--connect', connect, ...args],
    // Over the channel the host hears when the tests die, and ends as well.
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
