/** Moves all instants of a tenant. */
import type { SqliteStore } from './sqlite-store.ts';

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

export function shiftTimes(
  store: SqliteStore,
  by: number,
  now: number,
  settings: Readonly<Record<string, string>>,
): void {
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
    for (const [key, value] of Object.entries(settings)) store.setMeta(key, value);
  })();
}
