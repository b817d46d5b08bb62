/** Conversations: mails that name each other's ids, independent of the order of reading. */
import type { ThreadFacts } from '../../store/evidence.ts';
import type { Statements } from '../statements.ts';
import { KeyGroups } from './key-groups.ts';

/** A reply without references belongs to a mail with the same subject within this time. */
const ANSWERED_WITHIN = 30 * 86_400_000;
/** Maximum mails of one subject that are compared, of each kind. */
const MAX_COMPARED = 100;

/** The conversation as emails have it. */
const labelOf = (thread: number): string => `c${thread}`;

export class Threads {
  readonly #sql: Statements;
  readonly #groups: KeyGroups;

  constructor(sql: Statements) {
    this.#sql = sql;
    this.#groups = new KeyGroups(sql, { table: 'evidence_threads', column: 'thread_id', labelOf });
  }

  /** The conversation of a mail by the ids in its headers; conversations that it connects are merged. */
  join({ keys }: ThreadFacts): string {
    return labelOf(this.#groups.join(keys));
  }

  /** A reply that names no mail belongs to one with the same subject between the same people, shortly before or after. */
  joinBySubject({ subject }: ThreadFacts, id: number, domain: string): void {
    if (subject === null) return;
    const { base, isOrphan, from, at } = subject;
    this.#sql('INSERT OR REPLACE INTO evidence_subjects (email_id, subject, is_orphan) VALUES (?, ?, ?)').run(
      id,
      base,
      isOrphan ? 1 : 0,
    );
    const threads = new Set([domain]);
    for (const kind of isOrphan ? [0, 1] : [1])
      for (const thread of this.#sql(
        `SELECT DISTINCT e.thread_id FROM
           (SELECT email_id FROM evidence_subjects WHERE subject = @base AND is_orphan = @kind
            ORDER BY email_id DESC LIMIT ${MAX_COMPARED}) s JOIN emails e ON e.id = s.email_id
         WHERE e.id <> @id AND e.from_email <> @from AND e.thread_id IS NOT NULL
           AND abs(coalesce(e.sent_at, e.received_at) - @at) <= ${ANSWERED_WITHIN}
           AND e.from_email IN (SELECT email FROM recipients WHERE email_id = @id)
           AND EXISTS (SELECT 1 FROM recipients r WHERE r.email_id = e.id AND r.email = @from)`,
      )
        .pluck()
        .all({ base, kind, id, from, at }) as string[])
        threads.add(thread);
    const numbers = [...threads].map((label) => Number(label.slice(1))).filter(Number.isSafeInteger);
    this.#groups.merge(numbers);
  }
}
