/**
 * Uncaught errors in a test's threads and child processes fail the test; Vitest itself handles those of the test's own
 * process.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PRELOAD = new URL('./uncaught-child.mjs', import.meta.url).href;

/** The file in which a process and its children record uncaught errors. */
export class UncaughtFile {
  readonly #folder = mkdtempSync(join(tmpdir(), 'parapet-uncaught-'));
  readonly #file = join(this.#folder, 'uncaught');

  /** The environment that makes a child process record its uncaught errors. */
  env(before = process.env['NODE_OPTIONS'] ?? ''): Record<string, string> {
    const options = before.includes(PRELOAD) ? before : `${before} --import=${PRELOAD}`.trim();
    return { NODE_OPTIONS: options, PARAPET_UNCAUGHT: this.#file };
  }

  /** Errors recorded since the last call. */
  take(): string[] {
    if (!existsSync(this.#file)) return [];
    const lines = readFileSync(this.#file, 'utf8').split('\n').slice(0, -1);
    rmSync(this.#file);
    return lines.map((line) => {
      const { argv, origin, what } = JSON.parse(line) as { argv: string[]; origin: string; what: string };
      return `${origin} in ${argv.join(' ')}: ${what}`;
    });
  }

  /** Throws if any were recorded. */
  check(): void {
    const errors = this.take();
    if (errors.length > 0) throw new Error(`Nobody caught:\n${errors.join('\n')}`);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const patterns: RegExp[] = [];

/** Allows uncaught errors that this test causes on purpose. */
export const allowUncaught = (pattern: RegExp): void => void patterns.push(pattern);
export const isAllowed = (what: string): boolean => patterns.some((pattern) => pattern.test(what));
export const allowNothing = (): void => void patterns.splice(0);
