/** Rules in YARA and MQL, which need the bytes of a mail: they run in a thread of their own. */
import { organisationalDomain } from '#shared/mail/domains.ts';
import { plural } from '#shared/model/format.ts';
import type { Store } from '../store/store.ts';
import { type RuleEngine, RuleError } from './engine.ts';
import { type ScanMail, ScanRefusal } from './scanner.ts';

/** Own domains are counted again once there are so many times as many mails. */
const GROWTH = 2;
const counted = new WeakMap<Store, { mails: number; domains: readonly string[] }>();

/** The organisational domains of the case’s own mailboxes, as MQL compares them. */
async function organisations(store: Store): Promise<readonly string[]> {
  const mails = await store.mails.count();
  const before = counted.get(store);
  if (before !== undefined && mails < before.mails * GROWTH) return before.domains;
  const ownDomains = await store.mails.ownDomains();
  const domains = [...new Set(ownDomains.map((domain) => organisationalDomain(domain) ?? domain))];
  counted.set(store, { mails, domains });
  return domains;
}

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
    /** Mails by id, with what they are called where they are told as not finished. */
    const unfinished = new Map<number, string>();
    return {
      unfinished,
      async hits(emailIds) {
        scanner.setOwnDomains(await organisations(store));
        const mails: ScanMail[] = [];
        const subjects = new Map<number, string>();
        for (const id of emailIds) {
          const email = await store.mails.row(id);
          const message = email && store.source.message(store, email);
          if (!message) continue;
          subjects.set(id, email.subject.slice(0, 80) || '(no subject)');
          mails.push({ id, size: message.size, bytes: () => message.bytes() });
        }
        const result = await refused(scanner.find(rule, mails));
        for (const id of emailIds) unfinished.delete(id);
        for (const id of result.unfinished) unfinished.set(id, subjects.get(id) ?? '(no subject)');
        return result.hits;
      },
      note() {
        const [first] = unfinished.values();
        if (first === undefined) return lacks;
        const words = `Not finished on ${plural(unfinished.size, 'email')}, such as “${first}”: too large, encrypted, damaged, gone or too slow`;
        return lacks === null ? words : `${lacks}. ${words}`;
      },
      close: () => void scanner.forget(rule.key),
    };
  },
});
