import { Uint8ArrayReader, Uint8ArrayWriter, ZipReader } from '@zip.js/zip.js';
import { expect, it, test } from 'vitest';
import { fileOf } from './files.ts';

const bytesOf = async (texts: readonly string[], format: 'xlsx' | 'json'): Promise<Uint8Array> => {
  const table = { columns: [{ id: 'a', label: 'A' }], rows: texts.map((a) => ({ a })) };
  const { bytes } = await fileOf('results', table, format, undefined);
  return typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
};

/** A part of a workbook with these texts. */
async function partOf(texts: readonly string[], name: string): Promise<string> {
  const zip = new ZipReader(new Uint8ArrayReader(await bytesOf(texts, 'xlsx')));
  const part = (await zip.getEntries()).find(({ filename }) => filename === name);
  if (part === undefined || part.directory) throw new Error('no such part');
  return Buffer.from(await part.getData(new Uint8ArrayWriter(), { useWebWorkers: false })).toString();
}

/** The texts of a workbook as a spreadsheet reads them: escapes from left to right. */
async function cellsOf(texts: readonly string[]): Promise<string[]> {
  const xml = await partOf(texts, 'xl/sharedStrings.xml');
  return [...xml.matchAll(/<t[^<>]*>([^<]*)<\/t>/g)].slice(1).map(([, text = '']) =>
    text
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&')
      .replace(/_x([0-9a-fA-F]{4})_/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
  );
}

it('has texts that look like escapes as they are', async () => {
  const texts = ['_x0041_', '_x0041\r', 'a\rb', '_x005F_x000D_', '_x004_', '&_x0026_&'];
  expect(await cellsOf(texts)).toEqual(texts);
});

it('has texts that look like errors as texts', async () => {
  const texts = [
    '#NULL!',
    '#DIV/0!',
    '#VALUE!',
    '#REF!',
    '#NAME?',
    '#NUM!',
    '#N/A',
    '#SPILL!',
    '#CALC!',
    '#<&>',
  ];
  const xml = await partOf(texts, 'xl/worksheets/sheet1.xml');
  expect([...xml.matchAll(/ t="(\w+)"/g)].slice(1).map(([, type]) => type)).toEqual(
    texts.map(() => 'inlineStr'),
  );
  expect([...xml.matchAll(/<t[^<>]*>([^<]*)<\/t>/g)].map(([, text]) => text)).toEqual([
    ...texts.slice(0, -1),
    '#&lt;&amp;&gt;',
  ]);
});

it('[limit 32 767 characters] cuts texts that a spreadsheet would refuse, never inside a surrogate pair, and shows it', async () => {
  const most = 32_767;
  const cut = (text: string) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
  for (const size of [most - 1, most, most + 1]) {
    const [plain, formula, emoji] = await cellsOf([
      'x'.repeat(size),
      `=${'x'.repeat(size - 1)}`,
      `${'y'.repeat(size - 3)}\u{1f4c4}z`,
    ]);
    expect(plain).toBe(cut('x'.repeat(size)));
    expect(formula).toBe(cut(`'=${'x'.repeat(size - 1)}`));
    expect(emoji).toBe(size > most ? `${'y'.repeat(size - 3)}…` : `${'y'.repeat(size - 3)}\u{1f4c4}z`);
  }
});

test('JSON has U+FFFD for half of a surrogate pair, whose escape many readers refuse', async () => {
  expect(Buffer.from(await bytesOf(['cut \ud83d'], 'json')).toString()).toContain('"cut \ufffd"');
});
