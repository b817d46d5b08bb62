import { expect, test } from 'vitest';
import { safeFileName } from './file-names.ts';

test.each([
  ['results.csv', 'results.csv'],
  ['../../etc/passwd', '_.._etc_passwd'],
  ['C:\\Windows\\x.csv', 'C__Windows_x.csv'],
  ['a\u202Egnp.csv', 'agnp.csv'],
  ['line\r\nbreak.csv', 'linebreak.csv'],
  ['.bashrc', 'bashrc'],
  ['CON', '_CON'],
  ['nul.txt', '_nul.txt'],
  ['', 'parapet'],
  [' . ', 'parapet'],
  ['報告 2026.csv', '報告 2026.csv'],
])('%j becomes %j', (wanted, safe) => expect(safeFileName(wanted)).toBe(safe));

test('is at most 120 bytes, cuts no character in half and keeps the extension', () => {
  const name = safeFileName(`${'報'.repeat(200)}.ndjson`);
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(120);
  expect(name).toMatch(/^報+\.ndjson$/);
});
