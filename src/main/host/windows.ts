/** Programs of Windows. */
import path from 'node:path';

/**
 * A program of the system by its full path: Windows looks for a bare name in the current folder first. `parts`: below
 * System32.
 */
export const systemProgram = (env: NodeJS.ProcessEnv, ...parts: string[]): string =>
  path.win32.join(env['SystemRoot'] ?? 'C:\\Windows', 'System32', ...parts);
