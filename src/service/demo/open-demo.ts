/** The demo tenant in a database file: generated once, then reopened. */
import { existsSync } from 'node:fs';
import { isDamaged, openStore, removeDatabase, type Store, type StoreOptions } from '../store/store.ts';
import { generate, hourOf, sourceKey } from './generate.ts';
import { demoSource } from './source.ts';

const DAY = 86_400_000;
/** Small: generating writes in order and needs no more, and the memory of a larger cache would stay with the process. */
const GENERATING_CACHE_KIB = 8 * 1024;

export interface DemoOptions extends StoreOptions {
  emails: number;
  seed: number;
  now: number;
}

/** A file that is damaged, unfinished, or of another size or seed is generated again: nothing is lost. */
export function openDemo(options: DemoOptions): Store {
  const known = reopenDemo(options);
  if (known) return known;
  const store = openStore(options, demoSource);
  const cache = Number(store.db.pragma('cache_size', { simple: true }));
  try {
    store.db.pragma('synchronous = OFF');
    store.db.pragma(`cache_size = -${GENERATING_CACHE_KIB}`);
    generate(store, { emails: options.emails, seed: options.seed, anchor: hourOf(options.now) });
    store.db.pragma('synchronous = NORMAL');
    store.db.pragma(`cache_size = ${cache}`);
  } catch (error) {
    store.close();
    throw error;
  }
  return store;
}

/** The tenant that was generated before; null: it has to be generated. */
export function reopenDemo(options: DemoOptions): Store | null {
  const { path, now, emails, seed } = options;
  if (path === ':memory:' || !existsSync(path)) return null;
  let store: Store | null = null;
  try {
    store = openStore(options, demoSource);
    if (store.meta('source') === sourceKey(emails, seed)) {
      catchUp(store, now);
      return store;
    }
  } catch (error) {
    if (!isDamaged(error)) {
      store?.close();
      throw error;
    }
  }
  store?.close();
  removeDatabase(path);
  return null;
}

const TIMES: readonly (readonly [table: string, columns: readonly string[]])[] = [
  ['emails', ['received_at', 'sent_at']],
  ['clicks', ['clicked_at']],
  ['files', ['created_at', 'modified_at']],
  ['messages', ['sent_at']],
  ['users', ['last_login_at']],
  ['logins', ['at']],
  ['exceptions', ['created_at']],
];

const EMAIL_INSTANTS = [
  '$.quarantine.at',
  '$.restore.requestedAt',
  '$.restore.restoredAt',
  '$.decline.at',
  '$.report.at',
];
const STATE_INSTANTS = ['$.quarantine.at', '$.restored.at'];

/** Shifts the tenant forward by whole days, so that "the last 24 hours" are never empty. */
export function catchUp(store: Store, now: number): void {
  const days = Math.floor((now - Number(store.meta('anchor'))) / DAY);
  if (!(days >= 1)) return;
  const by = days * DAY;
  store.db.transaction(() => {
    for (const [table, columns] of TIMES)
      store.db
        .prepare(`UPDATE ${table} SET ${columns.map((column) => `${column} = ${column} + @by`).join(', ')}`)
        .run({ by });
    // Actions late on the last day must not end up in the future.
    const moved = (path: string) => `'${path}', min(detail ->> '${path}' + @by, @now)`;
    store.db
      .prepare(
        `UPDATE emails SET detail = json_replace(detail, ${EMAIL_INSTANTS.map(moved).join(', ')})
         WHERE detail LIKE '%"at":%' OR detail LIKE '%"requestedAt":%' OR detail LIKE '%"restoredAt":%'`,
      )
      .run({ by, now });
    store.db.prepare('UPDATE entity_events SET at = min(at + @by, @now)').run({ by, now });
    store.db
      .prepare(
        `UPDATE entity_state SET body = json_replace(body, ${STATE_INSTANTS.map(
          (path) => `'${path}', min(body ->> '${path}' + @by, @now)`,
        ).join(', ')})`,
      )
      .run({ by, now });
    store.setMeta('anchor', String(Number(store.meta('anchor')) + by));
  })();
}
