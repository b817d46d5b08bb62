/**
 * Whether a child process was killed, and did not end by an error, of which it would have complained. Windows has no
 * signals: a kill ends a process with 1.
 */
export const wasKilled = (code: number | null, signal: NodeJS.Signals | null, complaint: string): boolean =>
  signal === 'SIGKILL' || (process.platform === 'win32' && code === 1 && complaint === '');
