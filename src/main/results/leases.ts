/**
 * A row index is valid within one generation of a result set, the table rs_n that holds its rows. Within a generation
 * rows are only appended; moving rows creates a new generation. A reader leases the generation it started with: its
 * rows, and the sort indexes over them, stay until the last lease ends.
 */
import type { ResultStore } from '../store/tasks.ts';
import type { SetRecord } from './record.ts';

/** The rows of a set as they were when the lease began. */
export interface Rows {
  /** The set at that time: rows 0 to `loaded` of table rs_n. A frozen copy. */
  readonly record: Readonly<SetRecord>;
  /** The database that holds the rows. Rejects `cancelled` once it was replaced. */
  readonly db: ResultStore;
}

export interface RowLease extends Rows {
  /** May be called repeatedly; only the first call counts. */
  release(): void;
}

export interface Leases {
  /** Takes effect at once: leases taken without awaiting in between are of the same moment. */
  take(record: Readonly<SetRecord>): RowLease;
  /** Another lease of the same rows, released separately. */
  share(rows: Rows): RowLease;
  /**
   * Removes table n as soon as its last lease ends; no new leases. Resolves once it is removed, rejects if that fails.
   * Leftovers are removed at the next start.
   */
  retire(n: number): Promise<void>;
  /** Numbers of the tables that are leased or waiting to be removed. */
  tables(): number[];
  /** The databases were replaced: leases on the old ones no longer matter. */
  reset(): void;
}

interface Generation {
  leases: number;
  retired: (() => void) | null;
}

/** `remove` deletes the rows of table n and the sort indexes over them. */
export function createLeases(db: () => ResultStore, remove: (n: number) => Promise<void>): Leases {
  const generations = new Map<number, Generation>();
  let storage = 0;

  const share: Leases['share'] = ({ record, db: database }) => {
    const { n } = record;
    const generation = generations.get(n) ?? { leases: 0, retired: null };
    generations.set(n, generation);
    generation.leases++;
    let released = false;
    return {
      record,
      db: database,
      release() {
        if (released) return;
        released = true;
        generation.leases--;
        if (generation.leases > 0) return;
        if (generations.get(n) === generation) generations.delete(n);
        generation.retired?.();
      },
    };
  };

  return {
    take: (record) => share({ record: { ...record }, db: db().bound() }),
    share,
    async retire(n) {
      const began = storage;
      const generation = generations.get(n);
      if (generation !== undefined)
        await new Promise<void>((resolve) => {
          const before = generation.retired;
          generation.retired = () => {
            before?.();
            resolve();
          };
        });
      // In another database that number may belong to another set.
      if (began === storage) await remove(n);
    },
    tables: () => [...generations.keys()],
    reset() {
      storage++;
      generations.clear();
    },
  };
}

/** Reads rows by their index and releases the lease in any case. */
export async function withLease<T>(lease: RowLease, work: (rows: Rows) => Promise<T>): Promise<T> {
  try {
    return await work(lease);
  } finally {
    lease.release();
  }
}
