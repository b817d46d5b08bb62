// Loaded by the tests and before every process that they start: what nobody caught there or in a thread is written
// down for the test, whatever the process makes of it.
import { appendFileSync } from 'node:fs';
import { isMainThread, Worker } from 'node:worker_threads';

/** Marks a process that has this already: files of tests share theirs. */
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
    // As it would be without this listener.
    if (process.listenerCount('unhandledRejection') === 1) throw reason;
  });
  // A thread tells its uncaught exceptions and rejections to whoever started it, who may well survive them.
  const { emit } = Worker.prototype;
  Worker.prototype.emit = function (event, ...rest) {
    if (event === 'error') note(rest[0], 'error of a thread');
    return emit.call(this, event, ...rest);
  };
}
