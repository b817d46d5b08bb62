/** What only all mails of the evidence together tell: whose mailboxes they are, in which direction each went, and first contacts. */
import { FIRST_CONTACT } from '#shared/checks/case-checks.ts';
import { isFreeMailer } from '#shared/checks/prepared-mail.ts';
import type { Store } from '../store.ts';

/** Domains are guessed from at most this many of the most frequent recipients. */
const MAX_CANDIDATES = 20;
/** A domain is the recipients’ own if at least this share of the mails with a recipient went to it. */
const OWN_SHARE = 0.3;

const DOMAIN_OF = (column: string): string => `substr(${column}, instr(${column}, '@') + 1)`;

/**
 * The domains of the mailboxes that the evidence comes from, guessed: by the lines in which servers name for whom they
 * delivered a mail, otherwise by To. Free mailers are nobody’s own. Empty: too mixed to tell.
 */
export function ownDomains(store: Store): string[] {
  const of = (kind: 'delivered' | 'to'): string[] => {
    const total = Number(
      store.db.prepare('SELECT count(DISTINCT email_id) FROM recipients WHERE kind = ?').pluck().get(kind),
    );
    const rows = store.db
      .prepare<unknown[], { domain: string; mails: number }>(
        `SELECT ${DOMAIN_OF('email')} AS domain, count(DISTINCT email_id) AS mails FROM recipients
         WHERE kind = ? AND instr(email, '@') > 0 GROUP BY 1 ORDER BY mails DESC, domain LIMIT ${MAX_CANDIDATES}`,
      )
      .all(kind);
    return rows
      .filter(({ domain, mails }) => mails >= total * OWN_SHARE && !isFreeMailer(domain))
      .map(({ domain }) => domain);
  };
  const delivered = of('delivered');
  return delivered.length > 0 ? delivered : of('to');
}

/** Every mail’s direction by the guessed domains; unknown without them, or if neither side is one of them. */
function storeDirections(store: Store, own: string): void {
  const isOwn = (column: string) => `${DOMAIN_OF(column)} IN (SELECT value FROM json_each(@own))`;
  const some = (condition: string) =>
    `EXISTS (SELECT 1 FROM recipients r WHERE r.email_id = emails.id AND ${condition})`;
  store.db
    .prepare(
      `UPDATE emails SET direction = CASE
         WHEN from_domain IN (SELECT value FROM json_each(@own))
           THEN iif(${some(`NOT ${isOwn('r.email')}`)}, 'outgoing', 'internal')
         WHEN ${some(isOwn('r.email'))} THEN 'incoming' END
       WHERE file_id IS NOT NULL`,
    )
    .run({ own });
}

/**
 * The first mail of each address from outside, unless somebody here had written to it before. Weighs nothing by itself.
 * The `+` takes the type from the column: with it, SQLite would not use the index of recipients.
 */
function storeFirstContacts(store: Store): void {
  const { id, tool } = FIRST_CONTACT;
  store.db.prepare('DELETE FROM findings WHERE check_id = ?').run(id);
  store.db
    .prepare(
      `INSERT INTO findings (email_id, check_id, tool, sentence, weight, place_kind, place_name, place_text)
       SELECT id, @id, @tool, 'It is the earliest mail from ' || from_email || ' in this evidence', 0, 'header', 'From', from_email
       FROM (SELECT id, from_email, direction, received_at,
               row_number() OVER (PARTITION BY from_email ORDER BY received_at IS NULL, received_at, id) AS place
             FROM emails WHERE file_id IS NOT NULL AND from_email IS NOT NULL) e
       WHERE place = 1 AND direction = 'incoming' AND received_at IS NOT NULL AND NOT EXISTS (
         SELECT 1 FROM recipients r CROSS JOIN emails o ON o.id = r.email_id
         WHERE coalesce(r.email_folded, r.email) = +e.from_email AND o.direction = 'outgoing' AND o.received_at < e.received_at)`,
    )
    .run({ id, tool });
}

/** Stores what the mails tell together, anew. All or nothing. */
export function storeCaseFacts(store: Store): void {
  store.db.transaction(() => {
    storeDirections(store, JSON.stringify(ownDomains(store)));
    storeFirstContacts(store);
  })();
}
