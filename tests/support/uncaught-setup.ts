/** Runs before every test file: see uncaught.ts. */
import { afterAll, afterEach, beforeEach } from 'vitest';
import { allowNothing, isAllowed, UncaughtFile } from './uncaught.ts';

const file = new UncaughtFile();
Object.assign(process.env, file.env());
await import('./uncaught-child.mjs');

/** Unexpected uncaught errors of this file, which fail it even if the test passes on a retry. */
const all: string[] = [];
function look(): void {
  const errors = file.take().filter((what) => !isAllowed(what));
  all.push(...errors);
  if (errors.length > 0) throw new Error(`Nobody caught:\n${errors.join('\n')}`);
}

beforeEach(allowNothing);
afterEach(look);
afterAll(() => {
  try {
    look();
  } finally {
    file.remove();
  }
  if (all.length > 0) throw new Error(`Nobody caught in the tests of this file:\n${all.join('\n')}`);
});
