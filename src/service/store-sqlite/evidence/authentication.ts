import type { Evidence } from '../../store/evidence.ts';
import { unpackRaw } from '../../store/packed.ts';
import type { SqliteStore } from '../sqlite-store.ts';

const KEY = 'believed';

/** All or nothing. Mail whose file is gone keeps its data, as the evidence itself is not read. */
export function deriveTrust(store: SqliteStore, ...[servers, derive]: Parameters<Evidence['trust']>): void {
  const { db } = store;
  const value = JSON.stringify(servers);
  if ((store.meta(KEY) ?? '[]') === value) return;
  db.transaction(() => {
    const ids = db
      .prepare<unknown[], number>('SELECT id FROM emails WHERE file_id IS NOT NULL')
      .pluck()
      .all();
    const raw = db.prepare<unknown[], Uint8Array>('SELECT parts FROM raw_mail WHERE email_id = ?').pluck();
    const update = db.prepare(
      `UPDATE emails SET spf = @spf, dkim = @dkim, dmarc = @dmarc,
         detail = json_set(detail, '$.evidence.authTrusted', json(@trusted)) WHERE id = @id`,
    );
    for (const id of ids) {
      const packed = raw.get(id);
      if (packed === undefined) continue;
      const { spf, dkim, dmarc, trusted } = derive(unpackRaw(packed).headers);
      update.run({ id, spf, dkim, dmarc, trusted: String(trusted) });
    }
    store.setMeta(KEY, value);
  })();
}
