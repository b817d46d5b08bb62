import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { XlsxRows } from './xlsx-rows.ts';
import { spansOf } from './zone.ts';

const rendererOf = (storage: 'text' | 'date') => new XlsxRows([{ storage }], { zone: 'UTC', spans: null });
const texts = rendererOf('text');
const dates = rendererOf('date');

const FIRST = 998;
/** Renders rows of one cell each, at an offset of `lead` bytes. */
function render(rows: XlsxRows, cells: readonly string[], lead = 0): string[] {
  const bytes = Buffer.from(`${'\0'.repeat(lead)}${cells.map((cell) => `${cell}\0`).join('')}`);
  const { xml, next } = rows.fromCells(bytes, lead, cells.length, FIRST);
  expect(next).toBe(bytes.length);
  return Buffer.from(xml).toString('utf8').split('</row>').slice(0, -1);
}

/** The escaping rules as one replacement each (ECMA-376 part 1, 22.9.2.19, and XML 1.0). */
const escaped = (text: string): string =>
  text
    .replace(/_(?=x[0-9a-fA-F]{4}(?:_|[^\t\n\u{20}-\u{fffd}\u{10000}-\u{10ffff}]))/gu, '_x005F_')
    // Everything outside the characters of XML 1.0, and CR, which a parser would turn into LF.
    .replace(/[^\t\n\u{20}-\u{fffd}\u{10000}-\u{10ffff}]/gu, (char) => {
      const unit = char.charCodeAt(0).toString(16).toUpperCase();
      return `_x${unit.padStart(4, '0')}_`;
    })
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
const cellAt = (row: number, rest: string): string => `<row r="${row}"><c r="A${row}"${rest}`;
const rowOf = (text: string, index = 0): string => {
  if (text === '') return cellAt(FIRST + index, '/>');
  const spaced = /^[ \t\n\r]|[ \t\n\r]$/.test(text) ? ' xml:space="preserve"' : '';
  return cellAt(FIRST + index, ` t="inlineStr"><is><t${spaced}>${escaped(text)}</t></is></c>`);
};

/** What a reader makes of the XML of a cell: entities, then escapes from left to right, as xlrd and readxl do. */
const readAs = (xml: string): string =>
  (/<t[^<>]*>([^<]*)<\/t>/.exec(xml)?.[1] ?? '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replace(/_x([0-9a-fA-F]{4})_/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

describe('texts of a workbook', () => {
  it('are read as they were, whatever stands where an escape could be taken for a part of the text', () => {
    const part = fc.constantFrom(
      '_',
      'x',
      '_x0041',
      '_x0041_',
      '005F',
      '\r',
      '\u{1}',
      '\u{fffe}',
      '&',
      'a',
      '\ufffd',
    );
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 8 }), (parts) => {
        const text = parts.join('');
        expect(render(texts, [text]).map(readAs)).toEqual([text]);
      }),
    );
    for (const text of ['_x0041\r', '_x0041\u{1f}z', '_x005F\u{ffff}', '__x0041\u{fffe}', '_x0041_x0042\r'])
      expect(render(texts, [text]).map(readAs)).toEqual([text]);
  });

  it('are escaped wherever a special character stands among plain ones', () => {
    const odd = [
      ...'&<>_=?@;\'"%^`\u{7f}\t\n\r\u{1}\u{1f} é請😀\u{fffe}\u{ffff}',
      '_x0041_',
      '_x00',
      '_x004g_',
      '_x0041\r',
      '_x0041\u{fffe}',
      '_x0041\u{fffd}',
    ];
    for (const item of odd)
      for (let before = 0; before < 10; before++)
        for (let after = 0; after < 6; after++) {
          const text = 'a'.repeat(before) + item + 'b'.repeat(after);
          expect(render(texts, [text, text], before % 4)).toEqual([rowOf(text), rowOf(text, 1)]);
        }
  });

  it('equal those of the plain rules for random texts', () => {
    const unit = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 9 }).map((text) => text.toWellFormed().replaceAll('\0', '')),
      fc.constantFrom('<', '>', '&', '_x000D_', '_x000D', '_x', ' ', '\n', '\r', 'plain text'),
    );
    const text = fc.array(unit, { maxLength: 12 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 6 }), fc.nat(8), (cells, lead) => {
        expect(render(texts, cells, lead)).toEqual(cells.map((text, index) => rowOf(text, index)));
      }),
    );
  });

  it('fit beside one that grows sevenfold, even when the row buffer has to grow', () => {
    for (const length of [20_000, 21_840, 21_845, 21_846, 32_767]) {
      const cells = Array.from({ length: 12 }, (_, index) =>
        (index % 2 === 0 ? '\u{1}' : 'x').repeat(length),
      );
      expect(render(texts, cells)).toEqual(cells.map((text, index) => rowOf(text, index)));
    }
  });
});

