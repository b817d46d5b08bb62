/** The hosts' log: one line per event on standard error, which leaves standard output to the ready line. */
import type { Logger } from '../core/ports.ts';

const write = (level: string, message: string, data: Record<string, unknown> | undefined) => {
  const details = data === undefined ? '' : ` ${JSON.stringify(data)}`;
  process.stderr.write(`${new Date().toISOString()} ${level} ${message}${details}\n`);
};

/** `verbose` false: warnings only. Callers keep secrets out of messages and data. */
export const createLog = (verbose: boolean): Logger => ({
  info(message, data) {
    if (verbose) write('info', message, data);
  },
  warn(message, data) {
    write('warn', message, data);
  },
});
