// Loaded by the tests and in every process that they start: records uncaught errors of the process and its threads for
// the test, even if the process survives them.
import { appendFileSync } from 'node:fs';
import { isMainThread, Worker } from 'node:worker_threads';

/** Marks a process that has loaded this already: test files share processes. */
const seen = Symbol.for('parapet.uncaught');

const note = (error, origin) => {
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
  appendFileSync(
    process.env.PARAPET_UNCAUGHT,
    `${JSON.stringify({ argv: process.argv.slice(1, 3), origin, what })}\n`,
  );
};

if (process.env.PARAPET_UNCAUGHT !== undefined && isMainThread && !(seen in process)) {
  process[seen] = true;
  process.on('uncaughtExceptionMonitor', note);
  process.on('unhandledRejection', (reason) => {
    note(reason, 'unhandledRejection');
    // Keeps the default behaviour despite this listener.
    if (process.listenerCount('unhandledRejection') === 1) throw reason;
  });
  // A thread reports its uncaught exceptions and rejections to its creator, who may survive them.
  const { emit } = Worker.prototype;
  Worker.prototype.emit = function (event, ...rest) {
    if (event === 'error') note(rest[0], 'error of a thread');
    return emit.call(this, event, ...rest);
  };
}
