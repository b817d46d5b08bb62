/**
 * Statements that make SQLite render a whole range of rows as one BLOB (measured: several times faster than building
 * rows in JavaScript). `odd` counts the rows of a range with exact overrides, cells that SQL cannot reproduce exactly;
 * the writer thread renders a range that has any with cells.ts.
 */
import type { ExportFormat } from '#shared/bridge/operations/exports.ts';
import type { CellWords } from '#shared/model/cell-text.ts';
import { jsonText } from '#shared/model/json-text.ts';
import { shownSql } from '../results/column-sql.ts';
import type { StoredColumn } from '../results/columns.ts';
import { RISK_BITS } from '../results/encode.ts';
import { NEUTRALISE, WORDS } from '../store/functions.ts';
import { listSql, type SortValue } from './sort/key-order.ts';
import { offsetText, type Span } from './zone.ts';

/** A chosen column; `index` is its position in the set, or -1 for the entity id. */
export interface Choice {
  id: string;
  label: string;
  index: number;
  column: StoredColumn | null;
  /**
   * Some text may contain characters that CSV or JSON escapes; for list columns, some list may hold more than plain
   * texts.
   */
  escapes: boolean;
  /** Some value may be missing. */
  gaps: boolean;
  /** Words for its values, instead of identifiers of tools and apps. */
  words?: CellWords;
}

export interface ChunkSource {
  /** FROM clause with the rows as `r`, and a WHERE over @from and @to (exclusive). */
  from: string;
}

/** The rows of set n in order of arrival. */
export const inSetOrder = (n: number): ChunkSource => ({
  from: `FROM rs_${n} r WHERE r.pos >= @from AND r.pos < @to`,
});

/** The rows of set n in the order of a sort index. */
export const inSortOrder = (n: number, sortIndex: number): ChunkSource => ({
  from: `FROM rv_${sortIndex} v CROSS JOIN rs_${n} r ON r.pos = v.pos WHERE v.rank > @from AND v.rank <= @to`,
});

export interface Shape {
  format: ExportFormat;
  choices: readonly Choice[];
  raw: boolean;
  /** UTC offsets of the chosen time zone, or null if instants are written in UTC, as stored. */
  clock: { spans: readonly Span[]; until: number } | null;
}

const text = (literal: string): string => `'${literal.replaceAll("'", "''")}'`;

/** SQLite limits a call to 1,000 arguments and an expression to 1,000 levels; concat() skips NULL. */
function concat(parts: readonly string[]): string {
  if (parts.length <= ARGUMENTS) return `concat(${parts.join(', ')})`;
  const groups: string[] = [];
  for (let position = 0; position < parts.length; position += ARGUMENTS)
    groups.push(`concat(${parts.slice(position, position + ARGUMENTS).join(', ')})`);
  return concat(groups);
}
const ARGUMENTS = 400;

const iso = (instant: number) => new Date(instant).toISOString().slice(0, 19);

/**
 * An instant in the chosen time zone, as RFC 3339 with milliseconds and offset; any other text unchanged. Newest spans
 * first, since most rows are recent.
 */
function localTime(cell: string, { spans }: NonNullable<Shape['clock']>): string {
  const local = (minutes: number) =>
    `coalesce(strftime('%Y-%m-%dT%H:%M:%f', ${cell}, '${minutes < 0 ? '-' : '+'}${Math.abs(minutes)} minutes') || '${offsetText(minutes)}', ${cell})`;
  const [first, ...later] = spans;
  const cases = later
    .toReversed()
    .map(({ from, minutes }) => `WHEN ${cell} >= '${iso(from)}' THEN ${local(minutes)}`);
  return `CASE WHEN ${cell} IS NULL THEN NULL ${cases.join(' ')} ELSE ${local(first?.minutes ?? 0)} END`;
}

/**
 * True for an instant that `onClock` would write differently from the exact form: not to the second or millisecond, or
 * outside the known spans.
 */
const needsExactTime = (cell: string, { until }: NonNullable<Shape['clock']>): string =>
  `(${cell} IS NOT NULL AND (octet_length(${cell}) NOT IN (20, 24) OR ${cell} < '1970' OR ${cell} >= '${iso(until)}'))`;

