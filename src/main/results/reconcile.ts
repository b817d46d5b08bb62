/** The end of a run: removes duplicate and vanished rows, and compares the rest with the announced count. */
import type { Context } from '../kernel/context.ts';
import type { Database, ReadOptions, Statement } from '../store/database.ts';
import { LEAD } from './encode.ts';
import { cancellationProbe } from './local-query.ts';
import { createStatements, indexStatement, type SetRecord } from './record.ts';
import { change, standingOf } from './state.ts';

/** Scans to the service's end before reporting that its rows keep changing. */
export const MAX_SCANS = 3;
/** The limit when nothing hints at changes and a second scan may prove completeness. */
const PROVING_SCANS = 2;
/** Above this many rows a run is only scanned again on demand, since that takes minutes. */
const RESCAN_UP_TO = 100_000;

/** Indexes of the rows seen in a repeated scan. In the writer's memory, since a scan ends with its process anyway. */
const seenTable = (record: SetRecord): string => `temp.seen_${record.n}`;
export const beginScanStatements = (record: SetRecord): Statement[] => [
  { sql: `DROP TABLE IF EXISTS ${seenTable(record)}` },
  { sql: `CREATE TABLE ${seenTable(record)} (pos INTEGER PRIMARY KEY)` },
  indexStatement(record),
];
export const endScanStatements = (record: SetRecord): Statement[] => [
  { sql: `DROP TABLE IF EXISTS ${seenTable(record)}` },
];

/** SQL that is true for a row `r` that repeats an earlier one: by id, and with copies by every value. */
function isDuplicate(record: SetRecord): string {
  const same = record.payload.include_copies
    ? [...record.columns.map(({ sql }) => `e.${sql} IS r.${sql}`), 'e.odd IS r.odd', 'e.extra IS r.extra']
    : [];
  return `EXISTS (SELECT 1 FROM rs_${record.n} e WHERE ${['e.entity_id = r.entity_id', 'e.pos < r.pos', ...same].join(' AND ')})`;
}

/** Counts rows that repeat an earlier one. Needs the index on ids, and reads nothing else when there are none. */
export async function countDuplicates(
  db: Database,
  record: SetRecord,
  options: ReadOptions,
): Promise<number> {
  const repeated = await db.get<{ ids: number; rows: number }>(
    `SELECT count(*) AS ids, coalesce(sum(rows - 1), 0) AS rows FROM
      (SELECT count(*) AS rows FROM rs_${record.n} WHERE entity_id IS NOT NULL AND ${cancellationProbe('pos')} GROUP BY entity_id HAVING count(*) > 1)`,
    [],
    options,
  );
  if (!record.payload.include_copies || (repeated?.ids ?? 0) === 0) return repeated?.rows ?? 0;
  const row = await db.get<{ duplicates: number }>(
    `SELECT count(*) AS duplicates FROM rs_${record.n} r WHERE r.entity_id IN
      (SELECT entity_id FROM rs_${record.n} WHERE entity_id IS NOT NULL GROUP BY entity_id HAVING count(*) > 1)
      AND ${cancellationProbe('r.pos')} AND ${isDuplicate(record)}`,
    [],
    options,
  );
  return row?.duplicates ?? 0;
}

/** Statements that copy the rows of `condition`, in order and without gaps, to generation `next`. */
function keepStatements(record: SetRecord, next: number, condition: string): Statement[] {
  const { n } = record;
  const copy = { ...record, n: next };
  const cells = [...LEAD, ...record.columns.map((column) => column.sql)].join(', ');
  return [
    { sql: 'DROP TABLE IF EXISTS temp.kept' },
    { sql: `CREATE TEMP TABLE kept AS SELECT r.pos AS old FROM rs_${n} r WHERE ${condition} ORDER BY r.pos` },
    { sql: createStatements(copy)[1]!.sql },
    {
      sql: `INSERT INTO rs_${next} (pos, ${cells}) SELECT k.rowid - 1, ${cells} FROM kept k JOIN rs_${n} o ON o.pos = k.old`,
    },
    { sql: 'DROP TABLE temp.kept' },
    indexStatement(copy),
  ];
}

/** Moving rows copies them to another table; the old one stays while it is leased (leases.ts). */
export interface Generations {
  /** The number of the next table to create. */
  next(): number;
  /** The rows have been moved. Does not wait for leases of the old table. */
  retire(n: number): void;
}

