/** How many other emails are like one, by mode (GET similar_email_count). Each mode is one field of a query. */
import type { EmailRow } from './emails.ts';
import type { SqlValue, Store } from './store.ts';

export const SIMILAR_MODES = [
  'subject',
  'sender',
  'sender_domain',
  'attachment',
  'link',
  'client_ip',
] as const;
export type SimilarMode = (typeof SIMILAR_MODES)[number];
export const isSimilarMode = (mode: string): mode is SimilarMode =>
  (SIMILAR_MODES as readonly string[]).includes(mode);

/** The email itself is not counted. Without the value (no attachment, no link) none is like it. */
export function similarCount(store: Store, row: EmailRow, mode: SimilarMode): number {
  const count = (sql: string, ...values: SqlValue[]): number =>
    Math.max(
      0,
      Number(
        store.db
          .prepare(sql)
          .pluck()
          .get(...values),
      ) - 1,
    );
  switch (mode) {
    case 'subject':
      return count(
        'SELECT count(*) FROM emails WHERE subject_folded = (SELECT subject_folded FROM emails WHERE id = ?)',
        row.id,
      );
    case 'sender':
      return count('SELECT count(*) FROM emails WHERE from_email = ?', row.from_email);
    case 'sender_domain':
      return count('SELECT count(*) FROM emails WHERE from_domain = ?', row.from_domain);
    case 'attachment':
      return count(
        `SELECT count(DISTINCT email_id) FROM attachments
         WHERE sha256 IN (SELECT sha256 FROM attachments WHERE email_id = ? AND is_inline = 0)`,
        row.id,
      );
    case 'link':
      // Links to the recipients' own hosts say nothing about the sender.
      return count(
        `SELECT count(DISTINCT email_id) FROM links WHERE host IN (
           SELECT host FROM links WHERE email_id = ? AND host NOT IN (
             SELECT substr(email, instr(email, '@') + 1) FROM recipients WHERE email_id = ?))`,
        row.id,
        row.id,
      );
    case 'client_ip':
      return count('SELECT count(*) FROM emails WHERE client_ip = ?', row.client_ip);
  }
}
