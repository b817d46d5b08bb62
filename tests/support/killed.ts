/**
 * Whether a child process was killed rather than ended by an error, which it would have written to standard error.
 * Windows has no signals: a killed process exits with 1.
 */
export const wasKilled = (code: number | null, signal: NodeJS.Signals | null, complaint: string): boolean =>
  signal === 'SIGKILL' || (process.platform === 'win32' && code === 1 && complaint === '');