describe('dates of a workbook', () => {
  const DAY = 86_400_000n;
  /** Days since 1899-12-30 to ten decimals, without trailing zeros. */
  const serial = (instant: number): string => {
    const scaled = (BigInt(instant) + 25_569n * DAY) * 10n ** 10n;
    const rounded = (scaled + DAY / 2n) / DAY;
    const rest = (rounded % 10n ** 10n).toString().padStart(10, '0').replace(/0+$/, '');
    return `${rounded / 10n ** 10n}${rest === '' ? '' : `.${rest}`}`;
  };
  const dated = (instant: number, index = 0) => cellAt(FIRST + index, ` s="2"><v>${serial(instant)}</v></c>`);

  it('are their serial numbers, to the millisecond', () => {
    const moment = fc.integer({ min: Date.UTC(1900, 2, 1), max: Date.UTC(9999, 11, 31, 23, 59, 59, 999) });
    fc.assert(
      fc.property(fc.array(moment, { minLength: 1, maxLength: 20 }), (moments) => {
        const cells = moments.map((instant) => new Date(instant).toISOString());
        expect(render(dates, cells)).toEqual(moments.map((instant, index) => dated(instant, index)));
      }),
    );
    for (const time of [0, 1, 999, 1_000, 43_200_000, 86_399_999]) {
      const day = Date.UTC(2026, 10, 23) + time;
      expect(render(dates, [new Date(day).toISOString()])).toEqual([dated(day)]);
    }
  });

  it('are real calendar dates: impossible days stay texts', () => {
    for (const year of ['1900', '2000', '2023', '2024', '2100'])
      for (let month = 1; month <= 12; month++)
        for (const day of ['00', '01', '28', '29', '30', '31', '32']) {
          const text = `${year}-${String(month).padStart(2, '0')}-${day}T10:20:30Z`;
          const instant = Date.parse(text);
          const isReal = new Date(instant || 0).toISOString().startsWith(text.slice(0, 10));
          const isKnown = isReal && instant >= Date.UTC(1900, 2, 1);
          expect(render(dates, [text])).toEqual([isKnown ? dated(instant) : rowOf(text)]);
        }
  });
});

describe('dates that a service writes in another form', () => {
  it.each(['UTC', 'Europe/Berlin'])('are dates as well, in the time of the zone: %s', (zone) => {
    const clock = spansOf(zone, Date.UTC(2026, 10, 27));
    const rows = new XlsxRows([{ storage: 'date' }], { zone, spans: clock?.spans ?? null });
    const xmlOf = (text: string) => Buffer.from(rows.fromValues([text], String)).toString();
    const same = xmlOf('2026-11-19T08:41:07.123Z');
    expect(same).toContain(' s="2"><v>46345.');
    for (const text of [
      '2026-11-19T08:41:07.123+00:00',
      '2026-11-19T14:11:07.123+0530',
      '2026-11-19T08:41:07.123456Z',
      '2026-11-19 08:41:07.123',
      '2026-11-19t08:41:07.123z',
    ])
      expect(xmlOf(text)).toBe(same);
    expect(xmlOf('2026-11-19')).toBe(xmlOf('2026-11-19T00:00:00Z'));
    for (const text of ['2026-02-30T00:00:00+01:00', '1899-12-31T00:00:00+01:00', 'soon'])
      expect(xmlOf(text)).toContain(`<t>${text}</t>`);
  });
});

describe('references of a workbook', () => {
  const columns = Array.from({ length: 703 }, () => ({ storage: 'any' as const }));
  const rows = new XlsxRows(columns, { zone: 'UTC', spans: null });
  const values = columns.map((_, index) => [null, true, 7.5, 'x0" r="A0"', '<c r="0'][index % 5] ?? null);

  it('are A1 to AAA1, and the same for rows rendered before their place was known', () => {
    const sample = Buffer.from(rows.fromValues(values, String, 1)).toString();
    const names = [...sample.matchAll(/<c r="([A-Z]+)1"/g)].map(([, name]) => name);
    expect([names.length, names[0], names[25], names[26], names[701], names[702]]).toEqual([
      703,
      'A',
      'Z',
      'AA',
      'ZZ',
      'AAA',
    ]);
    for (const first of [1, 9, 99_999, 1_048_575]) {
      const early = Buffer.concat([rows.fromValues(values, String), rows.fromValues(values, String)]);
      const later = [first, first + 1].map((row) => Buffer.from(rows.fromValues(values, String, row)));
      expect(Buffer.from(rows.numbered(early, first)).equals(Buffer.concat(later))).toBe(true);
    }
  });
});
