import type { AppRecord } from '../../store/records.ts';
import { ingestInto } from '../ingest.ts';
import { addQueries } from '../queries.ts';
import type { SqliteStore } from '../sqlite-store.ts';

/** Gives a store the apps and templates of evidence, and its indexes, unless it has them. */
export function prepare(
  store: SqliteStore,
  apps: readonly AppRecord[],
  queries: Parameters<typeof addQueries>[1],
): void {
  store.db.transaction(() => {
    if (store.meta('source') !== null) return;
    ingestInto(store).apps(apps);
    addQueries(store, queries, Date.now());
    store.setMeta('source', JSON.stringify({ kind: 'evidence' }));
  })();
  store.buildIndexes();
}
