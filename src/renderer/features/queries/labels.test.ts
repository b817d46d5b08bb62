import { describe, expect, it } from 'vitest';
import { queryFieldLabel } from '#shared/query/import-plan.ts';
import {
  afterWords,
  fetchNotes,
  isMissingRows,
  kindLabel,
  libraryWords,
  progressText,
  totalText,
} from './labels.ts';

describe('the progress of a fetch', () => {
  it.each([
    [{ loaded: 1, total: 1, atLeast: false }, '1 of 1 row', '1', false],
    [{ loaded: 525, total: 24_000, atLeast: false }, '525 of 24,000 rows', '24,000', true],
    // A lower bound is never shown as an exact total, nor the loaded rows as all of them.
    [{ loaded: 525, total: 525, atLeast: true }, '525 of at least 525 rows', 'at least 525', true],
  ])('%j', (counts, progress, total, missing) => {
    expect(progressText(counts)).toBe(progress);
    expect(totalText(counts)).toBe(total);
    expect(isMissingRows(counts)).toBe(missing);
  });
});

describe('the notes on a fetch', () => {
  const nothing = { resumed: 0, appeared: 0, vanished: 0, duplicates: 0, scans: 0, reason: null };
  it('are empty if nothing happened', () => expect(fetchNotes(nothing)).toEqual([]));
  it('are one per kind, with its count', () => {
    const notes = fetchNotes({ ...nothing, resumed: 2, appeared: 1, vanished: 1200, duplicates: 3 });
    expect(notes).toHaveLength(4);
    expect(notes.join(' ')).toMatch(/2 times.*3 rows.*1 row added.*1,200 rows removed/);
  });
  it('do not mention repeated scans if there is a reason', () => {
    expect(fetchNotes({ ...nothing, scans: 1 })).toHaveLength(1);
    expect(fetchNotes({ ...nothing, scans: 1, reason: 'Read twice.' })).toEqual([]);
  });
});

it('fields and kinds have labels; unknown ones are shown as sent', () => {
  expect(['scheduledExport.time', 'filter.conditions[0].values', 'novel'].map(queryFieldLabel)).toEqual([
    'Schedule',
    'Conditions',
    'novel',
  ]);
  expect([kindLabel('report'), kindLabel('novel')]).toEqual(['Report', 'novel']);
});

it.each([
  ['renewing', 0, 'Quarantined 6 emails. Updating 6 rows…'],
  ['outdated', 0, 'Quarantined 6 emails. 6 rows here are from before; run again to update.'],
  ['renewed', 0, 'Quarantined 6 emails. 6 rows brought up to date.'],
  ['renewed', 2, 'Quarantined 6 emails. 4 rows brought up to date, 2 no longer match.'],
  ['renewed', 6, 'Quarantined 6 emails. 6 no longer match.'],
] as const)('rows after an action: %s, %i gone', (state, count, words) => {
  expect(afterWords({ change: { words: 'Quarantined 6 emails' }, rows: 6, state, left: count })).toBe(words);
});

it('the library shows how many of all queries are listed', () => {
  expect(libraryWords(148, 148, 0)).toBe('148 queries');
  expect(libraryWords(1_480, 1, 3)).toBe('1 of 1,480 queries · 3 selected');
  expect(libraryWords(1, 1, 1)).toBe('1 query · 1 selected');
});
