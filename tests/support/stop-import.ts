/** Stopping an import in the middle, whatever the machine's speed: progress is only told every tenth of a second. */
import type { SqliteStore } from '#service/store-sqlite/sqlite-store.ts';

/** Aborts while the first batch is stored, which stays. */
export function stopsInFirstBatch({ db }: SqliteStore): AbortSignal {
  const abort = new AbortController();
  db.function('pp_stop', () => {
    abort.abort();
    return null;
  });
  db.exec('CREATE TEMP TRIGGER stop_import AFTER INSERT ON emails BEGIN SELECT pp_stop(); END');
  return abort.signal;
}
