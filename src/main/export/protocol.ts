/** What travels between an export and its writer thread. */
import type { FoundFile } from '../proof/read-back.ts';
import type { IdAt } from '../proof/scan.ts';
import type { StoredColumn } from '../results/columns.ts';
import type { SqlValue } from '../store/database.ts';
import type { Span } from './zone.ts';

export type Format = 'csv' | 'ndjson' | 'json' | 'xlsx';

/** Of a chosen column: its place in the set, or -1 for the entity id. */
export interface OutColumn {
  id: string;
  label: string;
  index: number;
  storage: StoredColumn['storage'];
}

export interface WriterData {
  /** The file in the making. */
  part: string;
  format: Format;
  columns: readonly OutColumn[];
  /** Columns of the set, for rows that are rendered in the thread. */
  stored: readonly StoredColumn[];
  raw: boolean;
  bom: boolean;
  /** IANA name; its offsets, null: UTC. */
  zone: string;
  spans: readonly Span[] | null;
  /** The instant up to which the offsets are known. */
  until?: number;
  rows: number;
  /** Rows per sheet of a workbook, its header not counted. */
  sheetRows: number;
  /** Zip around the file. */
  zip: { password: string | null; entry: string } | null;
  /** Which column the file is to have the entity id in, as it is read back. */
  id: IdAt;
  /** What the file says at its end when it is not all of the query; null: it is. */
  partial: string | null;
  /** Where working files are made: encrypted with a key that is nowhere else than in the threads of the export. */
  scratch: string;
  /** Set: chunks come in the order of the set and are put in another one here. */
  scatter: ByRanks | ByKeys | null;
}

/** An order that is told by its ranks. */
export interface ByRanks {
  by: 'ranks';
  /** Rows of the set. */
  rows: number;
  /** Bytes of a row, about. */
  width: number;
}

/** An order that every row says itself, by what it is sorted by. */
export interface ByKeys {
  by: 'keys';
  /** Of what is sorted by, the first first: whether larger values come first. */
  descending: readonly boolean[];
}

/**
 * Of an order by ranks: positions in rank order, as many as there are ranks, in parts, at any time before the end. Of
 * one by keys: those at which its buckets begin, rising, none for the first; before any row.
 */
export type OrderPart = { positions: Uint32Array } | { cuts: readonly Uint8Array[] };

/** Of rows in an order by keys: for each column sorted by its values, as key-order.ts has SQLite list them. Otherwise empty. */
export type SortLists = readonly (string | Uint8Array)[];

/** The content as it was given to the file; its hash where it is inside a zip. */
export interface Written {
  bytes: number;
  crc32: number;
  sha256: string;
  /** Cells longer than a workbook may hold. */
  cut: number;
  sheets: number;
  /** Of an order by keys: where its first and its last row are in the set. */
  ends: { first: number; last: number } | null;
}

export interface Closed {
  found: FoundFile;
  /** The bytes that were read back are those that were given to the file, in their order. */
  whole: boolean;
}

export type ToWriter =
  | { type: 'order'; part: OrderPart }
  /** Rows rendered by SQLite. `lengths`: bytes of each as decimal text, where chunks are scattered. */
  | { type: 'chunk'; from: number; count: number; bytes: Uint8Array; lengths: string | null; keys: SortLists }
  /** Rows as they are stored, selected by `selection`, from a position of the set on where they are scattered. */
  | { type: 'rows'; from: number; rows: SqlValue[][]; keys: SortLists }
  | { type: 'end' }
  /** The manifest for inside the zip, if there is one; closes the file. */
  | { type: 'close'; manifest: { name: string; bytes: Uint8Array } | null };

export type FromWriter =
  | { type: 'open' }
  /** One for each `order`, `chunk` and `rows`. */
  | { type: 'took' }
  /** Rows put in order and written, of a scattered export. */
  | { type: 'merged'; rows: number }
  /** Every row was given to the file. */
  | { type: 'content'; written: Written }
  | { type: 'closed'; closed: Closed }
  /** `at`: a working file, the file as it was read back, or the file itself. */
  | { type: 'fail'; code: string | null; message: string; at: 'working' | 'read-back' | 'file' };
