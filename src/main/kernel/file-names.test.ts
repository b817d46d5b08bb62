import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expectLinear } from '#tests/support/growth.ts';
import { safeFileName } from './file-names.ts';

test.each(['.', '<', '\u{1f600}'])('a name of many %j is shortened in linear time', (piece) =>
  expectLinear(30_000, (count) => safeFileName(`a${piece.repeat(count)}b.eml`)),
);

test.each([
  ['results.csv', 'results.csv'],
  ['../../etc/passwd', '_.._etc_passwd'],
  ['C:\\Windows\\x.csv', 'C__Windows_x.csv'],
  ['a\u202Egnp.csv', 'agnp.csv'],
  ['line\r\nbreak.csv', 'linebreak.csv'],
  ['.bashrc', 'bashrc'],
  ['CON', '_CON'],
  ['nul.txt', '_nul.txt'],
  ...[
    'con .txt',
    'CON  .tar.gz',
    'COM¹',
    'com².txt',
    'LPT³ .x',
    'CONIN$',
    'conout$.txt',
    'CLOCK$',
    'ＣＯＮ',
    'aux.',
    'COM0',
    'prn. .txt',
  ].map((name) => [name, `_${name.replace(/ {2,}/g, ' ').replace(/[. ]+$/, '')}`]),
  ...['console.txt', 'com10.txt', 'CONIN.txt', 'auxiliary', 'lpt.txt', '_con'].map((name) => [name, name]),
  ['report. . .', 'report'],
  [`${'x'.repeat(119)} tail`, 'x'.repeat(119)],
  [`${'x'.repeat(118)}..tail-that-is-long`, 'x'.repeat(118)],
  ['', 'parapet'],
  [' . ', 'parapet'],
  ['報告 2026.csv', '報告 2026.csv'],
])('%j becomes %j', (expected, safe) => {
  expect(safeFileName(expected ?? '')).toBe(safe);
  expect(safeFileName(safe ?? '')).toBe(safe);
});

test('is a single path component, for every text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (expected) => {
      const name = safeFileName(expected);
      expect(path.win32.basename(name)).toBe(name);
      expect(path.posix.basename(name)).toBe(name);
      expect(name).not.toMatch(/^\.|[. ]$|[<>:"|?*\p{Cc}\p{Cf}]/u);
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(120);
      expect(safeFileName(name)).toBe(name);
    }),
  );
});

test('[limit 120 bytes] has at most 120 bytes, cuts no character in half and keeps the extension', () => {
  const name = safeFileName(`${'報'.repeat(200)}.ndjson`);
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(120);
  expect(name).toMatch(/^報+\.ndjson$/);
});