const isDate = (choice: Choice) => choice.column?.storage === 'date';

const labelled = (cell: string, { words }: Choice, form: 'text' | 'json' | 'items'): string =>
  words === undefined ? cell : `${WORDS}(${cell}, ${text(JSON.stringify(words))}, '${form}')`;

/** A stored cell, with labels in place of identifiers. */
function storedCell(choice: Choice): string {
  const { column } = choice;
  if (column === null) return 'r.entity_id';
  const cell = `r.${column.sql}`;
  return column.storage === 'json'
    ? labelled(cell, choice, 'json')
    : labelled(shownSql(column.long, cell), choice, 'text');
}

/** A cell as text; NULL when it is empty. Not for lists. */
function shownCell(choice: Choice, shape: Shape): string {
  const cell = storedCell(choice);
  return isDate(choice) && shape.clock !== null ? localTime(cell, shape.clock) : cell;
}

/**
 * A list of scalars is joined, anything nested stays JSON, an empty list is NULL. Most lists hold texts without escapes
 * and need no JSON parser.
 */
function listText(choice: Choice): string {
  const cell = `r.${choice.column?.sql}`;
  if (choice.words !== undefined) return labelled(cell, choice, 'items');
  const inner = `replace(substr(${cell}, 3, length(${cell}) - 4), '","', '; ')`;
  return `CASE WHEN ${cell} IS NULL OR ${cell} = '[]' THEN NULL
    WHEN substr(${cell}, 1, 1) = '{' OR substr(${cell}, 1, 2) IN ('[{', '[[') THEN ${cell}
    WHEN ${cell} GLOB '[[]"*"]' AND instr(${cell}, '\\') = 0 AND instr(${inner}, '"') = 0 THEN ${inner}
    ELSE (SELECT group_concat(value, '; ') FROM json_each(${cell})) END`;
}

const quoted = (sql: string) => `'"' || replace(${sql}, '"', '""') || '"'`;

/** One CSV field of any value. */
function csvCell(choice: Choice, shape: Shape): string {
  const { column, index } = choice;
  const cell = shownCell(choice, shape);
  // The neutralising function is called only for cells whose bit in the formula-risk mask was set when they were
  // stored.
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
      return quoted(safe(`(${listText(choice)})`));
    case 'any':
      return `CASE typeof(${cell}) WHEN 'text' THEN ${quoted(safe(cell))} ELSE ${cell} END`;
    default:
      return quoted(safe(cell));
  }
}

/** A piece of a format string, and its argument. */
interface Piece {
  code: string;
  arg: string;
}

const BOOLEAN = (cell: string, gaps: boolean, missing: string): string =>
  gaps
    ? `CASE ${cell} WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE ${missing} END`
    : `iif(${cell}, 'true', 'false')`;

