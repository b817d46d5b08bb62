import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { failureOf, openingFailureOf } from './failure.ts';

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
  ] as const)('%s: is reported', (kind, words) => {
    const failure = openingFailureOf(full, kind, '/profile/x.sqlite', new AbortController().signal);
    expect([failure.code, failure.message]).toEqual(['disk-full', words]);
  });

  it('is also reported for an exceeded quota, for which Node has no code', () => {
    const { signal } = new AbortController();
    const quota = Object.assign(new Error('write'), { code: 'Unknown system error -122', errno: -122 });
    expect(openingFailureOf(quota, 'evidence', '/profile/x.sqlite', signal).code).toBe('disk-full');
    expect(failureOf(quota, '/mail', signal).code).toBe('disk-full');
  });
});

it('an index that is locked is not reported as evidence that cannot be read, nor as a fault of Parapet', () => {
  const locked = new Database.SqliteError('database is locked', 'SQLITE_BUSY');
  const failure = failureOf(locked, '/mail', new AbortController().signal, '/profile/x.sqlite');
  expect([failure.code, failure.message]).toEqual([
    'bad-file',
    expect.stringMatching(
      /^The index of this evidence could not be read or written: another program has locked it/,
    ),
  ]);
});

it.each([
  ['EMFILE', -24, 'Parapet has too many files open'],
  ['EIO', -5, 'the disk reports an error'],
  ['SQLITE_IOERR_READ', 0, 'the disk reports an error'],
  ['SQLITE_BUSY', 0, 'another program has locked it, or its disk keeps no locks'],
])(
  'a database that cannot be opened temporarily (%s) is not reported as a missing permission',
  (code, errno, words) => {
    const error = Object.assign(new Error(code), { code, errno });
    const failure = openingFailureOf(error, 'demo', '/profile/x.sqlite', new AbortController().signal);
    expect(failure.message).toBe(
      `The database of the demo tenant could not be opened: ${words}. It was left as it is. Try again.`,
    );
  },
);
