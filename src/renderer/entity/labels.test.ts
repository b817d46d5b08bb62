import { expect, test } from 'vitest';
import { entryName, exceptionOf, matchedName, withToolNames } from './labels.ts';

test.each([
  ['invoice.exe', false, 'invoice.exe.suspect'],
  ['invoice.exe', true, 'invoice.exe.zip'],
  ['  ', true, 'matched-file.zip'],
])('%j, sealed %s, is offered as %j', (name, sealed, offered) =>
  expect(matchedName(name, sealed)).toBe(offered),
);

test('a name of any length fits the dialog and keeps its extension', () => {
  const long = `${'\u{1F4C4}'.repeat(300)}.docm`;
  const offered = matchedName(long, false);
  expect(offered.length).toBeLessThanOrEqual(200);
  expect(offered).toMatch(/\.docm\.suspect$/);
  expect(offered.isWellFormed()).toBe(true);
  expect(entryName('x'.repeat(5_000))).toHaveLength(1_000);
});

const branding = { product: 'guard', name: 'Guard' };

test.each([
  ['checkpoint_te', 'Sandbox'],
  ['ap_guard', 'Anti-phishing'],
  ['checkpoint_te, dlp_checkpoint,lastline_av_file', 'Sandbox, Data loss prevention, Second antivirus'],
  ['a.keller@aldermoor.example', 'a.keller@aldermoor.example'],
  ['Moved to /checkpoint_te', 'Moved to /checkpoint_te'],
  ['checkpoint_te, and others', 'checkpoint_te, and others'],
  ['', ''],
])('%j reads %j', (text, words) => expect(withToolNames(text, branding)).toBe(words));

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

test('[spec 7] without an answer there is no exception state', () =>
  expect(exceptionOf(undefined, 'checkpoint_te')).toBe(null));
