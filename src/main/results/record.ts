/** The tables of result sets: their records, their rows, how they come and go. */
import { createHash, randomUUID } from 'node:crypto';
import type { ExecutePayload } from '#shared/api/catalogue/queries.ts';
import type { Comparison, ResultColumn, ResultSet } from '#shared/bridge/operations.ts';
import { canonicalJson } from '#shared/model/canonical-json.ts';
import type { Cursor, Row } from '#shared/model/entities.ts';
import { parseExact } from '#shared/model/exact-numbers.ts';
import type { Coverage } from '../kernel/context.ts';
import type { Database, SqlValue, Statement } from '../store/database.ts';
import type { PageScan } from '../store/tasks.ts';
import { declarations, type StoredColumn, storedColumns } from './columns.ts';
import { createEncoder, LEAD, MARKS } from './encode.ts';
import { isAtLeast, knownTotal, reasonOf } from './reason.ts';

/** What a run asks for: the payload without its paging. */
export type RunPayload = Omit<ExecutePayload, 'search_after' | 'size' | 'count_only'>;

/** Whether the search thread has the rows in memory, by a name of their state: table number and count. */
interface Warm {
  ready: string | null;
  making: { name: string; over: boolean; done: Promise<void> } | null;
}

/** A result set as it stands. One object per set in memory; `save` statements follow its changes. */
export interface SetRecord {
  /** The table rs_n has its rows: another one for each generation of them (leases.ts). */
  n: number;
  readonly id: string;
  readonly key: string;
  /** One key per question, whatever its columns and order. */
  readonly queryKey: string;
  readonly connectionId: string;
  readonly payload: RunPayload;
  readonly columns: readonly StoredColumn[];
  /** The service's cursor of the next page; null: at the beginning, or at the end. */
  cursor: Cursor | null;
  cursorAt: number | null;
  /** The run began anew after its cursor lapsed: rows are matched by id until it ends. */
  matching: boolean;
  total: number;
  loaded: number;
  /** Rows to fetch without being asked again; null: all. */
  target: number | null;
  state: ResultSet['state'];
  /** Why it is not being fetched, with the message of the service or the disk where there is one. */
  stop: ResultSet['stop'];
  detail: string | null;
  /** What the scan under way announced first, null: nothing yet; and how often that changed since. */
  firstTotal: number | null;
  shifts: number;
  /** Scans that came to the service's end and did not prove to be whole. */
  scans: number;
  resumed: number;
  withoutId: number;
  readonly startedAt: number;
  fetchedAt: number;
  usedAt: number;
  /** Its number among the sets begun, and among those used: the higher, the later. */
  readonly born: number;
  turn: number;
  supersededAt: number | null;
  pinned: boolean;
  /** Estimate of what the set takes on disk. */
  bytes: number;
  /** Characters of the widest row. */
  widest: number;
  label: string | null;
  /** Rows per request; null: as the fetch sees fit. */
  pageSize: number | null;
  appeared: number;
  vanished: number;
  duplicates: number;
  /** The rows are the differences of two runs; null: they are of the service. */
  readonly origin: Comparison | null;
  /** Until when the service is left alone, epoch milliseconds. Not stored. */
  waitingUntil: number | null;
  /** Shared with its leases; not stored. */
  readonly warm: Warm;
  /** Coverage of the connection's data when the latest scan began; null: not known. Not stored. */
  coverage: Coverage | null;
  /** When it was fetched, and got its cursor, in ticks of the monotonic clock; null: in an earlier run of Parapet. Not stored. */
  fetchedTick: number | null;
  cursorTick: number | null;
  /** The scan that began anew, while `matching`. Not stored: a scan ends with its process. */
  pageScan: PageScan | null;
}

const hashOf = (value: unknown): string => createHash('sha256').update(canonicalJson(value)).digest('hex');

/** One key per connection and question; columns and order may differ. */
function queryKeyOf(connectionId: string, payload: RunPayload): string {
  const { columns: _, sort_by: __, ...question } = payload;
  return hashOf([connectionId, question]);
}

/** One key per connection, question and columns, whatever the order of the payload's fields. */
export const keyOf = (connectionId: string, payload: RunPayload, columns: readonly ResultColumn[]): string =>
  hashOf([connectionId, payload, columns]);

