/**
 * Statements that make SQLite render a whole range of rows as one BLOB (measured: several times faster than rows
 * through JavaScript). A range that holds a cell which only `odd` has exactly is told apart by `odd` > 0; the writer
 * thread renders that range with cells.ts.
 */
import type { StoredColumn } from '../results/columns.ts';
import { RISK_BITS } from '../results/encode.ts';
import type { Format } from './protocol.ts';
import { offsetText, type Span } from './zone.ts';

/** A chosen column: its place in the set, or -1 for the entity id. */
export interface Choice {
  id: string;
  label: string;
  index: number;
  column: StoredColumn | null;
  /** What a sample of rows shows, hints for speed alone: some have no value here; all others are texts. */
  sparse: boolean;
  texts: boolean;
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

export interface Shape {
  format: Format;
  choices: readonly Choice[];
  raw: boolean;
  /** Offsets of the clock; null: instants are written as they are, in UTC. */
  clock: { spans: readonly Span[]; until: number } | null;
}

const text = (literal: string): string => `'${literal.replaceAll("'", "''")}'`;

/** SQLite takes 1 000 arguments, and as many levels of an expression; NULL counts as nothing. */
function concat(parts: readonly string[]): string {
  if (parts.length <= ARGUMENTS) return `concat(${parts.join(', ')})`;
  const groups: string[] = [];
  for (let at = 0; at < parts.length; at += ARGUMENTS)
    groups.push(`concat(${parts.slice(at, at + ARGUMENTS).join(', ')})`);
  return concat(groups);
}
const ARGUMENTS = 400;

const iso = (instant: number) => new Date(instant).toISOString().slice(0, 19);

/** An instant on the clock, as RFC 3339 with milliseconds and offset; what is none, as it is. Newest spans first. */
function onClock(cell: string, { spans }: NonNullable<Shape['clock']>): string {
  const local = (minutes: number) =>
    `coalesce(strftime('%Y-%m-%dT%H:%M:%f', ${cell}, '${minutes < 0 ? '-' : '+'}${Math.abs(minutes)} minutes') || '${offsetText(minutes)}', ${cell})`;
  const [first, ...later] = spans;
  const cases = later
    .toReversed()
    .map(({ from, minutes }) => `WHEN ${cell} >= '${iso(from)}' THEN ${local(minutes)}`);
  return `CASE WHEN ${cell} IS NULL THEN NULL ${cases.join(' ')} ELSE ${local(first?.minutes ?? 0)} END`;
}

/** Whether `onClock` says the same as the exact form: to the second or millisecond, within the spans. */
const offClock = (cell: string, { until }: NonNullable<Shape['clock']>): string =>
  `(${cell} IS NOT NULL AND (octet_length(${cell}) NOT IN (20, 24) OR ${cell} < '1970' OR ${cell} >= '${iso(until)}'))`;

const isDate = (choice: Choice) => choice.column?.storage === 'date';

/** What a cell shows, as text; NULL: nothing. Lists are not among these. */
function shownCell(choice: Choice, shape: Shape): string {
  if (choice.column === null) return 'r.entity_id';
  const cell = `r.${choice.column.sql}`;
  return isDate(choice) && shape.clock !== null ? onClock(cell, shape.clock) : cell;
}

/**
 * A list of scalars as its items, anything nested as its JSON, an empty list as nothing. Most lists are of texts
 * without an escape: those need no parser.
 */
function listText(cell: string): string {
  const inner = `replace(substr(${cell}, 3, length(${cell}) - 4), '","', '; ')`;
  return `CASE WHEN ${cell} IS NULL OR ${cell} = '[]' THEN NULL
    WHEN substr(${cell}, 1, 1) = '{' OR substr(${cell}, 1, 2) IN ('[{', '[[') THEN ${cell}
    WHEN ${cell} GLOB '[[]"*"]' AND instr(${cell}, '\\') = 0 AND instr(${inner}, '"') = 0 THEN ${inner}
    ELSE (SELECT group_concat(value, '; ') FROM json_each(${cell})) END`;
}

const quoted = (sql: string, lead: string) => `'"' || ${lead}replace(${sql}, '"', '""') || '"'`;

/** One CSV field, whatever it holds. */
function csvCell(choice: Choice, shape: Shape): string {
  const { column, index } = choice;
  const cell = shownCell(choice, shape);
  const lead =
    shape.raw || index < 0 || index >= RISK_BITS
      ? ''
      : `CASE WHEN r.risk & ${2 ** index} THEN '''' ELSE '' END || `;
  switch (column?.storage) {
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

interface Piece {
  /** Of a format string. */
  code: string;
  args: string[];
  /** Must hold for the piece to be right; null: it always is. */
  needs: string | null;
}

/** A field of a row without risky cells: `%w` doubles double quotes, faster than replace(). */
function csvPiece(choice: Choice, shape: Shape): Piece {
  const storage = choice.column?.storage ?? 'text';
  if (storage === 'text' || storage === 'date' || (storage === 'any' && choice.texts)) {
    const cell = shownCell(choice, shape);
    const source = choice.column === null ? 'r.entity_id' : `r.${choice.column.sql}`;
    if (!choice.sparse)
      return {
        code: '"%w"',
        args: [cell],
        needs: storage === 'any' ? `typeof(${source}) = 'text'` : `${source} IS NOT NULL`,
      };
    const mark = `CASE WHEN ${source} IS NULL THEN '' ELSE '"' END`;
    return {
      code: '%s%w%s',
      args: [mark, `coalesce(${cell}, '')`, mark],
      needs: storage === 'any' ? `typeof(${source}) IN ('text', 'null')` : null,
    };
  }
  return { code: '%s', args: [csvCell(choice, { ...shape, raw: true })], needs: null };
}

const FORMAT_COLUMNS = 100;

function csvRow(shape: Shape): string {
  const { choices, raw } = shape;
  const careful = concat([
    ...choices.flatMap((choice, index) => [...(index === 0 ? [] : [`','`]), csvCell(choice, shape)]),
    'char(13, 10)',
  ]);
  const pieces = choices.map((choice) => csvPiece(choice, shape));
  const formats: string[] = [];
  for (let at = 0; at < pieces.length; at += FORMAT_COLUMNS) {
    const part = pieces.slice(at, at + FORMAT_COLUMNS);
    const codes = part.map(({ code }) => code).join(',');
    formats.push(
      `format(${[`'${at === 0 ? '' : ','}${codes}'`, ...part.flatMap(({ args }) => args)].join(', ')})`,
    );
  }
  const needs = [...(raw ? [] : ['r.risk = 0']), ...pieces.flatMap(({ needs }) => needs ?? [])];
  const fast = concat([...formats, 'char(13, 10)']);
  return needs.length === 0 ? fast : `CASE WHEN ${needs.join(' AND ')} THEN ${fast} ELSE ${careful} END`;
}

function jsonCell(choice: Choice, shape: Shape): string {
  const { column } = choice;
  const cell = shownCell(choice, shape);
  if (column?.storage === 'json') return `coalesce(${cell}, 'null')`;
  if (column?.storage === 'boolean')
    return `CASE ${cell} WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE 'null' END`;
  return `json_quote(${cell})`;
}

/** NDJSON: the object and its line end. A JSON array: a comma, a line end, the object. */
const jsonRow = (shape: Shape): string =>
  concat([
    ...shape.choices.flatMap((choice, index) => {
      const lead = shape.format === 'json' ? ',\n{' : '{';
      return [text(`${index === 0 ? lead : ','}${JSON.stringify(choice.id)}:`), jsonCell(choice, shape)];
    }),
    text(shape.format === 'json' ? '}' : '}\n'),
  ]);

/** The cells of a row as text, each ended by NUL, which no cell here holds; xlsx-rows.ts makes XML of them. */
const cellsRow = (shape: Shape): string =>
  concat(
    shape.choices.flatMap(({ column }) => {
      const cell = column === null ? 'r.entity_id' : `r.${column.sql}`;
      if (column?.storage === 'json') return [listText(cell), 'char(0)'];
      if (column?.storage === 'any')
        return [
          `CASE typeof(${cell}) WHEN 'null' THEN '' WHEN 'text' THEN 's' ELSE 'n' END`,
          cell,
          'char(0)',
        ];
      return [cell, 'char(0)'];
    }),
  );

/**
 * SELECT of one row: chunk (BLOB, line ends included; NULL when the range is empty), odd (rows that need
 * JavaScript), and with `lengths` the bytes of each row as text. Parameters @from, @to.
 */
export function chunkSql(source: ChunkSource, shape: Shape, lengths = false): string {
  const line =
    shape.format === 'csv' ? csvRow(shape) : shape.format === 'xlsx' ? cellsRow(shape) : jsonRow(shape);
  const { clock } = shape;
  const odd = [
    'r.odd IS NOT NULL',
    ...(clock === null || shape.format === 'xlsx'
      ? []
      : shape.choices.filter(isDate).map(({ column }) => offClock(`r.${column!.sql}`, clock))),
  ].join(' OR ');
  const each = lengths ? `, group_concat(octet_length(line), ',')` : '';
  // LIMIT keeps SQLite from merging the two SELECTs, which would build each line once for every use of it.
  return `SELECT CAST(group_concat(line, '') AS BLOB), total(odd)${each}
    FROM (SELECT ${line} AS line, (${odd}) AS odd ${source.from}${lengths ? ' LIMIT -1' : ''})`;
}
