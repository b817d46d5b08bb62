/** The fields of a mail that determine its conversation: mails that name each other's ids. */
import { baseSubject } from '#shared/mail/base-subject.ts';
import { allHeaders, firstHeader } from '#shared/mail/headers.ts';
import type { ParsedMail } from '../formats/mail/types.ts';
import type { ThreadFacts } from '../store/evidence.ts';
import { lower } from '../store/stored-values.ts';

const MAX_IDS = 1_000;
const MAX_ID = 500;
const SHORTEST_SUBJECT = 3;

/** Ids in angle brackets, or a bare one; other words are ignored. */
function idsOf(values: readonly string[]): string[] {
  const ids: string[] = [];
  for (const value of values) {
    const text = value.slice(0, 100_000);
    const tokens = [...text.matchAll(/<([^<>]+)>/g)].map((match) => match[1] ?? '');
    const bare = text.trim();
    if (tokens.length === 0 && /.@./.test(bare) && !/[\s<>]/.test(bare)) tokens.push(bare);
    for (const id of tokens) {
      const plain = id.replace(/\s+/g, '');
      if (plain.length > 2 && plain.length <= MAX_ID) ids.push(plain);
    }
  }
  return ids.slice(0, MAX_IDS);
}

/** The conversation that Outlook names in the first 22 bytes of Thread-Index, if it does. */
function threadIndex(mail: ParsedMail): string | null {
  const value = firstHeader(mail.headers, 'Thread-Index')?.value.replace(/\s+/g, '') ?? '';
  const bytes = /^[A-Za-z0-9+/]{28,4000}={0,2}$/.test(value) ? Buffer.from(value, 'base64') : null;
  return bytes === null || bytes.length < 22 ? null : bytes.subarray(0, 22).toString('base64');
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
  const time = mail.sentAt ?? mail.receivedAt;
  const isKnown = base.length >= SHORTEST_SUBJECT && time !== null;
  return {
    keys: [...keys],
    subject: isKnown && from ? { base, isOrphan: isAnswer && named.length === 0, from, at: time } : null,
  };
}
