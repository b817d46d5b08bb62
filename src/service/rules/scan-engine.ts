/** Rules in YARA and MQL, which need the bytes of a mail: they run in a thread of their own. */
import { organisationalDomain } from '#shared/mail/domains.ts';
import { plural } from '#shared/model/format.ts';
import type { EmailRow } from '../store/emails.ts';
import { ownDomains } from '../store-sqlite/evidence/own-domains.ts';
import type { SqliteStore } from '../store-sqlite/sqlite-store.ts';
import { type RuleEngine, RuleError } from './engine.ts';
import { type ScanMail, ScanRefusal } from './scanner.ts';

/** Own domains are counted again once there are so many times as many mails. */
const GROWTH = 2;
const counted = new WeakMap<SqliteStore, { mails: number; domains: readonly string[] }>();

/** The organisational domains of the case’s own mailboxes, as MQL compares them. */
function organisations(store: SqliteStore): readonly string[] {
  const mails = Number(store.db.prepare('SELECT max(id) FROM emails').pluck().get() ?? 0);
  const before = counted.get(store);
  if (before !== undefined && mails < before.mails * GROWTH) return before.domains;
  const domains = [...new Set(ownDomains(store).map((domain) => organisationalDomain(domain) ?? domain))];
  counted.set(store, { mails, domains });
  return domains;
}

/** What the mail is called where it is told as not finished. */
const subjectOf = (store: SqliteStore, id: number): string =>
  String(store.db.prepare('SELECT subject FROM emails WHERE id = ?').pluck().get(id) ?? '').slice(0, 80) ||
  '(no subject)';

async function refused<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof ScanRefusal ? new RuleError(error.message) : error;
  }
}

export const scanEngine = (kind: 'yara' | 'mql'): RuleEngine => ({
  kind,
  async prepare(store, { digest, text }, scanner) {
    if (scanner === null)
      throw new RuleError('This kind of rule needs a thread of its own, which is missing here.');
    const rule = { key: `${kind} ${digest}`, kind, text };
    const lacks = await refused(scanner.compile(rule));
    const row = store.db.prepare<unknown[], EmailRow>('SELECT * FROM emails WHERE id = ?');
    const unfinished = new Set<number>();
    return {
      async hits(emailIds) {
        scanner.setOwnDomains(organisations(store));
        const mails = emailIds.flatMap((id): ScanMail[] => {
          const email = row.get(id);
          const message = email && store.source.message(store, email);
          return message ? [{ id, size: message.size, bytes: () => message.bytes() }] : [];
        });
        const result = await refused(scanner.find(rule, mails));
        for (const id of emailIds) unfinished.delete(id);
        for (const id of result.unfinished) unfinished.add(id);
        return result.hits;
      },
      note() {
        const [first] = unfinished;
        if (first === undefined) return lacks;
        const words = `Not finished on ${plural(unfinished.size, 'email')}, such as “${subjectOf(store, first)}”: too large, encrypted, damaged, gone or too slow`;
        return lacks === null ? words : `${lacks}. ${words}`;
      },
      close: () => void scanner.forget(rule.key),
    };
  },
});
