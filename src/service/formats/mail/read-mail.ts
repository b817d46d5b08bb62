/** A mail and those attached to it, each parsed separately. */
import { plural } from '#shared/model/format.ts';
import type { AttachedMail } from '../../store/evidence.ts';
import { ArchiveLimitError, type Budget } from '../containers/archive.ts';
import { memberOf } from '../containers/members.ts';
import { Unpacking } from '../crypto/unpacking.ts';
import { attachedBudget, mailsInArchive } from './attached-archives.ts';
import type { ContentLimits } from './contents.ts';
import type { DkimKeys } from './dkim-keys.ts';
import { parseMessage } from './parse.ts';
import type { AttachedPart, EvidenceLimits, FoundMail, MailResult, ParsedMail } from './types.ts';

/** `make` builds the stored form of a mail in the thread that parses it. */
export interface MailReading<T> {
  limits: EvidenceLimits;
  /** Authserv-ids that the analyst trusts, lowercased. */
  believed: readonly string[];
  /** Of DKIM, that the analyst gave. */
  keys?: DkimKeys;
  make(mail: ParsedMail, raw: Buffer, sha256: string): T;
}

/** The remaining budget for the mails attached to one message. */
interface Room {
  mails: number;
  bytes: number;
  archives: Budget;
  unpacking: Unpacking;
}

/** Unread files of attached archives that the problems of a mail name. */
const MOST_NAMED = 5;

/**
 * The mails in the attached archives, whose files become members of the attachments; unreadable files become problems of
 * the mail.
 */
async function* inArchives(
  mail: ParsedMail,
  room: Room,
  limits: EvidenceLimits,
): AsyncGenerator<AttachedPart> {
  let unread = 0;
  const report = (problem: string) => {
    unread += 1;
    if (unread <= MOST_NAMED) mail.problems.push(problem);
  };
  for (const archive of mail.attachedArchives) {
    const { path, name, kind } = archive;
    const members = mail.attachments.find((attachment) => attachment.path === path)?.members ?? [];
    try {
      const most = Math.max(0, Math.min(limits.maxMessageBytes, room.bytes));
      // What an Outlook store holds are mails instead of files.
      const list: ContentLimits['onFile'] =
        kind === 'pst' ? undefined : (file, start) => void members.push(memberOf(file, start));
      for await (const entry of mailsInArchive(archive, room.archives, most, list)) {
        const place = entry.place === '' ? name : `${name}/${entry.place}`;
        if (entry.kind === 'problem') report(`mail may be in the attached “${place}”: ${entry.reason}`);
        else yield { path: `${path}/${place}`, bytes: entry.bytes, sha256: entry.sha256 };
      }
    } catch (error) {
      if (!(error instanceof ArchiveLimitError)) throw error;
      report(
        `the attached “${name}”, and archives after it, are listed and searched for mail in part: ${error.message}`,
      );
      break;
    }
  }
  if (unread > MOST_NAMED)
    mail.problems.push(
      `mail may be in ${plural(unread - MOST_NAMED, 'further attached file')} that could not be read`,
    );
}

async function* attachedParts(
  mail: ParsedMail,
  room: Room,
  limits: EvidenceLimits,
): AsyncGenerator<AttachedPart> {
  yield* mail.attachedMails;
  yield* inArchives(mail, room, limits);
}

/** Omitted attached mails become a problem of the mail. */
async function attachedTo<T>(
  mail: ParsedMail,
  depth: number,
  room: Room,
  reading: MailReading<T>,
  isParted: boolean,
) {
  const out: AttachedMail<T>[] = [];
  for await (const { path: part, bytes, sha256 } of attachedParts(mail, room, reading.limits)) {
    room.mails -= 1;
    room.bytes -= bytes.length;
    if (depth > reading.limits.maxAttachedDepth || room.mails < 0 || room.bytes < 0) {
      mail.problems.push('some attached mails are no emails of their own: too many, too large or too deep');
      if (mail.attachedArchives.length > 0)
        mail.problems.push('the files in attached archives are listed in part');
      break;
    }
    const { limits, believed, keys } = reading;
    const result = await parseMessage(bytes, limits, believed, isParted, room.unpacking, keys);
    if (!result.ok) {
      mail.problems.push(`the attached mail at part ${part} is no email of its own: ${result.reason}`);
      continue;
    }
    const attached = await attachedTo(result.mail, depth + 1, room, reading, isParted);
    out.push({ part, sha256, content: { ...reading.make(result.mail, bytes, sha256), sha256, attached } });
  }
  // The bytes are no longer needed.
  mail.attachedMails = [];
  mail.attachedArchives = [];
  return out;
}

/** Never rejects because of the mail's content. */
export async function readMail<T>(
  { raw, sha256, isParted }: FoundMail,
  reading: MailReading<T>,
): Promise<MailResult<T>> {
  const { limits, believed, keys, make } = reading;
  const unpacking = new Unpacking();
  const result = await parseMessage(raw, limits, believed, isParted, unpacking, keys);
  if (!result.ok) return result;
  const room: Room = {
    mails: limits.maxAttached,
    bytes: limits.maxAttachedBytes,
    archives: attachedBudget(raw.length),
    unpacking,
  };
  const attached = await attachedTo(result.mail, 1, room, reading, isParted);
  const bytes = raw.length + Math.max(0, limits.maxAttachedBytes - Math.max(0, room.bytes));
  return { ok: true, mail: { ...make(result.mail, raw, sha256), sha256, attached }, bytes };
}
