/** The tables of result sets: records and rows, and the statements that create, change and drop them. */
import { createHash, randomUUID } from 'node:crypto';
import type { RunPayload } from '#shared/api/catalogue/queries.ts';
import type { Comparison, ResultColumn, ResultSet } from '#shared/bridge/operations.ts';
import { canonicalJson } from '#shared/model/canonical-json.ts';
import type { Cursor, Row } from '#shared/model/entities.ts';
import { parseExact } from '#shared/model/exact-numbers.ts';
import type { Coverage } from '../kernel/context.ts';
import type { Database, SqlValue, Statement } from '../store/database.ts';
import type { PageScan } from '../store/tasks.ts';
import { declarations, type StoredColumn, storedColumns, storedForm } from './columns.ts';
import { createEncoder, LEAD, withLong } from './encode.ts';
import { isAtLeast, knownTotal, reasonOf } from './reason.ts';

/** Whether the rows are loaded in the search thread, identified by table number and count. */
interface Warm {
  ready: string | null;
  making: { name: string; over: boolean; done: Promise<void> } | null;
}

/** The current state of a result set. One object per set; `save` statements store its changes. */
export interface SetRecord {
  /** Number of the table rs_n with its rows; each generation of them has another one (leases.ts). */
  n: number;
  readonly id: string;
  readonly key: string;
  /** Identifies the question, regardless of columns and order. */
  readonly queryKey: string;
  readonly connectionId: string;
  readonly payload: RunPayload;
  columns: readonly StoredColumn[];
  /** The service's cursor of the next page; the first page needs none, and none follows the last. */
  cursor: Cursor | null;
  cursorAt: number | null;
  /** The scan started again after its cursor had expired: rows are matched by id until it ends. */
  matching: boolean;
  total: number;
  loaded: number;
  /** Rows to fetch without being asked again, or null for all. */
  target: number | null;
  state: ResultSet['state'];
  /** Why it is not being fetched, with the message of the service or the disk if there is one. */
  stop: ResultSet['stop'];
  detail: string | null;
  /** The first total announced by the current scan, and how often it changed since. */
  firstTotal: number | null;
  shifts: number;
  /** Scans that reached the service's end without proving complete. */
  scans: number;
  resumed: number;
  withoutId: number;
  readonly startedAt: number;
  fetchedAt: number;
  usedAt: number;
  /** Sequence numbers of its creation and its last use among all sets. */
  readonly born: number;
  turn: number;
  supersededAt: number | null;
  pinned: boolean;
  /** Estimated size on disk. */
  bytes: number;
  /** Characters of the widest row. */
  widest: number;
  label: string | null;
  /** Rows per request, or null for the default. */
  pageSize: number | null;
  appeared: number;
  vanished: number;
  duplicates: number;
  /** Set for a comparison of two runs, or null for rows of the service. */
  readonly origin: Comparison | null;
  /** The service must not be asked before this time, epoch milliseconds. Not stored. */
  waitingUntil: number | null;
  /** Why it waits, or null if it does not, or the reason is unknown. */
  waitingFor: string | null;
  /** Shared with its leases; not stored. */
  readonly warm: Warm;
  /** Coverage of the connection's data when the latest scan started, or null if unknown. Not stored. */
  coverage: Coverage | null;
  /** Monotonic times of the fetch and of the cursor, unknown after a restart, as they are not stored. */
  fetchedTick: number | null;
  cursorTick: number | null;
  /** The repeated scan, while `matching`. Not stored: a scan ends with its process. */
  pageScan: PageScan | null;
}

const hashOf = (value: unknown): string => createHash('sha256').update(canonicalJson(value)).digest('hex');

/** Identifies connection and question, regardless of columns and order. */
function queryKeyOf(connectionId: string, payload: RunPayload): string {
  const { columns: _, sort_by: __, ...question } = payload;
  return hashOf([connectionId, question]);
}

/** Identifies connection, question and columns, whatever the order of the payload's fields. */
export const keyOf = (connectionId: string, payload: RunPayload, columns: readonly ResultColumn[]): string =>
  hashOf([connectionId, payload, columns]);

export function newRecord(request: {
  n: number;
  key: string;
  connectionId: string;
  payload: RunPayload;
  columns: readonly ResultColumn[];
  /** Epoch milliseconds. */
  now: number;
  label?: string | null;
  origin?: Comparison;
  coverage?: Coverage;
}): SetRecord {
  const {
    n,
    key,
    connectionId,
    payload,
    columns,
    now,
    label = null,
    origin = null,
    coverage = null,
  } = request;
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
    label,
    pageSize: null,
    appeared: 0,
    vanished: 0,
    duplicates: 0,
    origin,
    waitingUntil: null,
    waitingFor: null,
    warm: { ready: null, making: null },
    coverage,
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
  waitingFor: record.waitingFor,
  comparison: record.origin,
});

