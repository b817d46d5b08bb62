/** Stopping an import in the middle, whatever the machine's speed: progress is only told every tenth of a second. */
import type { Store } from '#service/store-sqlite/store.ts';

/** Aborts while the first batch is stored, which stays. */
export function stopsInFirstBatch({ db }: Store): AbortSignal {
  const abort = new AbortController();
  db.function('pp_stop', () => {
    abort.abort();
    return null;
  });
  db.exec('CREATE TEMP TRIGGER stop_import AFTER INSERT ON emails BEGIN SELECT pp_stop(); END');
  return abort.signal;
}
