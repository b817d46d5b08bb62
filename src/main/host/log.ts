/** The hosts' log: one line per event on standard error, which leaves standard output to the ready line. */
import type { Logger } from '../kernel/ports.ts';

/** Text that a terminal shows and does not obey: without control, format and bidirectional characters. */
export const printable = (text: string) =>
  text.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu, (char) => (char === '\n' ? char : ''));

const write = (level: string, message: string, data: Record<string, unknown> | undefined) => {
  const details = data === undefined ? '' : ` ${JSON.stringify(data)}`;
  process.stderr.write(`${printable(`${new Date().toISOString()} ${level} ${message}${details}`)}\n`);
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