/** Statements that create a set's record and tables. */
export function createStatements(record: SetRecord): Statement[] {
  const { n } = record;
  return [
    {
      sql: `INSERT INTO result_sets (n, id, key, connection_id, payload, columns, total, target, state, started_at,
        fetched_at, used_at, born, turn, label, origin) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      params: [
        n,
        record.id,
        record.key,
        record.connectionId,
        JSON.stringify(record.payload),
        storedForm(record.columns),
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

/** Mutable fields of a record, and their columns. */
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
  columns: 'columns',
} as const satisfies Partial<Record<keyof SetRecord, string>>;
type Stored = keyof typeof COLUMNS;
const STORED = Object.keys(COLUMNS) as Stored[];

export type SetChange = Partial<Pick<SetRecord, Stored>>;

const cellOf = (what: SetChange, key: Stored): SqlValue => {
  if (key === 'cursor') return what.cursor == null ? null : JSON.stringify(what.cursor);
  if (key === 'columns') return what.columns === undefined ? null : storedForm(what.columns);
  const value = what[key] ?? null;
  return typeof value === 'boolean' ? Number(value) : value;
};

/** A row of result_sets. */
type SetRow = Readonly<Record<(typeof COLUMNS)[Stored], SqlValue>> &
  Readonly<Record<'id' | 'key' | 'connection_id' | 'payload' | 'columns', string>> &
  Readonly<{ n: number; born: number; started_at: number; cursor: string | null; origin: string | null }>;

function fromRow(row: SetRow): SetRecord {
  const { n, key, connection_id: connectionId, started_at: now } = row;
  const payload = JSON.parse(row.payload) as RunPayload;
  const record = newRecord({
    ...{ n, key, connectionId, payload, now },
    columns: JSON.parse(row.columns) as ResultColumn[],
  });
  return {
    ...record,
    ...Object.fromEntries(STORED.map((key) => [key, row[COLUMNS[key]]])),
    id: row.id,
    born: row.born,
    columns: record.columns,
    cursor: row.cursor === null ? null : (parseExact(row.cursor) as Cursor),
    matching: row.matching === 1,
    pinned: row.pinned === 1,
    origin: row.origin === null ? null : (JSON.parse(row.origin) as Comparison),
  };
}

export const readRecords = async (db: Database): Promise<SetRecord[]> =>
  (await db.all<SetRow>('SELECT * FROM result_sets ORDER BY n')).map(fromRow);

/** Stores the given changes of a record and nothing else, since the rest may change concurrently. */
export function saveStatement(record: SetRecord, what: SetChange = record): Statement {
  const keys = STORED.filter((key) => key in what);
  return {
    sql: `UPDATE result_sets SET ${keys.map((key) => `${COLUMNS[key]} = ?`).join(', ')} WHERE id = ?`,
    params: [...keys.map((key) => cellOf(what, key)), record.id],
  };
}

/**
 * Statements that append locally computed rows, and the resulting changes of the record. Pages of a service go through
 * ingest.ts.
 */
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
      columns: withLong(record.columns, encoded),
    },
  };
}

/** Statements that remove sets with their rows and sort indexes. */
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
      { sql: 'DELETE FROM result_sets WHERE n = ?', params: [n] },
    ]),
  ];
}

/**
 * Statements that remove every table of rows, sort index and record that no set of `inUse` refers to. Without `inUse`:
 * those that no record refers to, left when Parapet ended before their last lease did.
 */
export async function orphanStatements(db: Database, inUse?: ReadonlySet<number>): Promise<Statement[]> {
  const records = await db.all<{ n: number }>('SELECT n FROM result_sets');
  const indexes = await db.all<{ n: number; setN: number }>('SELECT n, set_n AS setN FROM result_views');
  const tables = await db.all<{ name: string }>(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'r[sv]_[0-9]*'",
  );
  const sets = inUse ?? new Set(records.map(({ n }) => n));
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

/** The index for matching and looking up by entity id; created once, off the hot path of a fetch. */
export const indexStatement = (record: SetRecord): Statement => ({
  sql: `CREATE INDEX IF NOT EXISTS rs_${record.n}_id ON rs_${record.n} (entity_id)`,
});
