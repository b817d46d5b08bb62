/** The SQL functions of conditions, and conditions that let a statement be cancelled. */
import type Database from 'better-sqlite3';
import { sqlFunctions } from '#shared/query/sql-functions.ts';
import { textFunctions } from './texts.ts';

/** Registers the functions of conditions; returns the function that starts their budget. */
export function addFunctions(db: Database.Database, probe: (() => void) | undefined): () => void {
  const sql = sqlFunctions(Date.now, probe);
  for (const [name, run] of Object.entries(sql.functions))
    db.function(name, { deterministic: true, varargs: true }, run);
  for (const [name, run] of Object.entries(textFunctions()))
    db.function(name, { deterministic: true, varargs: true }, run);
  db.function('pp_alive', () => {
    probe?.();
    return 1;
  });
  db.function('pp_scans', () => {
    sql.look(SCAN_WORDS);
    return 1;
  });
  return sql.begin;
}

/**
 * A condition that is always true and lets a statement be cancelled. It calls out for every 128th row, which costs
 * nothing measurable. `id` is SQL of an integer key.
 */
export const aliveSql = (id: string): string => `likely(${id} & 127 OR pp_alive())`;

const SCAN_WORDS =
  'This search has to read every text, which takes too long on this much mail: search for three characters or more, or add another condition.';

/** The same for a scan of texts, which also ends when the time for it is up: the call then fails and says so. */
export const scanSql = (id: string): string => `likely(${id} & 127 OR pp_scans())`;
