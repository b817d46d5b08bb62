/** Conversations: mails that name each other's ids, independent of the order of reading. */
import type { Statement } from 'better-sqlite3';
import { baseSubject } from '#shared/mail/base-subject.ts';
import { allHeaders, firstHeader } from '#shared/mail/headers.ts';
import type { ParsedMail } from '../formats/mail/types.ts';
import { lower } from '../store/stored-values.ts';
import { KeyGroups } from '../store-sqlite/evidence/key-groups.ts';

const MAX_IDS = 1_000;
const MAX_ID = 500;
/** A reply without references belongs to a mail with the same subject within this time. */
const ANSWERED_WITHIN = 30 * 86_400_000;
/** Maximum mails of one subject that are compared, of each kind. */
const MAX_COMPARED = 100;
const SHORTEST_SUBJECT = 3;

/** Ids in angle brackets, or a bare one; other words are ignored. */
function idsOf(values: readonly string[]): string[] {
  const ids: string[] = [];
  for (const value of values) {
    const text = value.slice(0, 100_000);
    const found = [...text.matchAll(/<([^<>]+)>/g)].map((match) => match[1] ?? '');
    const bare = text.trim();
    if (found.length === 0 && /.@./.test(bare) && !/[\s<>]/.test(bare)) found.push(bare);
    for (const id of found) {
      const plain = id.replace(/\s+/g, '');
      if (plain.length > 2 && plain.length <= MAX_ID) ids.push(plain);
    }
  }
  return ids.slice(0, MAX_IDS);
}

/** The conversation that Outlook names in the first 22 bytes of Thread-Index; null: none. */
function threadIndex(mail: ParsedMail): string | null {
  const value = firstHeader(mail.headers, 'Thread-Index')?.value.replace(/\s+/g, '') ?? '';
  const bytes = /^[A-Za-z0-9+/]{28,4000}={0,2}$/.test(value) ? Buffer.from(value, 'base64') : null;
  return bytes === null || bytes.length < 22 ? null : bytes.subarray(0, 22).toString('base64');
}

/** The fields of a mail that determine its conversation. */
export interface ThreadFacts {
  /** Keys that it shares with the other mails of its conversation. */
  keys: string[];
  /** Without reply prefixes; null: too little is known to match by subject. */
  subject: { base: string; isOrphan: boolean; from: string; at: number } | null;
}

export function threadFacts(mail: ParsedMail, entityId: string): ThreadFacts {
  const values = (name: string) => allHeaders(mail.headers, name).map(({ value }) => value);
  const named = [...idsOf(values('In-Reply-To')), ...idsOf(values('References'))];
  const ids = [...idsOf(values('Message-ID').slice(0, 1)), ...named];
  const { base, isAnswer } = baseSubject(mail.subject);
  const keys = new Set(ids.map((id) => `m${id}`));
  const index = threadIndex(mail);
  // Phishing kits send one index with every mail, so it connects only mails of one subject.
  if (index !== null) keys.add(`t${index} ${base}`);
  if (keys.size === 0) keys.add(`e${entityId}`);
  const from = lower(mail.author?.address);
  const at = mail.sentAt ?? mail.receivedAt;
  const isKnown = base.length >= SHORTEST_SUBJECT && at !== null;
  return {
    keys: [...keys],
    subject: isKnown && from ? { base, isOrphan: isAnswer && named.length === 0, from, at } : null,
  };
}

/** The conversation as emails have it. */
const labelOf = (thread: number): string => `c${thread}`;

export class Threads {
  readonly #sql: (text: string) => Statement;
  readonly #groups: KeyGroups;

  constructor(sql: (text: string) => Statement) {
    this.#sql = sql;
    this.#groups = new KeyGroups(sql, { table: 'evidence_threads', column: 'thread_id', labelOf });
  }

  /** The conversation of a mail by the ids in its headers; conversations that it connects are merged. */
  join({ keys }: ThreadFacts): string {
    return labelOf(this.#groups.join(keys));
  }

  /** A reply that names no mail belongs to one with the same subject between the same people, shortly before or after. */
  joinBySubject({ subject }: ThreadFacts, id: number, own: string): void {
    if (subject === null) return;
    const { base, isOrphan, from, at } = subject;
    this.#sql('INSERT OR REPLACE INTO evidence_subjects (email_id, subject, is_orphan) VALUES (?, ?, ?)').run(
      id,
      base,
      isOrphan ? 1 : 0,
    );
    const threads = new Set([own]);
    for (const kind of isOrphan ? [0, 1] : [1])
      for (const thread of this.#sql(
        `SELECT DISTINCT e.thread_id FROM
           (SELECT email_id FROM evidence_subjects WHERE subject = @base AND is_orphan = @kind
            ORDER BY email_id DESC LIMIT ${MAX_COMPARED}) s JOIN emails e ON e.id = s.email_id
         WHERE e.id <> @id AND e.from_email <> @from AND e.thread_id IS NOT NULL
           AND abs(coalesce(e.sent_at, e.received_at) - @at) <= ${ANSWERED_WITHIN}
           AND EXISTS (SELECT 1 FROM recipients r WHERE r.email_id = e.id AND r.email = @from)
           AND EXISTS (SELECT 1 FROM recipients r WHERE r.email_id = @id AND r.email = e.from_email)`,
      )
        .pluck()
        .all({ base, kind, id, from, at }) as string[])
        threads.add(thread);
    const numbers = [...threads].map((label) => Number(label.slice(1))).filter(Number.isSafeInteger);
    this.#groups.merge(numbers);
  }
}
