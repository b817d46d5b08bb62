/** The tables of result sets: their records, their rows, how they come and go. */
import { createHash, randomUUID } from 'node:crypto';
import type { ExecutePayload } from '#shared/api/catalogue/queries.ts';
import type { Comparison, ResultColumn, ResultSet } from '#shared/bridge/operations.ts';
import type { Cursor, Row } from '#shared/model/entities.ts';
import type { Coverage } from '../core/context.ts';
import type { Database, Statement } from '../store/database.ts';
import type { Walk } from '../store/tasks.ts';
import { declarations, type StoredColumn, storedColumns } from './columns.ts';
import { createEncoder, LEAD, MARKS } from './encode.ts';

/** What a run asks for: the payload without its paging. */
export type RunPayload = Omit<ExecutePayload, 'search_after' | 'size' | 'count_only'>;

/** Rows as words and columns in memory, by the name of what lies in the table: its number and how many. */
export interface Warm {
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
  /** Where the service goes on; null: at the beginning, or at the end. */
  cursor: Cursor | null;
  cursorAt: number | null;
  /** The run began anew after its cursor lapsed: rows are matched by id until it ends. */
  matching: boolean;
  total: number;
  loaded: number;
  /** Rows to fetch without being asked again; null: all. */
  target: number | null;
  state: ResultSet['state'];
  reason: string | null;
  resumed: number;
  withoutId: number;
  readonly startedAt: number;
  fetchedAt: number;
  usedAt: number;
  supersededAt: number | null;
  pinned: boolean;
  /** Estimate of what the set takes on disk. */
  bytes: number;
  /** Characters of the widest row. */
  widest: number;
  label: string | null;
  /** Rows to ask for at once; null: as the fill sees fit. */
  pageSize: number | null;
  appeared: number;
  vanished: number;
  duplicates: number;
  /** The rows are the differences of two runs; null: they are of the service. */
  readonly origin: Comparison | null;
  /** Until when the service is left alone, epoch milliseconds. Not stored. */
  waitingUntil: number | null;
  /** What of its rows the search thread was asked to keep in memory, and has. Shared with its leases; not stored. */
  readonly warm: Warm;
  /** What was said of the connection's data when the walk under way, or the last one, began. null: not known. Not stored. */
  coverage: Coverage | null;
  /** The walk that began anew, while `matching`. Not stored: a walk ends with its process. */
  walk: Walk | null;
}

interface SetRow {
  n: number;
  id: string;
  key: string;
  connection_id: string;
  payload: string;
  columns: string;
  cursor: string | null;
  cursor_at: number | null;
  matching: number;
  total: number;
  loaded: number;
  target: number | null;
  state: ResultSet['state'];
  reason: string | null;
  resumed: number;
  without_id: number;
  started_at: number;
  fetched_at: number;
  used_at: number;
  superseded_at: number | null;
  pinned: number;
  bytes: number;
  widest: number;
  label: string | null;
  page_size: number | null;
  appeared: number;
  vanished: number;
  duplicates: number;
  origin: string | null;
}

const hashOf = (value: unknown): string => {
  const canonical = JSON.stringify(value, (_, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
  return createHash('sha256').update(canonical).digest('hex');
};

/** One key per connection and question; columns and order may differ. */
export function queryKeyOf(connectionId: string, payload: RunPayload): string {
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
    reason: null,
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
    walk: null,
  };
}

const fromRow = (row: SetRow): SetRecord => ({
  n: row.n,
  id: row.id,
  key: row.key,
  queryKey: queryKeyOf(row.connection_id, JSON.parse(row.payload) as RunPayload),
  connectionId: row.connection_id,
  payload: JSON.parse(row.payload) as RunPayload,
  columns: storedColumns(JSON.parse(row.columns) as ResultColumn[]),
  cursor: row.cursor === null ? null : (JSON.parse(row.cursor) as Cursor),
  cursorAt: row.cursor_at,
  matching: row.matching === 1,
  total: row.total,
  loaded: row.loaded,
  target: row.target,
  state: row.state,
  reason: row.reason,
  resumed: row.resumed,
  withoutId: row.without_id,
  startedAt: row.started_at,
  fetchedAt: row.fetched_at,
  usedAt: row.used_at,
  supersededAt: row.superseded_at,
  pinned: row.pinned === 1,
  bytes: row.bytes,
  widest: row.widest,
  label: row.label,
  pageSize: row.page_size,
  appeared: row.appeared,
  vanished: row.vanished,
  duplicates: row.duplicates,
  origin: row.origin === null ? null : (JSON.parse(row.origin) as Comparison),
  waitingUntil: null,
  warm: { ready: null, making: null },
  coverage: null,
  walk: null,
});

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
  total: record.total,
  loaded: record.loaded,
  state: record.state,
  reason: record.reason,
  startedAt: record.startedAt,
  freshness: { fetchedAt: record.fetchedAt, source, offline },
  resumed: record.resumed,
  queryKey: record.queryKey,
  label: record.label,
  pinned: record.pinned,
  pageSize: record.pageSize,
  rate: record.state === 'filling' ? rate : null,
  secondsLeft:
    record.state === 'filling' && rate !== null && rate > 0
      ? Math.max(0, (record.total - record.loaded) / rate)
      : null,
  appeared: record.appeared,
  vanished: record.vanished,
  duplicates: record.duplicates,
  waitingUntil: record.waitingUntil,
  comparison: record.origin,
});

