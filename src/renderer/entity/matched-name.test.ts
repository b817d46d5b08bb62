import { expect, test } from 'vitest';
import { entryName, matchedName } from './matched-name.ts';

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