/** again: nothing was changed, and the run has to be scanned once more. */
export type Reconciled = 'ended' | 'again';

/** Marks and counts rows of earlier scans that this one did not return; of duplicates the first one counts. */
async function countUnseen(db: Database, record: SetRecord, base: number, options: ReadOptions) {
  // Counted in the writer: only its connection has the table of rows seen.
  const [, counted] = await db.write(
    [
      { sql: `DELETE FROM ${seenTable(record)} WHERE pos < 0` },
      {
        sql: `INSERT OR IGNORE INTO ${seenTable(record)} (pos) SELECT -1 - r.pos FROM rs_${record.n} r
          WHERE r.pos < @base AND NOT EXISTS (SELECT 1 FROM ${seenTable(record)} s WHERE s.pos = r.pos)
          AND NOT coalesce(${isDuplicate(record)}, 0)`,
        params: { base },
      },
    ],
    options,
  );
  return counted?.changes ?? 0;
}

/**
 * Reconciles a run that reached the service's end. It is complete when the last scan returned as many distinct rows as
 * the service announced, unchanged from its first page to its last; where the service does not count, when two scans
 * returned the same rows. A run whose rows seem to have changed is scanned again a few times, then reported. Closing
 * gaps creates a new generation of the rows. Can be cancelled only until it starts changing the set.
 */
export async function reconcile(
  ctx: Pick<Context, 'coverage'>,
  db: Database,
  record: SetRecord,
  generations: Generations,
  signal?: AbortSignal,
): Promise<Reconciled> {
  await db.write([indexStatement(record)], { signal });
  const duplicates = await countDuplicates(db, record, { signal });
  const { pageScan, total } = record;
  const here = record.loaded - duplicates;
  const unseen = pageScan === null ? 0 : await countUnseen(db, record, pageScan.base, { signal });
  /** Distinct rows that this scan returned. */
  const gave = here - unseen;
  const counted = record.firstTotal !== null && total >= gave;
  const isSteady = record.shifts === 0;
  const same = pageScan?.whole === true && unseen === 0 && record.loaded === pageScan.base;
  const whole = isSteady && (counted ? gave === total : same);
  signal?.throwIfAborted();
  const lack = lackOf(ctx, record);
  const isUnsteady = !isSteady || unseen > 0;
  const most = isUnsteady ? MAX_SCANS : duplicates > 0 || !counted ? PROVING_SCANS : 1;
  if (!whole && lack === null && record.scans + 1 < most && here <= RESCAN_UP_TO) return 'again';
  // Only a scan that returned everything announced proves that the other rows are gone.
  const vanished = whole ? unseen : 0;
  const conditions = [
    ...(duplicates > 0 ? [`(r.entity_id IS NULL OR NOT ${isDuplicate(record)})`] : []),
    ...(vanished > 0 ? [`NOT EXISTS (SELECT 1 FROM ${seenTable(record)} s WHERE s.pos = -1 - r.pos)`] : []),
  ];
  const { n } = record;
  const next = conditions.length > 0 ? generations.next() : n;
  await change(
    db,
    record,
    {
      n: next,
      loaded: here - vanished,
      cursor: null,
      cursorAt: null,
      matching: false,
      vanished: record.vanished + vanished,
      duplicates: record.duplicates + duplicates,
      ...(lack === null
        ? standingOf(record, whole ? 'complete' : isUnsteady ? 'moved' : counted ? 'short' : 'uncounted')
        : standingOf(record, 'evidence', lack)),
    },
    [
      ...(next === n ? [] : keepStatements(record, next, conditions.join(' AND '))),
      ...(pageScan === null ? [] : endScanStatements(record)),
    ],
  );
  record.pageScan = null;
  if (next !== n) generations.retire(n);
  return 'ended';
}

/** Why rows are missing although the service returned all it has: its source is not fully read. */
function lackOf(ctx: Pick<Context, 'coverage'>, { connectionId, coverage }: SetRecord): string | null {
  const now = ctx.coverage(connectionId);
  if (now.version === 0) return null;
  if (now.version === coverage?.version) return now.lack;
  return coverage?.lack ?? now.lack ?? 'The evidence was read again while these rows were fetched.';
}