export function newRecord(
  n: number,
  key: string,
  connectionId: string,
  payload: RunPayload,
  columns: readonly ResultColumn[],
  now: number,
  more: { label?: string | null; origin?: Comparison; coverage?: Coverage } = {},
): SetRecord {
  return {
    n,
    id: randomUUID(),
    key,
    queryKey: queryKeyOf(connectionId, payload),
    connectionId,
    payload,
    columns: storedColumns(columns),
    cursor: null,
    cursorAt: null,
    matching: false,
    total: 0,
    loaded: 0,
    target: null,
    state: 'filling',
    stop: null,
    detail: null,
    firstTotal: null,
    shifts: 0,
    scans: 0,
    born: n,
    turn: 0,
    resumed: 0,
    withoutId: 0,
    startedAt: now,
    fetchedAt: now,
    usedAt: now,
    supersededAt: null,
    pinned: false,
    bytes: 0,
    widest: 0,
    label: more.label ?? null,
    pageSize: null,
    appeared: 0,
    vanished: 0,
    duplicates: 0,
    origin: more.origin ?? null,
    waitingUntil: null,
    warm: { ready: null, making: null },
    coverage: more.coverage ?? null,
    fetchedTick: null,
    cursorTick: null,
    pageScan: null,
  };
}

const plainColumns = (columns: readonly StoredColumn[]): ResultColumn[] =>
  columns.map(({ id, label, type, multiValues }) => ({ id, label, type, multiValues }));

/** The set as the bridge shows it. */
export const describeSet = (
  record: SetRecord,
  source: ResultSet['freshness']['source'],
  offline: boolean,
  rate: number | null,
): ResultSet => ({
  id: record.id,
  connectionId: record.connectionId,
  columns: plainColumns(record.columns),
  sort: [...record.payload.sort_by],
  total: knownTotal(record),
  atLeast: isAtLeast(record),
  loaded: record.loaded,
  state: record.state,
  stop: record.stop,
  reason: reasonOf(record),
  startedAt: record.startedAt,
  freshness: { fetchedAt: record.fetchedAt, source, offline },
  resumed: record.resumed,
  scans: record.scans,
  queryKey: record.queryKey,
  label: record.label,
  pinned: record.pinned,
  pageSize: record.pageSize,
  rate: record.state === 'filling' ? rate : null,
  secondsLeft:
    record.state === 'filling' && rate !== null && rate > 0 && !isAtLeast(record)
      ? Math.max(0, (record.total - record.loaded) / rate)
      : null,
  appeared: record.appeared,
  vanished: record.vanished,
  duplicates: record.duplicates,
  waitingUntil: record.waitingUntil,
  comparison: record.origin,
});

/** Statements that make a set's record and tables. */
export function createStatements(record: SetRecord): Statement[] {
  const { n } = record;
  return [
    {
      sql: `INSERT INTO result_sets (n, id, key, connection_id, payload, columns, total, target, state, started_at,
        fetched_at, used_at, born, turn, label, origin, marks) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ${MARKS})`,
      params: [
        n,
        record.id,
        record.key,
        record.connectionId,
        JSON.stringify(record.payload),
        JSON.stringify(plainColumns(record.columns)),
        record.total,
        record.target,
        record.state,
        record.startedAt,
        record.fetchedAt,
        record.usedAt,
        record.born,
        record.turn,
        record.label,
        record.origin === null ? null : JSON.stringify(record.origin),
      ],
    },
    {
      sql: `CREATE TABLE rs_${n} (pos INTEGER PRIMARY KEY, entity_id TEXT, risk INTEGER NOT NULL, odd TEXT, extra TEXT${declarations(record.columns)})`,
    },
  ];
}

/** What of a record changes, and its column. */
const COLUMNS = {
  n: 'n',
  cursor: 'cursor',
  cursorAt: 'cursor_at',
  matching: 'matching',
  total: 'total',
  loaded: 'loaded',
  target: 'target',
  state: 'state',
  stop: 'stop',
  detail: 'detail',
  firstTotal: 'first_total',
  shifts: 'shifts',
  scans: 'scans',
  resumed: 'resumed',
  withoutId: 'without_id',
  fetchedAt: 'fetched_at',
  usedAt: 'used_at',
  turn: 'turn',
  supersededAt: 'superseded_at',
  pinned: 'pinned',
  bytes: 'bytes',
  widest: 'widest',
  label: 'label',
  pageSize: 'page_size',
  appeared: 'appeared',
  vanished: 'vanished',
  duplicates: 'duplicates',
} as const satisfies Partial<Record<keyof SetRecord, string>>;
type Stored = keyof typeof COLUMNS;
const STORED = Object.keys(COLUMNS) as Stored[];

export type SetChange = Partial<Pick<SetRecord, Stored>>;

const cellOf = (what: SetChange, key: Stored): SqlValue => {
  if (key === 'cursor') return what.cursor == null ? null : JSON.stringify(what.cursor);
  const value = what[key] ?? null;
  return typeof value === 'boolean' ? Number(value) : value;
};

