/** Rows as a file: json, csv or xlsx, in an encrypted zip when a password is given. */
import type { Cell, Row } from '#shared/model/entities.ts';
import { EXPORT_FORMATS } from '#shared/model/enums.ts';
import { jsonText } from '#shared/model/json-text.ts';
import { fitsZip, TOO_LONG_FOR_ZIP } from '#shared/model/password-strength.ts';
import { MIN_PASSWORD } from '#shared/model/schedule.ts';
import { csvRow, neutraliseCell } from '#shared/model/spreadsheet-safe.ts';
import type { FileAnswer } from '../http/context.ts';
import { ServiceError } from '../http/errors.ts';

export interface Table {
  columns: readonly { id: string; label: string }[];
  rows: readonly Row[];
}

type Format = (typeof EXPORT_FORMATS)[number];
const TYPES: Readonly<Record<Format, string>> = {
  json: 'application/json',
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};
/** Limit of UTF-16 units per spreadsheet cell; a spreadsheet refuses a file with a longer one. */
const XLSX_CELL = 32_767;
/** Rows per sheet, including the header. */
const XLSX_ROWS = 1_048_576;

/** Throws 400 with the field for an invalid format or password. */
export function checkFileOptions(format: string | undefined, password: string | undefined): Format {
  const exportFormat = EXPORT_FORMATS.find((existingFormat) => existingFormat === (format ?? 'csv'));
  if (exportFormat === undefined)
    throw new ServiceError(400, `The format must be one of ${EXPORT_FORMATS.join(', ')}`, 'format');
  if (password !== undefined && password.length < MIN_PASSWORD)
    throw new ServiceError(400, `The password has at least ${MIN_PASSWORD} characters`, 'password');
  if (password !== undefined && !fitsZip(password)) throw new ServiceError(400, TOO_LONG_FOR_ZIP, 'password');
  return exportFormat;
}

/** `name` has no extension. Texts that a spreadsheet would take for formulas are neutralised in csv and xlsx. */
export async function fileOf(
  name: string,
  table: Table,
  format: Format,
  password: string | undefined,
): Promise<FileAnswer['file']> {
  const bytes = await encode(table, format);
  const inner = `${name}.${format}`;
  if (password === undefined) return { name: inner, type: TYPES[format], bytes };
  return { name: `${name}.zip`, type: 'application/zip', bytes: await sealed(inner, bytes, password) };
}

async function encode(table: Table, format: Format): Promise<Uint8Array> {
  switch (format) {
    case 'json':
      return Buffer.from(`${jsonText(table.rows, 1)}\n`, 'utf8');
    case 'csv': {
      const lines = [csvRow(table.columns.map(({ label }) => label))];
      for (const row of table.rows) lines.push(csvRow(table.columns.map(({ id }) => flat(row[id] ?? null))));
      return Buffer.from(lines.join(''), 'utf8');
    }
    case 'xlsx':
      return sheet(table);
  }
}

const flat = (cell: Cell): string | number | boolean | null =>
  Array.isArray(cell)
    ? cell.map((entry) => flat(entry) ?? '').join('; ')
    : typeof cell === 'object' && cell !== null
      ? JSON.stringify(cell)
      : cell;

// Characters that XML cannot contain.
const FORBIDDEN = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;
/** Text that a spreadsheet would read as an escape (ECMA-376 part 1, 22.9.2.19). The library writes CR as one. */
const ESCAPE = /_(?=x[0-9a-fA-F]{4}[_\r])/g;
const forSheet = (cell: Cell): string | number | boolean | null => {
  const value = flat(cell);
  if (typeof value !== 'string') return value;
  const text = neutraliseCell(value.replace(FORBIDDEN, ''));
  // Half of a surrogate pair goes with the rest.
  const most = text.slice(0, XLSX_CELL - 1).replace(/[\ud800-\udbff]$/, '');
  return (text.length > XLSX_CELL ? `${most}…` : text).replace(ESCAPE, '_x005F_');
};

/** The library writes texts such as `#N/A` and `#REF!` as errors, unless they are formatted text. */
const ERROR_LIKE = /^#\S+$/;

async function sheet({ columns, rows }: Table): Promise<Uint8Array> {
  if (rows.length >= XLSX_ROWS)
    throw new ServiceError(400, `A sheet holds ${XLSX_ROWS - 1} rows; take csv or json`, 'format');
  const cells = [
    columns.map(({ label }) => forSheet(label)),
    ...rows.map((row) => columns.map(({ id }) => forSheet(row[id] ?? null))),
  ];
  const texts = new Map<string, { richText: { text: string }[] }>();
  for (const [row, values] of cells.entries())
    for (const [column, text] of values.entries())
      if (typeof text === 'string' && ERROR_LIKE.test(text))
        texts.set(`${row},${column}`, { richText: [{ text }] });
  const { writeXlsx } = await import('hucre/xlsx');
  const written = await writeXlsx({ sheets: [{ name: 'Results', rows: cells, cells: texts }] });
  return written instanceof Uint8Array ? written : new Uint8Array(written);
}

async function sealed(name: string, bytes: Uint8Array, password: string): Promise<Uint8Array> {
  const { Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } = await import('@zip.js/zip.js');
  const zip = new ZipWriter(new Uint8ArrayWriter(), {
    password,
    // AES-256; the classic zip cipher gives no protection.
    encryptionStrength: 3,
    useWebWorkers: false,
  });
  await zip.add(name, new Uint8ArrayReader(bytes));
  return zip.close();
}
