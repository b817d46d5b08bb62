/** What travels between an export and its writer thread. */
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
  rows: number;
  /** Rows per sheet of a workbook, its header not counted. */
  sheetRows: number;
  /** Zip around the file. */
  zip: { password: string | null; entry: string } | null;
  /** Where working files are made: encrypted with a key that is nowhere else than in the threads of the export. */
  scratch: string;
  /** Set: chunks come in the order of the set and are put in rank order here. Rows of the set; bytes of a row, about. */
  scatter: { rows: number; width: number } | null;
}

export type ToWriter =
  /** Positions in rank order: as many as there are ranks, in parts, at any time before the end. */
  | { type: 'order'; positions: Uint32Array }
  /** Rows rendered by SQLite. `lengths`: bytes of each as decimal text, where chunks are scattered. */
  | { type: 'chunk'; from: number; count: number; bytes: Uint8Array; lengths: string | null }
  /** Rows as they are stored, selected by `selection`, from a position of the set on where they are scattered. */
  | { type: 'rows'; from: number; rows: SqlValue[][] }
  | { type: 'end' }
  /** The manifest for inside the zip, if there is one; closes the file. */
  | { type: 'close'; manifest: { name: string; bytes: Uint8Array } | null };

export type FromWriter =
  | { type: 'open' }
  /** One for each `order`, `chunk` and `rows`. */
  | { type: 'took' }
  /** Rows put in order and written, of a scattered export. */
  | { type: 'merged'; rows: number }
  /** The content is whole; its digest where it is inside a zip. `cut`: cells longer than a workbook may hold. */
  | { type: 'content'; bytes: number; sha256: string; cut: number; sheets: number }
  | { type: 'closed'; bytes: number; sha256: string }
  /** `working`: of a working file, not of the file itself. */
  | { type: 'fail'; code: string | null; message: string; working: boolean };
