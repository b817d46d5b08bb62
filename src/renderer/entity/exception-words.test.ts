import { expect, test } from 'vitest';
import { exceptionOf } from './exception-words.ts';

const rows = [
  { sec_type: 'checkpoint_te', status: 'none' },
  { sec_type: 'checkpoint_av', status: 'allowed', detail: 'Hash 9c4e allowed' },
  { sec_type: 'ap_guard', status: 'BLOCKED' },
  { sec_type: 'dlp_gtb', status: 'muted' },
];

test.each([
  ['checkpoint_te', { tone: 'none', words: 'No exception', detail: null }],
  ['checkpoint_av', { tone: 'allowed', words: 'Allowed by an exception', detail: 'Hash 9c4e allowed' }],
  ['ap_guard', { tone: 'blocked', words: 'Blocked by an exception', detail: null }],
  ['dlp_gtb', { tone: 'unknown', words: 'muted', detail: null }],
  ['ms_defender', null],
])('%s', (tool, expected) => expect(exceptionOf(rows, tool)).toEqual(expected));

test('an answer that is missing says nothing', () =>
  expect(exceptionOf(undefined, 'checkpoint_te')).toBe(null));
