/** A database whose files can be replaced while services keep using it: unlocked, moved, rebuilt. */
import { ParapetError } from '#shared/bridge/errors.ts';
import { closed } from '#workers/restarts.ts';
import type { ResultStore } from './tasks.ts';

export interface DatabaseSlot extends ResultStore {
  /**
   * Closes the current database, if any, and opens another in its place; calls made meanwhile wait. Rejects `cancelled`
   * once the slot was closed.
   */
  replace(open: () => Promise<ResultStore>): Promise<void>;
}

/** Each call waits for the database that is current when it is made. */
function over(current: () => Promise<ResultStore>): ResultStore {
  return {
    all: async (sql, params, options) => (await current()).all(sql, params, options),
    get: async (sql, params, options) => (await current()).get(sql, params, options),
    rows: async (sql, params, options) => (await current()).rows(sql, params, options),
    scan: async (sql, params, options) => (await current()).scan(sql, params, options),
    scanIntegers: async (sql, params, options) => (await current()).scanIntegers(sql, params, options),
    integers: async (sql, params, options) => (await current()).integers(sql, params, options),
    write: async (statements, options) => (await current()).write(statements, options),
    ingest: async (task) => (await current()).ingest(task),
    search: async (task, options) => (await current()).search(task, options),
    askColumns: async (query, options) => (await current()).askColumns(query, options),
    forget: (n) =>
      void current()
        .then((database) => database.forget(n))
        .catch(() => undefined),
    bound() {
      const bound = current();
      return over(() => bound);
    },
    maintain: async (sql) => (await current()).maintain(sql),
    async close() {
      const closing = await current().catch(() => null);
      await closing?.close();
    },
  };
}

export function createSlot(): DatabaseSlot {
  let current: Promise<ResultStore> = Promise.reject(
    new ParapetError('internal', 'The database is not open yet.'),
  );
  current.catch(() => {});

  let ended = false;
  const all = over(() => current);

  return {
    ...all,
    async close() {
      ended = true;
      await all.close();
    },
    async replace(open) {
      const before = current;
      current = (async () => {
        const old = await before.catch(() => null);
        await old?.close();
        if (ended) throw closed();
        return open();
      })();
      // Callers get the failure from their own calls.
      current.catch(() => {});
      await current;
    },
  };
}
