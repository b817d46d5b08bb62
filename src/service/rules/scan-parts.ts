/** What a rule in YARA looks at in a mail: the mail as stored, its texts, what is attached, and files in attached archives. */
import { type FindingPlace, inAttachment, inBody } from '#shared/checks/check.ts';
import { type ArchiveEntry, ArchiveLimitError, type Budget } from '../formats/containers/archive.ts';
import { bufferSource } from '../formats/files/bytes.ts';
import { safeFilename } from '../formats/files/filenames.ts';
import { typeByContent } from '../formats/files/magic.ts';
import { decodeTransfer } from '../formats/files/transfer.ts';
import { archiveKindOf, attachedBudget } from '../formats/mail/attached-archives.ts';
import { type PartNode, parseStructure } from '../formats/mail/structure.ts';
import { DEFAULT_LIMITS } from '../formats/mail/types.ts';
import { isArchive } from '../formats/mailboxes/kinds.ts';
import { packedEntries } from '../formats/mailboxes/packed-entries.ts';
import { WHOLE_MAIL } from './engine.ts';

export interface ScanPart {
  place: FindingPlace;
  /** What it is called in a hit: `invoice.zip/invoice.js`; '' of the mail and its texts. */
  name: string;
  bytes: Uint8Array;
}

/** The largest part that is scanned; it is copied once. */
export const MAX_PART = 64 * 1024 * 1024;
/** Files that are scanned of all archives of a mail. */
const MAX_MEMBERS = 1_000;

async function memberBytes(entry: ArchiveEntry, budget: Budget): Promise<Buffer | null> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of entry.open()) {
    budget.bytes(piece.length);
    size += piece.length;
    if (size > MAX_PART) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** The files in an attached archive. `unread` is called with the name of each that cannot be scanned. */
async function* membersOf(
  node: PartNode,
  bytes: Buffer,
  name: string,
  room: { budget: Budget; members: number },
  unread: (name: string) => void,
): AsyncGenerator<ScanPart> {
  const kind = await archiveKindOf(node.filename, typeByContent(bytes), bytes);
  if (kind === null || !isArchive(kind)) return;
  try {
    for await (const entry of packedEntries(kind, {
      source: bufferSource(bytes),
      size: bytes.length,
      name,
    })) {
      const member = `${name}/${entry.name}`;
      room.members -= 1;
      if (room.members < 0) return unread(name);
      room.budget.entry();
      const content = entry.encrypted ? null : await memberBytes(entry, room.budget).catch(onlyDamage);
      if (content === null) unread(member);
      else yield { place: inAttachment(name), name: member, bytes: content };
    }
  } catch {
    // A damaged archive, or one that unpacks to too much: what was read of it stays.
    unread(name);
  }
}

const onlyDamage = (error: unknown): null => {
  if (error instanceof ArchiveLimitError) throw error;
  return null;
};

/** Parts one at a time. `unread` is called with the name of each that cannot be scanned: too large, encrypted or damaged. */
export async function* scanParts(raw: Buffer, unread: (name: string) => void): AsyncGenerator<ScanPart> {
  if (raw.length > MAX_PART) unread('the mail');
  else yield { place: WHOLE_MAIL, name: '', bytes: raw };
  const room = { budget: attachedBudget(raw.length), members: MAX_MEMBERS };
  async function* within(node: PartNode): AsyncGenerator<ScanPart> {
    if (!node.multipart) {
      const bytes = decodeTransfer(node.body, node.encoding);
      const isText = node.filename === null && /^text\/(?:plain|html)$/.test(node.contentType);
      const name = isText ? '' : safeFilename(node.filename, `part-${node.path}`);
      // A text that is not encoded stands in the mail as a whole.
      const isSame = isText && !/^(?:base64|quoted-printable|x-uuencode|uuencode)$/i.test(node.encoding);
      if (bytes.length > MAX_PART) unread(name);
      else if (!isSame) yield { place: isText ? inBody() : inAttachment(name), name, bytes };
      if (!isText) yield* membersOf(node, bytes, name, room, unread);
    }
    for (const child of node.children) yield* within(child);
  }
  yield* within(parseStructure(raw, DEFAULT_LIMITS).root);
}
