/**
 * Statements that make SQLite render a whole range of rows as one BLOB (measured: several times faster than rows
 * through JavaScript). A range that holds a cell which only `odd` has exactly is told apart by `odd` > 0; the writer
 * thread renders that range with cells.ts.
 */
import type { StoredColumn } from '../results/columns.ts';
import { RISK_BITS } from '../results/encode.ts';
import { NEUTRALISE } from '../store/functions.ts';
import type { Format } from './protocol.ts';
import { listSql, type SortValue } from './sort/key-order.ts';
import { offsetText, type Span } from './zone.ts';

/** A chosen column: its place in the set, or -1 for the entity id. */
export interface Choice {
  id: string;
  label: string;
  index: number;
  column: StoredColumn | null;
  /** Some text of it may hold what CSV or JSON escapes; of lists: some list may be more than plain texts. */
  escapes: boolean;
  /** Some value of it may be missing. */
  gaps: boolean;
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
  /** The cells that only JavaScript has exactly were marked by the rules of this version when they were stored. */
  marked: boolean;
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

const quoted = (sql: string) => `'"' || replace(${sql}, '"', '""') || '"'`;

/** One CSV field, whatever it holds. */
function csvCell(choice: Choice, shape: Shape): string {
  const { column, index } = choice;
  const cell = shownCell(choice, shape);
  // The rule itself is asked, for the few cells that it was found to change when they were stored.
  const safe = (sql: string) =>
    shape.raw || index < 0 || index >= RISK_BITS
      ? sql
      : `iif(r.risk & ${2 ** index}, ${NEUTRALISE}(${sql}), ${sql})`;
  switch (column?.storage) {
    case 'number':
      return cell;
    case 'boolean':
      return `CASE ${cell} WHEN 1 THEN 'true' WHEN 0 THEN 'false' END`;
    case 'json':
      return quoted(safe(`(${listText(cell)})`));
    case 'any':
      return `CASE typeof(${cell}) WHEN 'text' THEN ${quoted(safe(cell))} ELSE ${cell} END`;
    default:
      return quoted(safe(cell));
  }
}

/** Part of a format string, and what it takes. */
interface Piece {
  code: string;
  arg: string;
}

const BOOLEAN = (cell: string, gaps: boolean, missing: string): string =>
  gaps
    ? `CASE ${cell} WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE ${missing} END`
    : `iif(${cell}, 'true', 'false')`;

/** A field of a row without risky cells: what is known of its column is not looked for again. */
function csvPiece(choice: Choice, shape: Shape): Piece {
  const { column, escapes, gaps } = choice;
  const cell = shownCell(choice, shape);
  switch (column?.storage) {
    case 'number':
      return { code: '%s', arg: cell };
    case 'boolean':
      return { code: '%s', arg: BOOLEAN(cell, gaps, 'NULL') };
    case 'json':
      // The quotes of the first and the last text are those of the field. Most lists are empty.
      if (!escapes)
        return {
          code: '%s',
          arg: `CASE ${cell} WHEN '[]' THEN '' ELSE replace(trim(${cell}, '[]'), '","', '; ') END`,
        };
      break;
    default:
      // `%w` doubles double quotes, faster than replace().
      if (!gaps && (!escapes || column?.storage !== 'any'))
        return { code: escapes ? '"%w"' : '"%s"', arg: cell };
      if (!escapes) return { code: '%s', arg: `'"' || ${cell} || '"'` };
  }
  return { code: '%s', arg: csvCell(choice, { ...shape, raw: true }) };
}

function jsonPiece(choice: Choice, shape: Shape): Piece {
  const { column, escapes, gaps } = choice;
  const cell = shownCell(choice, shape);
  const orNull = (sql: string) => (gaps ? `coalesce(${sql}, 'null')` : sql);
  switch (column?.storage) {
    case 'number':
    case 'json':
      return { code: '%s', arg: orNull(cell) };
    case 'boolean':
      return { code: '%s', arg: BOOLEAN(cell, gaps, `'null'`) };
    default:
      if (escapes) return { code: '%s', arg: `json_quote(${cell})` };
      return gaps ? { code: '%s', arg: orNull(`'"' || ${cell} || '"'`) } : { code: '"%s"', arg: cell };
  }
}

const FORMAT_COLUMNS = 100;
/** Text that stands in a format string as it is. */
const literal = (words: string): string => words.replaceAll('%', '%%');

/** A row as one call of format(), the fastest way to put cells together; `before each, and at the end. */
function formatted(pieces: readonly Piece[], before: (index: number) => string, end: string): string {
  const formats: string[] = [];
  for (let at = 0; at < pieces.length; at += FORMAT_COLUMNS) {
    const part = pieces.slice(at, at + FORMAT_COLUMNS);
    const codes = part.map(({ code }, index) => literal(before(at + index)) + code).join('');
    const last = at + FORMAT_COLUMNS >= pieces.length ? literal(end) : '';
    formats.push(`format(${[text(codes + last), ...part.map(({ arg }) => arg)].join(', ')})`);
  }
  return formats.length === 1 ? formats[0]! : concat(formats);
}

function csvRow(shape: Shape): string {
  const { choices, raw } = shape;
  const fast = formatted(
    choices.map((choice) => csvPiece(choice, shape)),
    (index) => (index === 0 ? '' : ','),
    '\r\n',
  );
  if (raw) return fast;
  const careful = concat([
    ...choices.flatMap((choice, index) => [...(index === 0 ? [] : [`','`]), csvCell(choice, shape)]),
    'char(13, 10)',
  ]);
  return `CASE r.risk WHEN 0 THEN ${fast} ELSE ${careful} END`;
}

/** NDJSON: the object and its line end. A JSON array: a comma, a line end, the object. */
function jsonRow(shape: Shape): string {
  const isArray = shape.format === 'json';
  return formatted(
    shape.choices.map((choice) => jsonPiece(choice, shape)),
    (index) => `${index > 0 ? ',' : isArray ? ',\n{' : '{'}${JSON.stringify(shape.choices[index]!.id)}:`,
    isArray ? '}' : '}\n',
  );
}

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
 * JavaScript), and, where `each` is given, the bytes of each row as text and the lists of these values. Parameters
 * @from, @to.
 */
export function chunkSql(
  source: ChunkSource,
  shape: Shape,
  each: readonly SortValue[] | null = null,
): string {
  const line =
    shape.format === 'csv' ? csvRow(shape) : shape.format === 'xlsx' ? cellsRow(shape) : jsonRow(shape);
  const { clock } = shape;
  const odd = [
    shape.marked ? 'r.odd IS NOT NULL' : '1',
    ...(clock === null || shape.format === 'xlsx'
      ? []
      : shape.choices.filter(isDate).map(({ column }) => offClock(`r.${column!.sql}`, clock))),
  ].join(' OR ');
  const values = each ?? [];
  const lists = values.map((value, at) => listSql(`each${at}`, value));
  const outer = [
    `CAST(group_concat(line, '') AS BLOB)`,
    'sum(odd)',
    ...(each === null ? [] : [`group_concat(octet_length(line), ',')`, ...lists]),
  ];
  const inner = [`${line} AS line`, `(${odd}) AS odd`, ...values.map(({ sql }, at) => `${sql} AS each${at}`)];
  // LIMIT keeps SQLite from merging the two SELECTs, which would build each line once for every use of it.
  return `SELECT ${outer.join(', ')}
    FROM (SELECT ${inner.join(', ')} ${source.from}${each === null ? '' : ' LIMIT -1'})`;
}
