/**
 * Statements that make SQLite render a whole range of rows as one BLOB (measured: several times faster than rows
 * through JavaScript). A range that holds a cell which only `odd` has exactly is told apart by `odd` > 0; the walker
 * renders that range with cells.ts.
 */
import type { StoredColumn } from '../results/columns.ts';
import { RISK_BITS } from '../results/encode.ts';

export type Format = 'csv' | 'ndjson';

/** A chosen column: its place in the set, or -1 for the entity id. */
export interface Choice {
  id: string;
  label: string;
  index: number;
  column: StoredColumn | null;
}

export interface ChunkSource {
  /** FROM: rows as `r`; WHERE with @from and @to (exclusive). */
  from: string;
}

/** The rows of set n in its own order. */
export const bySet = (n: number): ChunkSource => ({
  from: `FROM rs_${n} r WHERE r.pos >= @from AND r.pos < @to`,
});

/** The rows of set n in the order of rank table v. */
export const byRank = (n: number, view: number): ChunkSource => ({
  from: `FROM rv_${view} v CROSS JOIN rs_${n} r ON r.pos = v.pos WHERE v.rank > @from AND v.rank <= @to`,
});

const text = (literal: string): string => `'${literal.replaceAll("'", "''")}'`;
const quoted = (sql: string, lead: string) => `'"' || ${lead}replace(${sql}, '"', '""') || '"'`;

/** SQLite takes 1 000 arguments, and as many levels of an expression; NULL counts as nothing. */
function concat(parts: readonly string[]): string {
  if (parts.length <= ARGUMENTS) return `concat(${parts.join(', ')})`;
  const groups: string[] = [];
  for (let at = 0; at < parts.length; at += ARGUMENTS)
    groups.push(`concat(${parts.slice(at, at + ARGUMENTS).join(', ')})`);
  return concat(groups);
}
const ARGUMENTS = 400;

/** A list of scalars as its items, anything nested as its JSON, an empty list as nothing. */
const listText = (cell: string): string =>
  `CASE WHEN ${cell} IS NULL OR ${cell} = '[]' THEN NULL
    WHEN substr(${cell}, 1, 1) = '{' OR substr(${cell}, 1, 2) IN ('[{', '[[') THEN ${cell}
    ELSE (SELECT group_concat(value, '; ') FROM json_each(${cell})) END`;

function csvCell(choice: Choice, raw: boolean): string {
  const { column, index } = choice;
  if (column === null) return quoted('r.entity_id', '');
  const cell = `r.${column.sql}`;
  const lead = raw || index >= RISK_BITS ? '' : `CASE WHEN r.risk & ${2 ** index} THEN '''' ELSE '' END || `;
  switch (column.storage) {
    case 'number':
      return cell;
    case 'boolean':
      return `CASE ${cell} WHEN 1 THEN 'true' WHEN 0 THEN 'false' END`;
    case 'json':
      return quoted(`(${listText(cell)})`, lead);
    case 'any':
      return `CASE typeof(${cell}) WHEN 'text' THEN ${quoted(cell, lead)} ELSE ${cell} END`;
    default:
      return quoted(cell, lead);
  }
}

function csvRow(choices: readonly Choice[], raw: boolean): string {
  return concat(choices.flatMap((choice, index) => [...(index === 0 ? [] : [`','`]), csvCell(choice, raw)]));
}

function jsonCell(column: StoredColumn | null): string {
  if (column === null) return 'json_quote(r.entity_id)';
  const cell = `r.${column.sql}`;
  if (column.storage === 'json') return `coalesce(${cell}, 'null')`;
  if (column.storage === 'boolean')
    return `CASE ${cell} WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE 'null' END`;
  return `json_quote(${cell})`;
}

const jsonRow = (choices: readonly Choice[]): string =>
  concat([
    ...choices.flatMap(({ id, column }, index) => [
      text(`${index === 0 ? '{' : ','}${JSON.stringify(id)}:`),
      jsonCell(column),
    ]),
    `'}'`,
  ]);

/**
 * SELECT of one row: chunk (BLOB, line ends included; NULL when the range is empty), odd (rows that need JavaScript).
 * Parameters @from, @to.
 */
export function chunkSql(
  source: ChunkSource,
  format: Format,
  choices: readonly Choice[],
  raw: boolean,
): string {
  const end = format === 'csv' ? 'char(13, 10)' : 'char(10)';
  let line = format === 'ndjson' ? jsonRow(choices) : csvRow(choices, raw);
  // Most rows hold nothing risky: their line is built without looking cell by cell.
  if (format === 'csv' && !raw) line = `CASE WHEN r.risk = 0 THEN ${csvRow(choices, true)} ELSE ${line} END`;
  return `SELECT CAST(group_concat(line, ${end}) || ${end} AS BLOB), total(odd)
    FROM (SELECT ${line} AS line, r.odd IS NOT NULL AS odd ${source.from})`;
}