export const readRecords = async (db: Database): Promise<SetRecord[]> =>
  (await db.all<SetRow>('SELECT * FROM result_sets ORDER BY n')).map(fromRow);

/** Statements that make a set's record and tables. */
export function createStatements(record: SetRecord): Statement[] {
  const { n } = record;
  return [
    {
      sql: `INSERT INTO result_sets (n, id, key, connection_id, payload, columns, total, state, started_at, fetched_at,
        used_at, label, origin, marks) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ${MARKS})`,
      params: [
        n,
        record.id,
        record.key,
        record.connectionId,
        JSON.stringify(record.payload),
        JSON.stringify(plainColumns(record.columns)),
        record.total,
        record.state,
        record.startedAt,
        record.fetchedAt,
        record.usedAt,
        record.label,
        record.origin === null ? null : JSON.stringify(record.origin),
      ],
    },
    {
      sql: `CREATE TABLE rs_${n} (pos INTEGER PRIMARY KEY, entity_id TEXT, risk INTEGER NOT NULL, odd TEXT, extra TEXT${declarations(record.columns)})`,
    },
  ];
}

/** The statement that stores all of a record that changes. */
export const saveStatement = (record: SetRecord): Statement => ({
  sql: `UPDATE result_sets SET cursor = ?, cursor_at = ?, matching = ?, total = ?, loaded = ?, target = ?, state = ?,
    reason = ?, resumed = ?, without_id = ?, fetched_at = ?, used_at = ?, superseded_at = ?, pinned = ?, bytes = ?,
    widest = ?, label = ?, page_size = ?, appeared = ?, vanished = ?, duplicates = ? WHERE n = ? AND id = ?`,
  params: [
    record.cursor === null ? null : JSON.stringify(record.cursor),
    record.cursorAt,
    record.matching ? 1 : 0,
    record.total,
    record.loaded,
    record.target,
    record.state,
    record.reason,
    record.resumed,
    record.withoutId,
    record.fetchedAt,
    record.usedAt,
    record.supersededAt,
    record.pinned ? 1 : 0,
    record.bytes,
    record.widest,
    record.label,
    record.pageSize,
    record.appeared,
    record.vanished,
    record.duplicates,
    record.n,
    record.id,
  ],
});

export type SetChange = Partial<
  Pick<
    SetRecord,
    | 'n'
    | 'cursor'
    | 'cursorAt'
    | 'matching'
    | 'total'
    | 'loaded'
    | 'target'
    | 'state'
    | 'reason'
    | 'resumed'
    | 'withoutId'
    | 'bytes'
    | 'widest'
    | 'fetchedAt'
    | 'usedAt'
    | 'supersededAt'
    | 'appeared'
    | 'vanished'
    | 'duplicates'
  >
>;

/** Statements that append rows made here, and what they change of the record. Pages of a service go through ingest.ts. */
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

/** Statements that remove sets with their rows and orders. */
export function dropStatements(
  records: readonly Pick<SetRecord, 'n'>[],
  views: readonly number[],
): Statement[] {
  return [
    ...views.flatMap((n): Statement[] => [
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

/** Statements that remove rows which no set names any more: Parapet ended before the last who read them did. */
export async function orphanStatements(db: Database): Promise<Statement[]> {
  const tables = await db.all<{ n: number }>(
    `SELECT CAST(substr(name, 4) AS INTEGER) AS n FROM sqlite_schema
      WHERE type = 'table' AND name GLOB 'rs_[0-9]*' AND n NOT IN (SELECT n FROM result_sets)`,
  );
  return dropStatements(tables, []);
}

/** The index that matching and looking up by entity id need; made once, off the hot path of a fetch. */
export const indexStatement = (record: SetRecord): Statement => ({
  sql: `CREATE INDEX IF NOT EXISTS rs_${record.n}_id ON rs_${record.n} (entity_id)`,
});
