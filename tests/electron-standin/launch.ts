/** Starts the built product under the stand-in, for tests: the analyst's hands, and what the analyst sees. */
import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import type { Controls } from './electron.ts';
import type { Wish } from './main.ts';

const root = path.resolve(import.meta.dirname, '../..');

export interface StandIn {
  process: ChildProcess;
  output(): string;
  /** The exit code. */
  exited: Promise<number | null>;
  /** Asks the stand-in; see `controls`. */
  does<K extends keyof Controls>(
    what: K,
    ...values: Parameters<Controls[K]>
  ): Promise<Awaited<ReturnType<Controls[K]>>>;
}

/** As `electron ROOT ARGUMENTS…`. The channel to it closes with the test, and it ends as well. */
export function startStandIn(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  { cwd, product = root }: { cwd?: string | undefined; product?: string } = {},
): StandIn {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'main.ts'), product, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    cwd,
    // No test may reach the keychain of whoever runs it.
    env: { ...process.env, DBUS_SESSION_BUS_ADDRESS: 'disabled:', ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output += chunk;
    });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let last = 0;
  child.on('message', ({ wish, result, error }: { wish: number; result?: unknown; error?: string }) => {
    const waits = waiting.get(wish);
    waiting.delete(wish);
    if (error === undefined) waits?.resolve(result);
    else waits?.reject(new Error(error));
  });
  const exited = new Promise<number | null>((resolve) =>
    child.once('close', (code) => {
      for (const { reject } of waiting.values())
        reject(new Error(`The stand-in ended with ${code}:\n${output}`));
      waiting.clear();
      resolve(code);
    }),
  );
  return {
    process: child,
    output: () => output,
    exited,
    does(what, ...values) {
      const wish: Wish = { wish: ++last, does: what, with: values };
      const waits = Promise.withResolvers<unknown>();
      waiting.set(wish.wish, waits);
      const ended = () => waits.reject(new Error(`The stand-in has ended:\n${output}`));
      if (child.connected) child.send(wish, (error) => error && ended());
      else ended();
      return waits.promise as never;
    },
  };
}
