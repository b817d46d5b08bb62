/** A host's process from start to end: one start, one stop, no process left. */

/** What keeps a host from starting, told in a sentence. `exitCode` 0: nothing is wrong, there is nothing to do. */
export class CannotStart extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.name = 'CannotStart';
    this.exitCode = exitCode;
  }
}

export interface Running {
  stop(): Promise<void>;
}

/** Longer than any orderly end: closing databases writes back what is pending. */
const STOP_TIMEOUT_MS = 15_000;
/** A terminal sends the signal to the whole group, and the starting script sends it on: one request, heard twice. */
const SAME_REQUEST_MS = 1000;

/**
 * Starts, and stops on SIGINT, SIGTERM, SIGHUP, when the starting script is gone, or when what was started calls
 * `requestStop`. A second signal after a second ends the process at once. Exits with 0 after an orderly stop.
 */
export async function runUntilStopped(
  start: (requestStop: () => void) => Promise<Running>,
  exit: (code: number) => void = (code) => process.exit(code),
): Promise<void> {
  const asked = Promise.withResolvers<void>();
  let askedAt: number | null = null;
  const ask = () => {
    if (askedAt !== null && performance.now() - askedAt > SAME_REQUEST_MS) exit(1);
    askedAt ??= performance.now();
    asked.resolve();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, ask);
  process.on('disconnect', ask);

  try {
    const running = await start(() => asked.resolve());
    await asked.promise;
    setTimeout(() => exit(1), STOP_TIMEOUT_MS).unref();
    await running.stop();
    exit(0);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const code = error instanceof CannotStart ? error.exitCode : 1;
    (code === 0 ? process.stdout : process.stderr).write(`${reason}\n`);
    exit(code);
  }
}
