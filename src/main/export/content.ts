/** The content of an exported file, written row by row: lines of text, or the sheets of a workbook. */
import type { ZipWriter } from '@zip.js/zip.js';
import { textOf } from '#shared/model/cell-text.ts';
import type { Cell } from '#shared/model/entities.ts';
import { openSpill, type Spill } from '../files/spill-file.ts';
import { PARTIAL } from '../files/temp-file.ts';
import { release } from '../kernel/release.ts';
import { csvLine, inZone, jsonObject } from './cells.ts';
import { createDeflater, type Deflated, type Deflater } from './deflate.ts';
import type { ByteOut } from './file-out.ts';
import type { WriterData } from './protocol.ts';
import { sheetHead, sheetTail, workbookParts } from './xlsx-parts.ts';
import { ROW_END, XlsxRows } from './xlsx-rows.ts';

/** Takes rows as records: a line, or the cells of a row, which are `ready` if they are XML already. */
export interface Content {
  begin(): Promise<void>;
  /** Consecutive records as SQLite rendered them. */
  records(bytes: Uint8Array, from: number, length: number, rows: number, rendered: boolean): Promise<void>;
  /** Renders one row as a record for `records`. */
  render(values: readonly Cell[]): Uint8Array;
  end(): Promise<{ cut: number; sheets: number }>;
}

const utf8 = new TextEncoder();
const BOM = '\u{feff}';

const zoneOf = (spec: WriterData): string | null => (spec.spans === null ? null : spec.zone);

function linesContent(spec: WriterData, out: ByteOut): Content {
  const ids = spec.columns.map(({ id }) => id);
  const zone = zoneOf(spec);
  const dates = spec.columns.map(({ storage }) => storage === 'date');
  let first = true;
  /** The last record of an incomplete file: a reader must recognise it without the file's name or manifest. */
  const partialRecord = (why: string): Uint8Array => {
    if (spec.format === 'csv')
      return utf8.encode(
        csvLine(
          spec.columns.map((_, index) => (index === 0 ? `${PARTIAL}: ${why}` : null)),
          spec.raw,
        ),
      );
    const object = jsonObject([PARTIAL], [why]);
    return utf8.encode(spec.format === 'ndjson' ? `${object}\n` : `${first ? '' : ','}\n${object}`);
  };
  return {
    async begin() {
      if (spec.format === 'json') await out.write(utf8.encode('['));
      if (spec.format !== 'csv') return;
      const head = csvLine(
        spec.columns.map(({ label }) => label),
        spec.raw,
      );
      await out.write(utf8.encode((spec.bom ? BOM : '') + head));
    },
    async records(bytes, from, length) {
      // In a JSON array every record starts with a comma except the first.
      const skip = first && spec.format === 'json' ? 1 : 0;
      first = false;
      await out.write(bytes.subarray(from + skip, from + length));
    },
    render(values) {
      const shown =
        zone === null ? values : values.map((value, index) => (dates[index] ? inZone(value, zone) : value));
      if (spec.format === 'csv') return utf8.encode(csvLine(shown, spec.raw));
      const object = jsonObject(ids, shown);
      return utf8.encode(spec.format === 'json' ? `,\n${object}` : `${object}\n`);
    },
    async end() {
      if (spec.partial !== null) await out.write(partialRecord(spec.partial));
      if (spec.format === 'json') await out.write(utf8.encode('\n]\n'));
      return { cut: 0, sheets: 0 };
    },
  };
}

/** Loaded on demand: loading takes longer than writing a small file. */
export const zipLibrary = () => import('@zip.js/zip.js');

/** A stream for zip.js to write to; neither side touches a chunk after it was written. */
export const zipInto = (out: ByteOut): WritableStream<Uint8Array> =>
  new WritableStream({
    async write(bytes) {
      await out.write(bytes);
      // A view of a larger buffer may share it with chunks that are still to come.
      if (bytes.byteLength === bytes.buffer.byteLength) release(bytes);
    },
  });

const DEFLATED = 8;

/** Adds an entry whose bytes are in a spill file, already deflated. */
export async function addSpilled(
  zip: ZipWriter<unknown>,
  name: string,
  { spill, size, crc }: Deflated,
): Promise<void> {
  const { compressedSize } = await zip.add(name, spill.stream(), {
    passThrough: 'compressed',
    compressionMethod: DEFLATED,
    uncompressedSize: size,
    crc32: crc,
  });
  // Encryption may add a few bytes, but none may be missing.
  if (compressedSize < spill.bytes) throw new Error('a part of the zip is shorter than what was written');
}

const ROWS_AT_ONCE = 250;
/** Rendering the XML is slower than deflating it, so more parts in flight would only use memory. */
const SHEET_PARTS = 2;

interface Sheet {
  deflater: Deflater;
  spill: Spill;
  rows: number;
  done: Deflated | null;
}

