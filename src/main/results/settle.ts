/** The end of a run: rows that came twice or vanished go, and what is here is counted against what was announced. */
import type { Context } from '../core/context.ts';
import type { ReadOptions, Statement } from '../store/database.ts';
import { LEAD } from './encode.ts';
import { lookUp } from './local-query.ts';
import { createStatements, indexStatement, type SetChange, type SetRecord, saveStatement } from './record.ts';

const exact = (count: number): string => count.toLocaleString('en-GB').replaceAll(',', ' ');
export const rowsWord = (count: number): string => `${exact(count)} ${count === 1 ? 'row' : 'rows'}`;
export const ofRows = (record: SetRecord): string =>
  `${exact(record.loaded)} of ${rowsWord(record.total)} are here.`;

/** Rows seen in a walk that began anew, by place. In the writer's memory: it goes with the process, as the walk does. */
const seenTable = (record: SetRecord): string => `temp.seen_${record.n}`;
export const beginWalkStatements = (record: SetRecord): Statement[] => [
  { sql: `DROP TABLE IF EXISTS ${seenTable(record)}` },
  { sql: `CREATE TABLE ${seenTable(record)} (pos INTEGER PRIMARY KEY)` },
  indexStatement(record),
];
export const endWalkStatements = (record: SetRecord): Statement[] => [
  { sql: `DROP TABLE IF EXISTS ${seenTable(record)}` },
];

/** SQL that is true for a row `r` that an earlier one says already: by id, and with copies by all it says. */
function isDouble(record: SetRecord): string {
  const same = record.payload.include_copies
    ? [...record.columns.map(({ sql }) => `e.${sql} IS r.${sql}`), 'e.odd IS r.odd', 'e.extra IS r.extra']
    : [];
  return `EXISTS (SELECT 1 FROM rs_${record.n} e WHERE ${['e.entity_id = r.entity_id', 'e.pos < r.pos', ...same].join(' AND ')})`;
}

/** Rows of the set that say again what an earlier row says. Needs the index; reads nothing but it when there are none. */
async function countDoubles(ctx: Context, record: SetRecord, options: ReadOptions): Promise<number> {
  const repeated = await ctx.cache.get<{ ids: number; rows: number }>(
    `SELECT count(*) AS ids, coalesce(sum(rows - 1), 0) AS rows FROM
      (SELECT count(*) AS rows FROM rs_${record.n} WHERE entity_id IS NOT NULL AND ${lookUp('pos')} GROUP BY entity_id HAVING count(*) > 1)`,
    [],
    options,
  );
  if (!record.payload.include_copies || (repeated?.ids ?? 0) === 0) return repeated?.rows ?? 0;
  const row = await ctx.cache.get<{ doubles: number }>(
    `SELECT count(*) AS doubles FROM rs_${record.n} r WHERE r.entity_id IN
      (SELECT entity_id FROM rs_${record.n} WHERE entity_id IS NOT NULL GROUP BY entity_id HAVING count(*) > 1)
      AND ${lookUp('r.pos')} AND ${isDouble(record)}`,
    [],
    options,
  );
  return row?.doubles ?? 0;
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
    { sql: 'UPDATE result_sets SET n = ? WHERE id = ?', params: [next, record.id] },
  ];
}

/** Where rows go that move: a table of their own, and no end of those who read the old one (leases.ts). */
export interface Generations {
  /** The number of a table that is to be made. */
  next(): number;
  /** The rows are in another table by now. Does not wait for those who lease the old one. */
  retire(n: number): void;
}

/**
 * Ends a run that has come to the service's end. Closing gaps makes a new generation of its rows. Exact when as many different rows are here as the service announced last. Rejects when told to
 * stop before anything of the set changed; from then on it ends what it began.
 */
export async function settle(
  ctx: Context,
  record: SetRecord,
  generations: Generations,
  signal?: AbortSignal,
): Promise<void> {
  await ctx.cache.write([indexStatement(record)], { signal });
  const doubles = await countDoubles(ctx, record, { signal });
  let loaded = record.loaded - doubles;
  let vanished = 0;
  const { walk } = record;
  if (walk !== null) {
    // Counted by a statement of the writer: only its connection sees the walk.
    const [counted] = await ctx.cache.write(
      [
        {
          sql: `INSERT OR IGNORE INTO ${seenTable(record)} (pos) SELECT -1 - r.pos FROM rs_${record.n} r
          WHERE r.pos < @base AND NOT EXISTS (SELECT 1 FROM ${seenTable(record)} s WHERE s.pos = r.pos)`,
          params: { base: walk.base },
        },
      ],
      { signal },
    );
    const unseen = counted?.changes ?? 0;
    // Only a walk that gave all that was announced proves that the others are gone.
    if (loaded !== record.total && loaded - unseen === record.total) vanished = unseen;
    loaded -= vanished;
  }
  signal?.throwIfAborted();
  const all = loaded === record.total;
  const lack = lackOf(ctx, record);
  const whole = all && lack === null;
  const change: SetChange = {
    loaded,
    cursor: null,
    cursorAt: null,
    matching: false,
    vanished: record.vanished + vanished,
    duplicates: record.duplicates + doubles,
    state: whole ? 'complete' : 'partial',
    reason: whole
      ? withoutId(record)
      : all
        ? lack
        : `The service announced ${rowsWord(record.total)} and gave ${exact(loaded)} different ones up to its end.`,
  };
  const kept = [
    ...(doubles > 0 ? [`(r.entity_id IS NULL OR NOT ${isDouble(record)})`] : []),
    ...(vanished > 0 ? [`NOT EXISTS (SELECT 1 FROM ${seenTable(record)} s WHERE s.pos = -1 - r.pos)`] : []),
  ];
  const { n } = record;
  const next = kept.length > 0 ? generations.next() : n;
  await ctx.cache.write([
    ...(next === n ? [] : keepStatements(record, next, kept.join(' AND '))),
    ...(walk === null ? [] : endWalkStatements(record)),
    saveStatement({ ...record, ...change, n: next }),
  ]);
  Object.assign(record, change, { n: next, walk: null });
  if (next !== n) generations.retire(n);
}

/** Why rows that are all of the service are not all there is: what they are read from is not read to its end. */
function lackOf(ctx: Context, { connectionId, coverage }: SetRecord): string | null {
  const now = ctx.coverage(connectionId);
  if (now.version === 0) return null;
  if (now.version === coverage?.version) return now.lack;
  return coverage?.lack ?? now.lack ?? 'The evidence was read again while these rows were fetched.';
}

const withoutId = (record: SetRecord): string | null =>
  record.withoutId === 0
    ? null
    : `${rowsWord(record.withoutId)} came without an id: they can be read and exported, not opened.`;
