/**
 * What nobody caught, in the threads of a test and in the processes that it starts, fails the test; in the test's own
 * process Vitest sees to that itself.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PRELOAD = new URL('./uncaught-child.mjs', import.meta.url).href;

/** Where a process and those that it starts write down what they did not catch. */
export class UncaughtFile {
  readonly #folder = mkdtempSync(join(tmpdir(), 'parapet-uncaught-'));
  readonly #file = join(this.#folder, 'uncaught');

  /** What such a process needs in its environment. */
  env(before = process.env['NODE_OPTIONS'] ?? ''): Record<string, string> {
    const options = before.includes(PRELOAD) ? before : `${before} --import=${PRELOAD}`.trim();
    return { NODE_OPTIONS: options, PARAPET_UNCAUGHT: this.#file };
  }

  /** What was written down since the last time. */
  take(): string[] {
    if (!existsSync(this.#file)) return [];
    const lines = readFileSync(this.#file, 'utf8').split('\n').slice(0, -1);
    rmSync(this.#file);
    return lines.map((line) => {
      const { argv, origin, what } = JSON.parse(line) as { argv: string[]; origin: string; what: string };
      return `${origin} in ${argv.join(' ')}: ${what}`;
    });
  }

  /** Throws when there is anything. */
  check(): void {
    const found = this.take();
    if (found.length > 0) throw new Error(`Nobody caught:\n${found.join('\n')}`);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const patterns: RegExp[] = [];

/** In this test something fails that nobody catches, on purpose. */
export const allowUncaught = (pattern: RegExp): void => void patterns.push(pattern);
export const isAllowed = (what: string): boolean => patterns.some((pattern) => pattern.test(what));
export const allowNothing = (): void => void patterns.splice(0);
