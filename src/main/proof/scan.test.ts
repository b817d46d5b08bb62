import { parse as parseCsv } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createScanner, MalformedFile, type Scanned } from './scan.ts';

const id = { index: 1, key: 'entity_id' };

/** Feeds the bytes in pieces of these sizes, alternating between a reused buffer and the scanner's own. */
function scan(format: 'csv' | 'ndjson' | 'json' | 'sheet', text: string, sizes: readonly number[]): Scanned {
  const scanner = createScanner(format, id);
  const bytes = Buffer.from(text);
  const piece = Buffer.alloc(Math.max(1, ...sizes, bytes.length));
  for (let index = 0, turn = 0; index < bytes.length; turn++) {
    const size = Math.min(sizes[turn % sizes.length] ?? bytes.length, bytes.length - index);
    const target = turn % 2 === 0 ? piece : scanner.room(piece.length);
    bytes.copy(target, 0, index, index + size);
    scanner.push(target.subarray(0, size));
    piece.fill(0);
    index += size;
  }
  return scanner.end();
}

const cell = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }).map((text) => text.toWellFormed()),
  fc.constantFrom(
    '"',
    '""',
    ',',
    '\r\n',
    '\n',
    '\r',
    '\\',
    '\\"',
    '{',
    '}',
    '[',
    ']',
    '],[',
    '</row>',
    'é😀',
    '',
  ),
);
const rows = fc.array(fc.tuple(cell, cell, cell), { maxLength: 12 });
const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 });
const field = (text: string) => `"${text.replaceAll('"', '""')}"`;
const HEADER = ['a', 'entity_id', 'c'];

const wantedOf = (list: readonly (readonly [string, string, string])[]) => ({
  records: list.length,
  firstId: list[0]?.[1] || null,
  lastId: list.at(-1)?.[1] || null,
  beforeLastId: list.at(-2)?.[1] || null,
});

describe('records as a recipient counts them', () => {
  it('match csv-parse, wherever the pieces are cut', () => {
    fc.assert(
      fc.property(rows, sizes, fc.boolean(), (list, cuts, marked) => {
        const text = [HEADER, ...list].map((row) => `${row.map(field).join(',')}\r\n`).join('');
        const parsed = parseCsv(text, { record_delimiter: '\r\n' }) as string[][];
        expect(parsed.length - 1).toBe(list.length);
        const scanned = scan('csv', marked ? `\u{feff}${text}` : text, cuts);
        expect(scanned).toMatchObject({ ...wantedOf(list), header: parsed[0] });
        expect(scanned.last).toEqual(list.length === 0 ? null : parsed.at(-1));
      }),
      { numRuns: 120 },
    );
  });

  it('match JSON.parse, for an array of objects and for one object per line', () => {
    fc.assert(
      fc.property(rows, sizes, fc.constantFrom('', ' ', '\n\t'), (list, cuts, space) => {
        const objects = list.map(([a, b, c]) => JSON.stringify({ a, entity_id: b, c: [{ nested: c }] }));
        const header = list.length === 0 ? null : HEADER;
        expect(scan('ndjson', objects.map((line) => `${line}\n`).join(''), cuts)).toMatchObject({
          ...wantedOf(list),
          header,
        });
        const array = `${space}[${space}${objects.join(`${space},${space}`)}${space}]${space}\n`;
        expect(JSON.parse(array)).toHaveLength(list.length);
        expect(scan('json', array, cuts)).toMatchObject({ ...wantedOf(list), header });
      }),
      { numRuns: 120 },
    );
  });

  it('are the rows of a worksheet, wherever the pieces are cut', () => {
    const escaped = (text: string) =>
      [...text]
        .filter((char) => char >= ' ' && char < '\ufffe')
        .join('')
        .replaceAll('&', '&amp;')
        .replaceAll('<', '&lt;')
        .replaceAll('>', '&gt;')
        .replaceAll('_x', '_x005F_x');
    fc.assert(
      fc.property(rows, sizes, (list, cuts) => {
        const cell = (text: string, index: number) =>
          text === ''
            ? ['<c/>', '<c r="B2"/>'][index % 2]
            : `<c r="B2" t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`;
        const row = (cells: readonly string[]) => `<row r="2">${cells.map(cell).join('')}</row>`;
        const xml = `<worksheet><cols><col min="1"/></cols><sheetData>${[HEADER, ...list].map(row).join('')}</sheetData></worksheet>`;
        const scanned = scan('sheet', xml, cuts);
        expect(scanned.records).toBe(list.length);
        expect(scanned.header).toEqual(HEADER);
        expect(scanned.last?.map((text) => text === '')).toEqual(
          list.at(-1)?.map((text) => escaped(text) === ''),
        );
      }),
      { numRuns: 80 },
    );
  });

  // A step is 64 bytes, a call 16 KiB, and the initial memory holds less than 64 KiB.
  const STEPS = [64, 16 * 1024, 64 * 1024, 1024 * 1024];
  it.each(STEPS.flatMap((size) => [size - 1, size, size + 1]))(
    'are the same if a field has %i bytes, and if that many bytes are all record ends',
    (size) => {
      const filler = ',\r\n""w</ro'.repeat(Math.ceil(size / 10)).slice(0, size);
      const plain = filler.replaceAll('"', '.');
      const list = ['a', 'b', 'c'].map((name) => [name, `id-${name}`, plain] as const);
      const csv = [HEADER, ...list].map((row) => `${row.map(field).join(',')}\r\n`).join('');
      const parsed = parseCsv(csv, { record_delimiter: '\r\n' }) as string[][];
      const xml = `<worksheet><sheetData>${[HEADER, ...list].map((row) => `<row>${row.map((text) => `<c t="inlineStr"><is><t>${text.replaceAll('<', '&lt;')}</t></is></c>`).join('')}</row>`).join('')}</sheetData></worksheet>`;
      const sheet = [HEADER, ...list].map((row) => row.map((text) => text));
      for (const cuts of [[], [size], [7, size - 1, 64]]) {
        expect(scan('csv', csv, cuts)).toMatchObject({ ...wantedOf(list), last: parsed.at(-1) });
        expect(scan('sheet', xml, cuts)).toMatchObject({ ...wantedOf(list), last: sheet.at(-1) });
      }
      expect(scan('csv', `"a"\n${'\n'.repeat(size)}`, []).records).toBe(size);
    },
  );

  it.each([
    ['csv', '"a","b"\r\n"1","2'],
    ['csv', '"a","b"\r\n"1","2"'],
    ['csv', '"a","b"\r\n"1"\r\n'],
    ['csv', ''],
    ['ndjson', '{"a":1}\n{"a":2}'],
    ['ndjson', '{"a":1}\n\n'],
    ['ndjson', '{"a":1}\n{"a":\n'],
    ['ndjson', '{"a":1}\n{a}\n'],
    ['json', '[{"a":1}'],
    ['json', '[{"a":1},]'],
    ['json', '[{"a":1}{"a":2}]'],
    ['json', ',{"a":1}]'],
    ['json', '[{"a":1}]]'],
    ['json', '[1]'],
    ['json', ''],
    ['sheet', '<worksheet><sheetData><row><c/></row>'],
  ] as const)('report a torn %s file: %s', (format, text) => {
    expect(() => scan(format, text, [3])).toThrow(MalformedFile);
  });
});
