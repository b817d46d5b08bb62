import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openingFailureOf } from './failure.ts';

describe('a database that cannot be opened, because the disk is full', () => {
  const full = new Database.SqliteError('database or disk is full', 'SQLITE_FULL');

  it.each([
    [
      'demo',
      'The database of the demo tenant could not be opened or made, because the disk is full. What you saved in it stays. Free some space, then try again.',
    ],
    [
      'evidence',
      'The index of this evidence could not be opened or made, because the disk is full. What was read stays. Free some space, then try again.',
    ],
  ] as const)('%s: is named', (kind, words) => {
    const failure = openingFailureOf(full, kind, '/profile/x.sqlite', new AbortController().signal);
    expect([failure.code, failure.message]).toEqual(['disk-full', words]);
  });
});