/** A row of result_sets. */
type SetRow = Readonly<Record<(typeof COLUMNS)[Stored], SqlValue>> &
  Readonly<Record<'id' | 'key' | 'connection_id' | 'payload' | 'columns', string>> &
  Readonly<{ n: number; born: number; started_at: number; cursor: string | null; origin: string | null }>;

function fromRow(row: SetRow): SetRecord {
  const payload = JSON.parse(row.payload) as RunPayload;
  const columns = JSON.parse(row.columns) as ResultColumn[];
  return {
    ...newRecord(row.n, row.key, row.connection_id, payload, columns, row.started_at),
    ...Object.fromEntries(STORED.map((key) => [key, row[COLUMNS[key]]])),
    id: row.id,
    born: row.born,
    cursor: row.cursor === null ? null : (parseExact(row.cursor) as Cursor),
    matching: row.matching === 1,
    pinned: row.pinned === 1,
    origin: row.origin === null ? null : (JSON.parse(row.origin) as Comparison),
  };
}

export const readRecords = async (db: Database): Promise<SetRecord[]> =>
  (await db.all<SetRow>('SELECT * FROM result_sets ORDER BY n')).map(fromRow);

/** The statement that stores what changed of a record, and nothing else: the rest may be changing meanwhile. */
export function saveStatement(record: SetRecord, what: SetChange = record): Statement {
  const keys = STORED.filter((key) => key in what);
  return {
    sql: `UPDATE result_sets SET ${keys.map((key) => `${COLUMNS[key]} = ?`).join(', ')} WHERE id = ?`,
    params: [...keys.map((key) => cellOf(what, key)), record.id],
  };
}

/** Statements that append rows computed here, and what they change of the record. Pages of a service go through ingest.ts. */
export function append(
  record: SetRecord,
  rows: readonly Row[],
): { statements: Statement[]; change: SetChange } {
  if (rows.length === 0) return { statements: [], change: {} };
  const encoded = rows.map(createEncoder(record.columns));
  const names = ['pos', ...LEAD, ...record.columns.map((column) => column.sql)];
  return {
    statements: [
      {
        sql: `INSERT INTO rs_${record.n} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
        many: encoded.map(({ values }, index) => [record.loaded + index, ...values]),
      },
    ],
    change: {
      loaded: record.loaded + rows.length,
      withoutId: record.withoutId + encoded.filter(({ id }) => id === null).length,
      bytes: record.bytes + encoded.reduce((sum, { width }) => sum + width, 0),
      widest: Math.max(record.widest, ...encoded.map(({ width }) => width)),
    },
  };
}

/** Statements that remove sets with their rows, and sort indexes. */
export function dropStatements(
  records: readonly Pick<SetRecord, 'n'>[],
  sortIndexes: readonly number[],
): Statement[] {
  return [
    ...sortIndexes.flatMap((n): Statement[] => [
      { sql: `DROP TABLE IF EXISTS rv_${n}` },
      { sql: 'DELETE FROM result_views WHERE n = ?', params: [n] },
    ]),
    ...records.flatMap(({ n }): Statement[] => [
      { sql: `DROP TABLE IF EXISTS rs_${n}` },
      { sql: `DROP TABLE IF EXISTS rh_${n}` },
      { sql: 'DELETE FROM result_sets WHERE n = ?', params: [n] },
    ]),
  ];
}

/**
 * Statements that remove what no set of `kept` names: tables of rows and sort indexes, whoever made them, and records.
 * Without `kept`, what no record names: Parapet ended before the last who read it did.
 */
export async function orphanStatements(db: Database, kept?: ReadonlySet<number>): Promise<Statement[]> {
  const records = await db.all<{ n: number }>('SELECT n FROM result_sets');
  const indexes = await db.all<{ n: number; setN: number }>('SELECT n, set_n AS setN FROM result_views');
  const tables = await db.all<{ name: string }>(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'r[svh]_[0-9]*'",
  );
  const sets = kept ?? new Set(records.map(({ n }) => n));
  const sorted = new Set(indexes.filter(({ setN }) => sets.has(setN)).map(({ n }) => n));
  return [
    ...tables
      .filter(({ name }) => !(name.startsWith('rv_') ? sorted : sets).has(Number(/\d+/.exec(name)?.[0])))
      .map(({ name }): Statement => ({ sql: `DROP TABLE IF EXISTS ${name}` })),
    ...dropStatements(
      records.filter(({ n }) => !sets.has(n)),
      indexes.filter(({ n }) => !sorted.has(n)).map(({ n }) => n),
    ),
  ];
}

/** The index that matching and looking up by entity id need; made once, off the hot path of a fetch. */
export const indexStatement = (record: SetRecord): Statement => ({
  sql: `CREATE INDEX IF NOT EXISTS rs_${record.n}_id ON rs_${record.n} (entity_id)`,
});
