/**
 * Stored authentication results depend on the servers that the analyst trusts, and are derived again when those change.
 */
import { addressReader, headerFacts } from '#shared/mail/analysis.ts';
import { decodeBytes } from '#shared/mail/charsets.ts';
import { authSummary } from '#shared/mail/header-mail.ts';
import { parseHeaders } from '#shared/mail/headers.ts';
import { decodeHeaderBlock } from '../formats/files/charset.ts';
import { DEFAULT_LIMITS } from '../formats/mail/types.ts';
import { unpackRaw } from '../store/packed.ts';
import type { SqliteStore } from '../store-sqlite/sqlite-store.ts';

const KEY = 'believed';

/**
 * Updates the stored results of SPF, DKIM and DMARC for `believed`, from the stored headers: the evidence itself is not
 * read, so mail that is gone keeps its data. All or nothing; no work if nothing changed.
 */
export function applyTrust(store: SqliteStore, believed: readonly string[]): void {
  const { db } = store;
  const wanted = JSON.stringify(believed);
  if ((store.meta(KEY) ?? '[]') === wanted) return;
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
    const { maxHeaderBytes, maxHeaders } = DEFAULT_LIMITS;
    for (const id of ids) {
      const packed = raw.get(id);
      if (packed === undefined) continue;
      const block = decodeHeaderBlock(unpackRaw(packed).headers.subarray(0, maxHeaderBytes), null);
      const { headers } = parseHeaders(block, decodeBytes, { maxHeaders });
      const { spf, dkim, dmarc, trusted } = authSummary(
        headerFacts(headers, addressReader(headers, decodeBytes), believed),
      );
      update.run({ id, spf, dkim, dmarc, trusted: String(trusted) });
    }
    store.setMeta(KEY, wanted);
  })();
}
