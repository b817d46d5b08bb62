/** Mail in an archive or a mailbox that is attached to a mail: `reports.zip` with an `.eml` in it. */
import { hash } from 'node:crypto';
import { ARCHIVE_LIMITS, ArchiveLimitError, Budget } from '../containers/archive.ts';
import { bufferSource } from '../files/bytes.ts';
import { isArchive, kindOf, type MailKind, SNIFF_BYTES } from '../mailboxes/kinds.ts';
import { isQuoted, unquoteFrom } from '../mailboxes/mbox.ts';
import { type ContentLimits, contentsOf, ENCRYPTED_ENTRY } from './contents.ts';
import type { AttachedArchive } from './types.ts';

/** By content if the name is misleading; documents in a zip container have other types. */
const BY_CONTENT: ReadonlyMap<string | null, MailKind> = new Map([
  ['application/zip', 'zip'],
  ['application/gzip', 'gzip'],
  ['application/x-bzip2', 'bzip2'],
  ['application/x-xz', 'xz'],
  ['application/zstd', 'zstd'],
  ['application/x-tar', 'tar'],
]);

/**
 * The kind of an attachment that may contain several mails, or null for another attachment. `type` is that of its content
 * (magic.ts).
 */
export async function archiveKindOf(
  name: string | null,
  type: string | null,
  bytes: Buffer,
): Promise<MailKind | null> {
  const existingKind = BY_CONTENT.get(type);
  if (existingKind !== undefined) return existingKind;
  const kind = await kindOf(name ?? '', null, async () => bytes.toString('latin1', 0, SNIFF_BYTES));
  return kind !== null && (isArchive(kind) || kind === 'mbox') ? kind : null;
}

/** The total unpacked size allowed for all archives attached to one message of evidence and to the mails in it. */
export const attachedBudget = (packed: number): Budget =>
  new Budget(packed, {
    ...ARCHIVE_LIMITS,
    entries: 1_000,
    bytes: 256 * 1024 * 1024,
    inner: 64 * 1024 * 1024,
  });

/** `place` is its path in the archive, including nested archives; '' in a mailbox that is itself attached. */
type Found =
  | { kind: 'mail'; place: string; bytes: Buffer; sha256: string }
  | { kind: 'problem'; place: string; reason: string };

/**
 * The mails in it, one in memory at a time, and files that may be mail but could not be read. Other files are only told to
 * `onFile`. Throws ArchiveLimitError when the budget is used up.
 */
export async function* mailsInArchive(
  { kind, name, bytes }: AttachedArchive,
  budget: Budget,
  maxMessageBytes: number,
  onFile?: ContentLimits['onFile'],
): AsyncGenerator<Found> {
  const holder = { kind, name, source: bufferSource(bytes), size: bytes.length };
  const limits = { maxMessageBytes, ...(onFile ? { onFile } : {}) };
  try {
    for await (const content of contentsOf(holder, limits, undefined, budget)) {
      if (content.kind === 'message') {
        if (content.slot.length > maxMessageBytes) {
          yield {
            kind: 'problem',
            place: content.entry,
            reason: `it has more than ${maxMessageBytes} bytes`,
          };
          continue;
        }
        const read = await content.bytes();
        const mail = content.boxed && isQuoted(content.slot, read) ? unquoteFrom(read) : read;
        yield { kind: 'mail', place: content.entry, bytes: mail, sha256: hash('sha256', mail, 'hex') };
      } else if (content.problem !== 'other entry' && content.reason !== ENCRYPTED_ENTRY)
        yield { kind: 'problem', place: content.entry, reason: content.reason };
    }
  } catch (error) {
    if (error instanceof ArchiveLimitError) throw error;
    yield { kind: 'problem', place: '', reason: error instanceof Error ? error.message : 'it is damaged' };
  }
}
