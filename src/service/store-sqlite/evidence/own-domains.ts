/** Whose mailboxes the evidence comes from. */
import { isFreeMailer } from '#shared/checks/prepared-mail.ts';
import type { SqliteStore } from '../sqlite-store.ts';

/** Domains are guessed from at most this many of the most frequent recipients. */
const MAX_CANDIDATES = 20;
/** A domain is the recipients’ own if at least this share of the mails with a recipient went to it. */
const OWN_SHARE = 0.3;

/** SQL: the domain of an address. */
export const DOMAIN_OF = (column: string): string => `substr(${column}, instr(${column}, '@') + 1)`;

/**
 * The domains of the mailboxes that the evidence comes from, guessed: by the lines in which servers name for whom they
 * delivered a mail, otherwise by To. Free mailers are nobody’s own. Empty: too mixed to tell.
 */
export function ownDomains(store: SqliteStore): string[] {
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
