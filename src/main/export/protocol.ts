/** Messages between an export and its writer thread. */
import type { ExportFormat } from '#shared/bridge/operations/exports.ts';
import type { CellWords } from '#shared/model/cell-text.ts';
import type { FoundFile } from '../proof/read-back.ts';
import type { IdColumn } from '../proof/scan.ts';
import type { StoredColumn } from '../results/columns.ts';
import type { SqlValue } from '../store/database.ts';
import type { Span } from './zone.ts';

/** A chosen column; `index` is its position in the set, or -1 for the entity id. */
export interface OutColumn {
  id: string;
  label: string;
  index: number;
  storage: StoredColumn['storage'];
  words?: CellWords;
}

export interface WriterData {
  /** Temporary path of the file while it is written. */
  part: string;
  format: ExportFormat;
  columns: readonly OutColumn[];
  /** All columns of the set, to decode rows that are rendered in the thread. */
  stored: readonly StoredColumn[];
  raw: boolean;
  bom: boolean;
  /** IANA name of the time zone, and its offsets, which UTC needs none of. */
  zone: string;
  spans: readonly Span[] | null;
  /** The instant up to which `spans` are known. */
  until?: number;
  rows: number;
  /** Rows per sheet of a workbook, without its header. */
  sheetRows: number;
  /** Set when the file is an entry of a zip. */
  zip: { password: string | null; entry: string } | null;
  /** The column that should hold the entity id when the file is read back. */
  id: IdColumn;
  /** Why the file is incomplete, for its last record; null when it is complete. */
  partial: string | null;
  /** Folder for spill files, which are encrypted with a key that exists only in the memory of the export's threads. */
  scratch: string;
  /** Set when chunks arrive in set order and the writer sorts them. */
  sort: BySortIndex | ByKeys | null;
}

/** The order of a sort index, sent as row indexes. */
export interface BySortIndex {
  by: 'index';
  /** Number of rows in the set. */
  rows: number;
  /** Average bytes per row. */
  bytesPerRow: number;
}

/** An order for which every row carries its own sort key. */
export interface ByKeys {
  by: 'keys';
  /** For each sort column, whether larger values come first. */
  descending: readonly boolean[];
}

/**
 * With a sort index: row indexes in its order, in parts, at any time before the end. With sort keys: the splitters,
 * ascending, sent before any row.
 */
export type OrderPart = { rowIndexes: Uint32Array } | { splitters: readonly Uint8Array[] };

/**
 * For each sort column, the values of a chunk's rows as key-order.ts has SQLite aggregate them. Empty without sort
 * keys.
 */
export type SortLists = readonly (string | Uint8Array)[];

/** What was given to the file; the hash is computed only for content inside a zip. */
export interface Written {
  bytes: number;
  crc32: number;
  sha256: string;
  /** Cells cut at the limit of a workbook. */
  cut: number;
  sheets: number;
  /** With sort keys: row indexes of the first and last row in the order. */
  ends: { first: number; last: number } | null;
}

export interface Closed {
  found: FoundFile;
  /** The bytes read back are exactly those that were written, in order. */
  whole: boolean;
}

export type ToWriter =
  | { type: 'order'; part: OrderPart }
  /** Rows rendered by SQLite. `lengths` are the byte length of each as decimal text, where the writer sorts. */
  | { type: 'chunk'; from: number; count: number; bytes: Uint8Array; lengths: string | null; keys: SortLists }
  /**
   * Raw rows as `selection` reads them, to be rendered by the writer. `from` is the row index of the first where the
   * writer sorts.
   */
  | { type: 'rows'; from: number; rows: SqlValue[][]; keys: SortLists }
  | { type: 'end' }
  /** Closes the file, adding the manifest to the zip if there is one. */
  | { type: 'close'; manifest: { name: string; bytes: Uint8Array } | null };

export type FromWriter =
  | { type: 'open' }
  /** Acknowledges each `order`, `chunk` and `rows`. */
  | { type: 'took' }
  /** Progress of an export that the writer sorts: rows merged and written. */
  | { type: 'merged'; rows: number }
  /** All rows were written. */
  | { type: 'content'; written: Written }
  | { type: 'closed'; closed: Closed }
  /** Which file failed: a spill file, the file while it was read back, or the file itself. */
  | {
      type: 'fail';
      code: string | null;
      errno: number | null;
      message: string;
      stage: 'working' | 'read-back' | 'file';
    };
