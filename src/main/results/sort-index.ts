/**
 * Rank tables (rank → place): an order is read by a reader and written down in slices, so that no page or write waits
 * for a whole one. Pages go by what was read before the first slice is written.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { cancelled } from '#shared/bridge/errors.ts';
import type { LocalFilter } from '#shared/bridge/operations.ts';
import type { Sort } from '#shared/model/entities.ts';
import type { Urgency } from '../store/database.ts';
import { askColumns, candidateRows } from './columnar/client.ts';
import type { RowLease } from './leases.ts';
import { localQuery } from './local-query.ts';
import { dropStatements } from './record.ts';

/** An order that nobody waits for begins this much later: who changes the order again has both readers meanwhile. */
const BEHIND_MS = 300;
/** Places written in one transaction: some 20 ms of the writer. */
const SLICE = 20_000;

export interface View {
  n: number;
  /** The generation whose rows it puts in order. */
  setN: number;
  key: string;
  /** Rows of the set that it covers. */
  loaded: number;
  count: number;
  usedAt: number;
  builtAt: number;
}

/** Only rows with these entity ids, or all but them; a row without an id is one of the others. */
export interface Chosen {
  ids: readonly string[];
  others: boolean;
}

export interface Order {
  n: number;
  key: string;
  /** Kept until it is done, whoever waits for it. */
  rows: RowLease;
  sort: readonly Sort[];
  filter: LocalFilter | null;
  chosen: Chosen | undefined;
  urgency: Urgency;
}

/** An order as it was read; it is written down behind. */
export interface Found {
  /** Rows of the set that it covers. */
  loaded: number;
  places: Uint32Array;
}

export interface Build {
  readonly setN: number;
  /** Those who wait for it now. */
  waiters: number;
  /** These reject with the reason given to `control` once that is told to stop; nothing of it is left then. */
  readonly found: Promise<Found>;
  readonly done: Promise<View>;
  readonly control: AbortController;
  /** Somebody waits for it now. */
  hurry(): void;
}

export function buildRank({ now, ticks }: { now: () => number; ticks: () => number }, order: Order): Build {
  const { n, key, rows, sort, filter, chosen, urgency } = order;
  const { record, db } = rows;
  const control = new AbortController();
  const { signal } = control;
  const whole = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    }
  };

  const rest = new AbortController();
  const read = async (): Promise<Found> => {
    if (urgency === 'later')
      await sleep(BEHIND_MS, undefined, { signal: AbortSignal.any([rest.signal, signal]) }).catch(
        () => undefined,
      );
    signal.throwIfAborted();
    const { loaded } = record;
    if (chosen === undefined) {
      const answer = await askColumns(db, record, {
        sort,
        filter,
        want: { kind: 'order' },
        now: now(),
        signal,
      });
      if (answer !== null) return { loaded, places: answer.rowIndexes };
    }
    const hits = await candidateRows(db, record, filter, now(), signal);
    const query = localQuery(record, sort, filter, { now: now(), hits });
    const named = 'r.entity_id IN (SELECT value FROM json_each(@ids))';
    const among = chosen === undefined ? '' : ` AND ${chosen.others ? `(${named}) IS NOT TRUE` : named}`;
    const places = await db.integers(
      `SELECT r.pos ${query.from}${among} ORDER BY ${query.order}`,
      { ...query.params, ...(chosen === undefined ? {} : { ids: JSON.stringify(chosen.ids) }) },
      { signal, urgency },
    );
    return { loaded, places };
  };

  const store = async ({ loaded, places }: Found): Promise<View> => {
    const at = ticks();
    const slice = (from: number) => ({
      sql: `INSERT INTO rv_${n} (pos) VALUES (?)`,
      each: places.slice(from, from + SLICE),
    });
    try {
      for (let from = 0; from === 0 || from < places.length; from += SLICE) {
        signal.throwIfAborted();
        const table = [
          { sql: `CREATE TABLE rv_${n} (rank INTEGER PRIMARY KEY, pos INTEGER NOT NULL)` },
          {
            sql: 'INSERT INTO result_views (n, set_n, key, loaded, count, used_at) VALUES (?, ?, ?, ?, ?, ?)',
            params: [n, record.n, key, loaded, places.length, now()],
          },
        ];
        await db.write([...(from === 0 ? table : []), slice(from)], { urgency });
      }
      signal.throwIfAborted();
    } catch (error) {
      await db.write(dropStatements([], [n])).catch(() => undefined);
      throw error;
    }
    return { n, setN: record.n, key, loaded, count: places.length, usedAt: at, builtAt: at };
  };

  const found = whole(read);
  const done = whole(async () => store(await found));
  // Whether anybody waits for it or not.
  found.catch(() => undefined);
  done.catch(() => undefined).finally(() => rows.release());
  return { setN: record.n, waiters: 0, found, done, control, hurry: () => rest.abort() };
}

/** Waits for something of a build, as long as the caller does. */
export async function waitFor<T>(build: Build, what: Promise<T>, signal?: AbortSignal): Promise<T> {
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
