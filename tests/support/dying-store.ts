/** A store that counts its writes, so that a process can die at any of them. */
import type { SqliteStore } from '#service/store-sqlite/sqlite-store.ts';

/** Calls `die` before this write, counted from 1, and before each later write. Returns a counter of the writes so far. */
export function dyingAt(store: SqliteStore, write: number, die: () => void): () => number {
  let writes = 0;
  const { prepare } = store.db;
  store.db.prepare = ((sql: string) => {
    const statement: { run: (...args: unknown[]) => unknown } = Reflect.apply(prepare, store.db, [sql]);
    const { run } = statement;
    statement.run = (...args) => {
      writes += 1;
      if (writes >= write) die();
      return Reflect.apply(run, statement, args);
    };
    return statement;
  }) as typeof prepare;
  return () => writes;
}