/** A field of a row without formula-risk cells; what the column's facts rule out is not checked again. */
function csvPiece(choice: Choice, shape: Shape): Piece {
  const { column, escapes, gaps } = choice;
  const cell = shownCell(choice, shape);
  switch (column?.storage) {
    case 'number':
      return { code: '%s', arg: cell };
    case 'boolean':
      return { code: '%s', arg: BOOLEAN(cell, gaps, 'NULL') };
    case 'json':
      // The quotes of the first and last item become those of the field. Most lists are empty.
      if (!escapes)
        return {
          code: '%s',
          arg: `CASE ${cell} WHEN '[]' THEN '' ELSE replace(trim(${cell}, '[]'), '","', '; ') END`,
        };
      break;
    default:
      // `%w` doubles double quotes and is faster than replace().
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
/** Escapes text for use in a format string. */
const literal = (words: string): string => words.replaceAll('%', '%%');

/**
 * A row as one call of format(), the fastest way to join cells. `before` is the literal in front of each cell, `end`
 * follows the last.
 */
function formatted(pieces: readonly Piece[], before: (index: number) => string, end: string): string {
  const formats: string[] = [];
  for (let position = 0; position < pieces.length; position += FORMAT_COLUMNS) {
    const part = pieces.slice(position, position + FORMAT_COLUMNS);
    const codes = part.map(({ code }, index) => literal(before(position + index)) + code).join('');
    const last = position + FORMAT_COLUMNS >= pieces.length ? literal(end) : '';
    formats.push(`format(${[text(codes + last), ...part.map(({ arg }) => arg)].join(', ')})`);
  }
  const [only, ...others] = formats;
  return only !== undefined && others.length === 0 ? only : concat(formats);
}

function csvRow(shape: Shape): string {
  const { choices, raw } = shape;
  // In the only column a missing value is quoted, as csvLine does.
  const field = (sql: string) => (choices.length === 1 ? `coalesce(nullif(${sql}, ''), '""')` : sql);
  const fast = formatted(
    choices.map((choice) => {
      const { code, arg } = csvPiece(choice, shape);
      return { code, arg: code === '%s' ? field(arg) : arg };
    }),
    (index) => (index === 0 ? '' : ','),
    '\r\n',
  );
  if (raw) return fast;
  const careful = concat([
    ...choices.flatMap((choice, index) => [...(index === 0 ? [] : [`','`]), field(csvCell(choice, shape))]),
    'char(13, 10)',
  ]);
  return `CASE r.risk WHEN 0 THEN ${fast} ELSE ${careful} END`;
}

/** NDJSON: the object and a line feed. JSON array: a comma, a line feed, the object. */
function jsonRow(shape: Shape): string {
  const isArray = shape.format === 'json';
  const names = shape.choices.map(({ id }) => jsonText(id));
  return formatted(
    shape.choices.map((choice) => jsonPiece(choice, shape)),
    (index) => `${index > 0 ? ',' : isArray ? ',\n{' : '{'}${names[index]}:`,
    isArray ? '}' : '}\n',
  );
}

/** The cells of a row as text, each ended by NUL, which no cell here can contain; xlsx-rows.ts turns them into XML. */
const cellsRow = (shape: Shape): string =>
  concat(
    shape.choices.flatMap((choice) => {
      const { column } = choice;
      const cell = storedCell(choice);
      if (column?.storage === 'json') return [listText(choice), 'char(0)'];
      if (column?.storage === 'any')
        return [
          `CASE typeof(${cell}) WHEN 'null' THEN '' WHEN 'text' THEN 's' ELSE 'n' END`,
          cell,
          'char(0)',
        ];
      return [cell, 'char(0)'];
    }),
  );

const ROW: Readonly<Record<ExportFormat, (shape: Shape) => string>> = {
  csv: csvRow,
  ndjson: jsonRow,
  json: jsonRow,
  xlsx: cellsRow,
};

/**
 * SELECT of one row for the range @from, @to: chunk (BLOB with line ends; NULL when the range is empty), odd (number of
 * rows that JavaScript must render), and, where `each` is given, the byte length of each row as text and the list of
 * each sort value.
 */
export function chunkSql(
  source: ChunkSource,
  shape: Shape,
  each: readonly SortValue[] | null = null,
): string {
  const line = ROW[shape.format](shape);
  const { clock } = shape;
  const odd = [
    'r.odd IS NOT NULL',
    ...(clock === null || shape.format === 'xlsx'
      ? []
      : shape.choices.filter(isDate).map(({ column }) => needsExactTime(`r.${column!.sql}`, clock))),
  ].join(' OR ');
  const values = each ?? [];
  const lists = values.map((value, index) => listSql(`each${index}`, value));
  const outer = [
    `CAST(group_concat(line, '') AS BLOB)`,
    'sum(odd)',
    ...(each === null ? [] : [`group_concat(octet_length(line), ',')`, ...lists]),
  ];
  const inner = [
    `${line} AS line`,
    `(${odd}) AS odd`,
    ...values.map(({ sql }, index) => `${sql} AS each${index}`),
  ];
  // LIMIT keeps SQLite from flattening the subquery, which would build each line once for every use of it.
  return `SELECT ${outer.join(', ')}
    FROM (SELECT ${inner.join(', ')} ${source.from}${each === null ? '' : ' LIMIT -1'})`;
}
