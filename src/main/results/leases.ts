/**
 * Row indexes count within one generation of a result set: the table rs_n that holds its rows. Within a generation
 * rows are only added at the end; what moves them makes a new generation. Whoever reads by row index leases the one
 * it began with: its rows, and the sort indexes over them, stay until the last lease of them has ended.
 */
import type { ResultStore } from '../store/tasks.ts';
import type { SetRecord } from './record.ts';

/** The rows of a set as they lay when the lease of them began. */
export interface Rows {
  /** The set as it stood then: rows 0 to `loaded` of table rs_n. It does not change with the set. */
  readonly record: Readonly<SetRecord>;
  /** The database that the rows are in. Rejects `cancelled` once another has taken its place. */
  readonly db: ResultStore;
}

export interface RowLease extends Rows {
  /** May be called again: only the first one counts. */
  release(): void;
}

export interface Leases {
  /** Begins at once: several that are asked for without waiting in between are of one moment. */
  begin(record: Readonly<SetRecord>): RowLease;
  /** Another lease of the same rows, with a release of its own. */
  share(rows: Rows): RowLease;
  /**
   * Table n is not leased to anybody any more, and is removed with its last lease: resolves once it is removed, rejects
   * when that failed. What is left of it is removed at the next start.
   */
  retire(n: number): Promise<void>;
  /** Numbers of the tables that are leased, or that wait to be removed. */
  tables(): number[];
  /** Other databases took the place of those that the rows were in: leases of them keep nothing here. */
  reset(): void;
}

interface Generation {
  leases: number;
  retired: (() => void) | null;
}

/** `remove` takes the rows of table n and the sort indexes over them off the disk. */
export function createLeases(db: () => ResultStore, remove: (n: number) => Promise<void>): Leases {
  const generations = new Map<number, Generation>();
  let storage = 0;

  const share: Leases['share'] = ({ record, db: at }) => {
    const { n } = record;
    const generation = generations.get(n) ?? { leases: 0, retired: null };
    generations.set(n, generation);
    generation.leases++;
    let released = false;
    return {
      record,
      db: at,
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
    begin: (record) => share({ record: { ...record }, db: db().bound() }),
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
      // In another database that number may be another set's.
      if (began === storage) await remove(n);
    },
    tables: () => [...generations.keys()],
    reset() {
      storage++;
      generations.clear();
    },
  };
}

/** Reads rows by their index, and releases the lease whatever comes of it. */
export async function withLease<T>(lease: RowLease, work: (rows: Rows) => Promise<T>): Promise<T> {
  try {
    return await work(lease);
  } finally {
    lease.release();
  }
}