const HEADER_ROW = 1;
/** Where the next row goes. */
const firstOf = ({ rows }: Sheet): number => HEADER_ROW + rows + 1;

/** The longest cell of each column among the first rows, in bytes. */
function columnWidths(bytes: Uint8Array, from: number, length: number, columns: number): number[] {
  const widths = new Array<number>(columns).fill(0);
  let start = from;
  for (let row = 0; row < 200 && start < from + length; row++)
    for (let column = 0; column < widths.length; column++) {
      const end = bytes.indexOf(0, start);
      if (end < 0) return widths;
      widths[column] = Math.max(widths[column] ?? 0, end - start);
      start = end + 1;
    }
  return widths;
}

function xlsxContent(spec: WriterData, out: ByteOut): Content {
  const rows = new XlsxRows(spec.columns, spec);
  const heads = new XlsxRows(
    spec.columns.map(() => ({ storage: 'text' as const })),
    { zone: 'UTC', spans: null },
  );
  const header = heads
    .fromValues(
      spec.columns.map(({ label }) => label),
      String,
      HEADER_ROW,
    )
    .slice();
  const sheets: Sheet[] = [];
  let widths: number[] | null = null;

  const open = async (): Promise<Sheet> => {
    await closeSheet();
    const spill = openSpill(spec.scratch);
    const sheet: Sheet = {
      spill,
      deflater: createDeflater(spill, { atOnce: SHEET_PARTS }),
      rows: 0,
      done: null,
    };
    sheets.push(sheet);
    await sheet.deflater.write(utf8.encode(sheetHead(spec.columns, widths ?? [], sheets.length === 1)));
    await sheet.deflater.write(header);
    return sheet;
  };
  const closeSheet = async () => {
    const sheet = sheets.at(-1);
    if (sheet === undefined || sheet.done !== null) return;
    await sheet.deflater.write(utf8.encode(sheetTail(spec.columns.length, sheet.rows)));
    sheet.done = await sheet.deflater.end();
  };
  const current = async (): Promise<Sheet> => {
    const sheet = sheets.at(-1);
    return sheet === undefined || sheet.rows >= spec.sheetRows ? open() : sheet;
  };

  /** Rows rendered as XML already: a sheet may be split after any closing row tag, which no cell can contain. */
  const renderedRows = async (xml: Uint8Array, count: number) => {
    const view = Buffer.from(xml.buffer, xml.byteOffset, xml.length);
    let offset = 0;
    for (let remaining = count; remaining > 0; ) {
      const sheet = await current();
      const take = Math.min(remaining, spec.sheetRows - sheet.rows);
      let end = xml.length;
      if (take < remaining) {
        end = offset;
        for (let row = 0; row < take; row++) end = view.indexOf(ROW_END, end) + ROW_END.length;
      }
      const xmlHere = rows.numbered(xml.subarray(offset, end), firstOf(sheet));
      sheet.rows += take;
      remaining -= take;
      await sheet.deflater.write(xmlHere);
      offset = end;
    }
  };

  return {
    async begin() {
      // Preloaded while the first rows are fetched; a failure surfaces where the library is used.
      zipLibrary().catch(() => undefined);
    },
    async records(bytes, from, length, count, rendered) {
      widths ??= rendered ? [] : columnWidths(bytes, from, length, spec.columns.length);
      if (rendered) return renderedRows(bytes.subarray(from, from + length), count);
      let position = from;
      for (let remaining = count; remaining > 0; ) {
        const sheet = await current();
        const take = Math.min(remaining, ROWS_AT_ONCE, spec.sheetRows - sheet.rows);
        const { xml, next } = rows.fromCells(bytes, position, take, firstOf(sheet));
        sheet.rows += take;
        remaining -= take;
        position = next;
        await sheet.deflater.write(xml);
      }
    },
    render: (values) => rows.fromValues(values, textOf),
    async end() {
      if (sheets.length === 0) await open();
      await closeSheet();
      const { TextReader, ZipWriter } = await zipLibrary();
      const zip = new ZipWriter(zipInto(out), { useWebWorkers: false });
      const parts = workbookParts(
        spec.columns.length,
        sheets.map((sheet) => sheet.rows),
        spec.partial === null ? '' : `${PARTIAL} `,
      );
      for (const { path, text } of parts) await zip.add(path, new TextReader(text));
      for (const [index, { done }] of sheets.entries())
        if (done !== null) await addSpilled(zip, `xl/worksheets/sheet${index + 1}.xml`, done);
      await zip.close();
      for (const { spill } of sheets) spill.close();
      return { cut: rows.cut, sheets: sheets.length };
    },
  };
}

export const createContent = (spec: WriterData, out: ByteOut): Content =>
  spec.format === 'xlsx' ? xlsxContent(spec, out) : linesContent(spec, out);
