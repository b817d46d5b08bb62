/**
 * The hosts' log: one line per event on standard error, and, reduced to what may be stored unencrypted, in the profile;
 * standard output carries only the ready line.
 */
import { createLogFile, type LogFile, logLine } from '../kernel/log-file.ts';
import type { Logger } from '../kernel/ports.ts';

/** Text without control, format and bidirectional characters, so that a terminal cannot be driven by it. */
export const printable = (text: string) =>
  text.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu, (char) => (char === '\n' ? char : ''));

/** The log of the profile that this process holds, or null if it does not hold one yet. */
let file: LogFile | null = null;

/** From here on events are also kept in the profile, which this process holds. */
export function keepLogIn(profile: string): void {
  file = createLogFile(profile);
}

const write = (print: boolean, level: string, message: string, data: Record<string, unknown> | undefined) => {
  const time = new Date().toISOString();
  file?.write(logLine(time, level, message, data));
  if (!print) return;
  const details = data === undefined ? '' : ` ${JSON.stringify(data)}`;
  process.stderr.write(`${printable(`${time} ${level} ${message}${details}`)}\n`);
};

/** Without `verbose` it prints only warnings. Messages are fixed sentences of the source; whatever varies is data. */
export const createLog = (verbose: boolean): Logger => ({
  info(message, data) {
    write(verbose, 'info', message, data);
  },
  warn(message, data) {
    write(true, 'warn', message, data);
  },
});
