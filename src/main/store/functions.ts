/** Functions of Parapet's own that the statements of result sets and exports call, in every store worker. */
import type Sqlite from 'better-sqlite3';
import { neutraliseCell } from '#shared/model/spreadsheet-safe.ts';

/** neutraliseCell() of a text; anything else as it is. */
export const NEUTRALISE = 'pp_neutralise';

export function addFunctions(db: Sqlite.Database): void {
  db.function(NEUTRALISE, { deterministic: true }, (value: unknown) =>
    typeof value === 'string' ? neutraliseCell(value) : value,
  );
}
