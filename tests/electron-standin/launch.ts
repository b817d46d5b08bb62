/** Starts the built product under the stand-in and sends it the commands of a test. */
import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import type { Controls } from './electron.ts';
import type { Command } from './main.ts';

const root = path.resolve(import.meta.dirname, '../..');

export interface StandIn {
  process: ChildProcess;
  output(): string;
  /** Resolves to the exit code. */
  exited: Promise<number | null>;
  /** Runs a command in the stand-in; see `controls`. */
  does<K extends keyof Controls>(
    what: K,
    ...values: Parameters<Controls[K]>
  ): Promise<Awaited<ReturnType<Controls[K]>>>;
}

/** Like `electron ROOT ARGUMENTS…`. The process ends with the test, whose end closes the IPC channel. */
export function startStandIn(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  { cwd, product = root }: { cwd?: string | undefined; product?: string } = {},
): StandIn {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'main.ts'), product, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    cwd,
    // Tests must not reach the developer's keychain.
    env: { ...process.env, DBUS_SESSION_BUS_ADDRESS: 'disabled:', ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output += chunk;
    });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let last = 0;
  child.on('message', ({ id, result, error }: { id: number; result?: unknown; error?: string }) => {
    const waits = waiting.get(id);
    waiting.delete(id);
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
      const command: Command = { id: ++last, does: what, with: values };
      const waits = Promise.withResolvers<unknown>();
      waiting.set(command.id, waits);
      const ended = () => waits.reject(new Error(`The stand-in has ended:\n${output}`));
      if (child.connected) child.send(command, (error) => error && ended());
      else ended();
      return waits.promise as never;
    },
  };
}
