/** Compares what a file was meant to contain with what was found: one message per difference. */
import { expect, it } from 'vitest';
import { differences, type Expected, lastIdOf } from './compare.ts';
import type { Found } from './read-back.ts';
import type { Scanned } from './scan.ts';

const MEANT: Expected = {
  records: 3,
  header: ['entity_id', 'subject'],
  ids: { first: 'e-1', last: 'e-3' },
  noted: false,
};
const SCANNED: Scanned = {
  records: 3,
  header: ['entity_id', 'subject'],
  firstId: 'e-1',
  lastId: 'e-3',
  last: ['e-3', 'x'],
  beforeLastId: 'e-2',
};
const NOTED: Scanned = {
  ...SCANNED,
  records: 4,
  lastId: null,
  last: ['PARTIAL: 3 of 5 rows', ''],
  beforeLastId: 'e-3',
};
const contents = (scanned: Scanned | null): Found => ({
  bytes: 1,
  sha256: '',
  crc32: 0,
  scanned,
  sheets: null,
});

it('no difference where everything matches', () => {
  expect(differences(MEANT, contents(SCANNED))).toEqual([]);
  expect(differences({ ...MEANT, records: 4, noted: true }, contents(NOTED))).toEqual([]);
  // Nothing is known of ids in a file without the column.
  expect(differences({ ...MEANT, ids: undefined }, contents({ ...SCANNED, firstId: null }))).toEqual([]);
  expect(
    differences(
      { records: 0, header: null, ids: { first: null, last: null }, noted: false },
      contents({ records: 0, header: null, firstId: null, lastId: null, last: null, beforeLastId: null }),
    ),
  ).toEqual([]);
});

it.each<[string, Partial<Scanned>, RegExp]>([
  ['one record too few', { records: 2 }, /^has 2 records where 3 belong$/],
  ['one record too many', { records: 4 }, /^has 4 records where 3 belong$/],
  ['a different header', { header: ['subject', 'entity_id'] }, /^has a different header/],
  ['no header', { header: null }, /^has a different header \(none instead/],
  ['another first row', { firstId: 'e-2' }, /^begins with row e-2 instead of e-1$/],
  ['a first row without an id', { firstId: null }, /^begins with row none instead of e-1$/],
  ['another last row', { lastId: 'e-2' }, /^ends with row e-2 instead of e-3$/],
])('%s is reported, alone', (_, change, message) => {
  const reported = differences(MEANT, contents({ ...SCANNED, ...change }));
  expect(reported).toEqual([expect.stringMatching(message)]);
});

it('a file that should say that it is PARTIAL and does not is reported', () => {
  const meant = { ...MEANT, records: 4, noted: true };
  expect(differences(meant, contents({ ...NOTED, last: ['e-4', 'x'] }))).toEqual([
    'does not say that it is PARTIAL',
  ]);
  // The last row precedes the record that says PARTIAL.
  expect(differences(meant, contents({ ...NOTED, beforeLastId: 'e-2' }))).toEqual([
    'ends with row e-2 instead of e-3',
  ]);
  expect(lastIdOf(contents(NOTED), true)).toBe('e-3');
});

it('a file whose content was not examined proves nothing', () => {
  expect(differences(MEANT, contents(null))).toEqual(['was not examined']);
});
