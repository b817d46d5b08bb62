/** The end of a run: rows that came twice or vanished are removed, and the rest is compared with the announced count. */
import type { Context } from '../kernel/context.ts';
import type { Database, ReadOptions, Statement } from '../store/database.ts';
import { LEAD } from './encode.ts';
import { cancellationProbe } from './local-query.ts';
import { createStatements, indexStatement, type SetRecord } from './record.ts';
import { change, standingOf } from './state.ts';

/** Scans of one run to the service's end before it is reported that its rows keep changing. */
export const MAX_SCANS = 3;
/** The same where nothing hints at changes, and a second scan may prove what one cannot. */
const PROVING_SCANS = 2;
/** Rows above which a run is only scanned again on demand: that takes minutes. */
const RESCAN_UP_TO = 100_000;

/** Indexes of the rows seen in a scan that began anew. In the writer's memory: it goes with the process, as the scan does. */
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

/** Rows of the set that repeat an earlier one. Needs the index on ids, and reads nothing else when there are none. */
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

/** Statements that make the rows of `kept`, in order and without gaps, the set's generation `next`. */
function keepStatements(record: SetRecord, next: number, kept: string): Statement[] {
  const { n } = record;
  const made = { ...record, n: next };
  const cells = [...LEAD, ...record.columns.map((column) => column.sql)].join(', ');
  return [
    { sql: 'DROP TABLE IF EXISTS temp.kept' },
    { sql: `CREATE TEMP TABLE kept AS SELECT r.pos AS old FROM rs_${n} r WHERE ${kept} ORDER BY r.pos` },
    { sql: createStatements(made)[1]!.sql },
    {
      sql: `INSERT INTO rs_${next} (pos, ${cells}) SELECT k.rowid - 1, ${cells} FROM kept k JOIN rs_${n} o ON o.pos = k.old`,
    },
    { sql: 'DROP TABLE temp.kept' },
    indexStatement(made),
  ];
}

/** Rows that move go to another table; the old one stays for those who lease it (leases.ts). */
export interface Generations {
  /** The number of a table that is to be made. */
  next(): number;
  /** The rows are in another table by now. Does not wait for those who lease the old one. */
  retire(n: number): void;
}

/** again: nothing was changed, the run is to be scanned from its beginning once more. */
export type Reconciled = 'ended' | 'again';

/** Marks and counts the rows of earlier scans that this one did not give; of duplicates the first one counts. */
async function countUnseen(db: Database, record: SetRecord, base: number, options: ReadOptions) {
  // Counted by a statement of the writer: only its connection has the table of rows seen.
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
 * Judges a run that has come to the service's end. It is complete when its last scan gave as many different rows as
 * the service announced from the first page of that scan to the last; where the service does not count, when two
 * scans gave the same rows. A run whose rows seem to have changed is scanned again, a few times; then it is reported. Closing
 * gaps makes a new generation of its rows. Rejects when told to stop before anything of the set changed; from then
 * on it ends what it began.
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
  /** Different rows that this scan gave. */
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
  // Only a scan that gave all that was announced proves that the others are gone.
  const vanished = whole ? unseen : 0;
  const kept = [
    ...(duplicates > 0 ? [`(r.entity_id IS NULL OR NOT ${isDuplicate(record)})`] : []),
    ...(vanished > 0 ? [`NOT EXISTS (SELECT 1 FROM ${seenTable(record)} s WHERE s.pos = -1 - r.pos)`] : []),
  ];
  const { n } = record;
  const next = kept.length > 0 ? generations.next() : n;
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
      ...(next === n ? [] : keepStatements(record, next, kept.join(' AND '))),
      ...(pageScan === null ? [] : endScanStatements(record)),
    ],
  );
  record.pageScan = null;
  if (next !== n) generations.retire(n);
  return 'ended';
}

/** Why rows that are all of the service are not all there is: what they are read from is not read to its end. */
function lackOf(ctx: Pick<Context, 'coverage'>, { connectionId, coverage }: SetRecord): string | null {
  const now = ctx.coverage(connectionId);
  if (now.version === 0) return null;
  if (now.version === coverage?.version) return now.lack;
  return coverage?.lack ?? now.lack ?? 'The evidence was read again while these rows were fetched.';
}
