/** A mail and those attached to it, each parsed separately. */
import { parseMessage } from './parse.ts';
import type { AttachedMail, EvidenceLimits, MailResult, ParsedMail } from './types.ts';

/** `make`: builds the stored form of a mail in the thread that parses it. */
export interface MailReading<T> {
  limits: EvidenceLimits;
  /** Authserv-ids that the analyst trusts, lowercased. */
  believed: readonly string[];
  make(mail: ParsedMail, raw: Buffer, sha256: string): T;
}

interface Room {
  mails: number;
  bytes: number;
}

/** Omitted attached mails become a problem of the mail. */
async function attachedTo<T>(mail: ParsedMail, depth: number, room: Room, reading: MailReading<T>) {
  const out: AttachedMail<T>[] = [];
  for (const { path: part, bytes, sha256 } of mail.attachedMails) {
    room.mails -= 1;
    room.bytes -= bytes.length;
    if (depth > reading.limits.maxAttachedDepth || room.mails < 0 || room.bytes < 0) {
      mail.problems.push('some attached mails are no emails of their own: too many, too large or too deep');
      break;
    }
    const result = await parseMessage(bytes, reading.limits, reading.believed);
    if (!result.ok) {
      mail.problems.push(`the attached mail at part ${part} is no email of its own: ${result.reason}`);
      continue;
    }
    const attached = await attachedTo(result.mail, depth + 1, room, reading);
    out.push({ part, sha256, content: { ...reading.make(result.mail, bytes, sha256), sha256, attached } });
  }
  // The bytes are no longer needed.
  mail.attachedMails = [];
  return out;
}

/** Never rejects because of what the mail is. */
export async function readMail<T>(
  raw: Buffer,
  sha256: string,
  reading: MailReading<T>,
): Promise<MailResult<T>> {
  const { limits, believed, make } = reading;
  const result = await parseMessage(raw, limits, believed);
  if (!result.ok) return result;
  const room = { mails: limits.maxAttached, bytes: limits.maxAttachedBytes };
  const attached = await attachedTo(result.mail, 1, room, reading);
  const bytes = raw.length + Math.max(0, limits.maxAttachedBytes - Math.max(0, room.bytes));
  return { ok: true, mail: { ...make(result.mail, raw, sha256), sha256, attached }, bytes };
}
