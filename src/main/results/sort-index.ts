/**
 * Sort indexes, the tables rv_n: position in an order → row index. An order is read by a reader and written in slices,
 * so that no page or write waits for all of it. Pages use the order in memory before its first slice is written.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { cancelled } from '#shared/bridge/errors.ts';
import type { LocalFilter } from '#shared/bridge/operations.ts';
import type { Sort } from '#shared/model/entities.ts';
import type { Urgency } from '#workers/worker-pool.ts';
import { askColumns, candidateRows } from './columnar/client.ts';
import type { RowLease } from './leases.ts';
import { localQuery } from './local-query.ts';
import { dropStatements } from './record.ts';

/** Delay of a build without waiters, so that both readers are free if the analyst changes the order again. */
const BEHIND_MS = 300;
/** Row indexes written per transaction: some 20 ms of the writer. */
const SLICE = 20_000;

export interface SortIndex {
  /** Number of the table rv_n. */
  n: number;
  /** The generation whose rows it sorts. */
  setN: number;
  key: string;
  /** Rows of the set that it covers. */
  loaded: number;
  count: number;
  usedAt: number;
  builtAt: number;
}

/** Only rows with these entity ids, or all other rows; rows without an id count as others. */
export interface Chosen {
  ids: readonly string[];
  others: boolean;
}

export interface SortIndexOptions {
  n: number;
  key: string;
  /** Released when the build ends, even if there are waiters. */
  rows: RowLease;
  sort: readonly Sort[];
  filter: LocalFilter | null;
  chosen: Chosen | undefined;
  urgency: Urgency;
}

/** An order that was read but is not written yet. */
interface SortedRowIndexes {
  /** Rows of the set that it covers. */
  loaded: number;
  rowIndexes: Uint32Array;
}

export interface SortIndexBuild {
  readonly setN: number;
  /** Number of current waiters. */
  waiters: number;
  /** Both reject with the reason given to `control` when it aborts; nothing of the build is left then. */
  readonly sorted: Promise<SortedRowIndexes>;
  readonly done: Promise<SortIndex>;
  readonly control: AbortController;
  /** Starts at once, as there is a waiter. */
  hurry(): void;
}

export function buildSortIndex(
  { now, ticks }: { now: () => number; ticks: () => number },
  options: SortIndexOptions,
): SortIndexBuild {
  const { n, key, rows, sort, filter, chosen, urgency } = options;
  const { record, db } = rows;
  const control = new AbortController();
  const { signal } = control;
  const withReason = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    }
  };

  const delay = new AbortController();
  const read = async (): Promise<SortedRowIndexes> => {
    if (urgency === 'later')
      await sleep(BEHIND_MS, undefined, { signal: AbortSignal.any([delay.signal, signal]) }).catch(
        () => undefined,
      );
    signal.throwIfAborted();
    const { loaded } = record;
    if (chosen === undefined) {
      const want = { kind: 'order' } as const;
      const answer = await askColumns(db, record, { sort, filter, want, now: now(), signal });
      if (answer !== null) return { loaded, rowIndexes: answer.rowIndexes };
    }
    const hits = await candidateRows(db, record, filter, now(), signal);
    const query = localQuery(record, sort, filter, { now: now(), hits });
    const named = 'r.entity_id IN (SELECT value FROM json_each(@ids))';
    const among = chosen === undefined ? '' : ` AND ${chosen.others ? `(${named}) IS NOT TRUE` : named}`;
    const rowIndexes = await db.integers(
      `SELECT r.pos ${query.from}${among} ORDER BY ${query.order}`,
      { ...query.params, ...(chosen === undefined ? {} : { ids: JSON.stringify(chosen.ids) }) },
      { signal, urgency },
    );
    return { loaded, rowIndexes };
  };

  const store = async ({ loaded, rowIndexes }: SortedRowIndexes): Promise<SortIndex> => {
    const builtAt = ticks();
    const count = rowIndexes.length;
    try {
      for (let from = 0; from === 0 || from < count; from += SLICE) {
        signal.throwIfAborted();
        const table = [
          { sql: `CREATE TABLE rv_${n} (rank INTEGER PRIMARY KEY, pos INTEGER NOT NULL)` },
          {
            sql: 'INSERT INTO result_views (n, set_n, key, loaded, count, used_at) VALUES (?, ?, ?, ?, ?, ?)',
            params: [n, record.n, key, loaded, count, now()],
          },
        ];
        const slice = {
          sql: `INSERT INTO rv_${n} (pos) VALUES (?)`,
          each: rowIndexes.slice(from, from + SLICE),
        };
        await db.write([...(from === 0 ? table : []), slice], { urgency });
      }
      signal.throwIfAborted();
    } catch (error) {
      await db.write(dropStatements([], [n])).catch(() => undefined);
      throw error;
    }
    return { n, setN: record.n, key, loaded, count, usedAt: builtAt, builtAt };
  };

  const sorted = withReason(read);
  const stored = withReason(async () => store(await sorted));
  // A build may end without waiters.
  sorted.catch(() => undefined);
  stored.catch(() => undefined).finally(() => rows.release());
  return { setN: record.n, waiters: 0, sorted, done: stored, control, hurry: () => delay.abort() };
}

/** Waits for a result of a build, until the caller is cancelled. */
export async function waitFor<T>(build: SortIndexBuild, what: Promise<T>, signal?: AbortSignal): Promise<T> {
  build.waiters++;
  build.hurry();
  try {
    if (signal === undefined) return await what;
    return await new Promise<T>((resolve, reject) => {
      const leave = () => reject(cancelled());
      if (signal.aborted) leave();
      signal.addEventListener('abort', leave, { once: true });
      void what.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
    });
  } finally {
    build.waiters--;
  }
}
