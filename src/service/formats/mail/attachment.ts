/** Reads an imported mail, or one of its attachments, again from the mail's own file. */
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { realPath } from '#workers/real-path.ts';
import type { EvidenceSource } from '../../store/evidence.ts';
import { ARCHIVE_LIMITS, type Budget } from '../containers/archive.ts';
import { decompressedMail } from '../containers/compressions.ts';
import { type ByteSource, fileSource } from '../files/bytes.ts';
import { typeByContent } from '../files/magic.ts';
import { openRegular } from '../files/open-regular.ts';
import { partFile } from '../files/part-file.ts';
import { besideOf, type FilePath, pathOf } from '../files/paths.ts';
import { reasonOf } from '../files/reason.ts';
import { decodeTransfer } from '../files/transfer.ts';
import { DovecotFolders } from '../mailboxes/dovecot-parts.ts';
import { isConverted, kindOf, SNIFF_BYTES } from '../mailboxes/kinds.ts';
import { readSlot, unquoteFrom } from '../mailboxes/mbox.ts';
import { bodyName, isQueueKind, queuedMail } from '../mailboxes/queue-files.ts';
import { partsOf } from '../mailboxes/record-box.ts';
import { attachedMsg } from '../outlook/msg.ts';
import { rejoined } from './apple-mail.ts';
import { archiveKindOf, attachedBudget, mailsInArchive } from './attached-archives.ts';
import { converted, inEntry, sniffed } from './contents.ts';
import { type PartNode, parseStructure } from './structure.ts';
import { DEFAULT_LIMITS } from './types.ts';

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

function find(node: PartNode, sha256: string): Buffer | null {
  if (!node.multipart) {
    const bytes = decodeTransfer(node.body, node.encoding);
    if (sha256Of(bytes) === sha256) return bytes;
    const mail = attachedMsg(node, bytes)?.mail;
    if (mail && sha256Of(mail) === sha256) return mail;
  }
  for (const child of node.children) {
    const attachment = find(child, sha256);
    if (attachment) return attachment;
  }
  return null;
}

const leafOf = (name: string): string => name.slice(name.lastIndexOf('/') + 1).replace(/#\d+$/, '');

async function slotOf(
  root: string,
  file: { source: ByteSource; size: number; name: string; path: FilePath },
  place: EvidenceSource,
): Promise<Buffer> {
  const limit = ARCHIVE_LIMITS.window;
  const read = async (source: ByteSource): Promise<Buffer> => {
    const bytes = await readSlot(source, place);
    const start = async () => bytes.toString('latin1', 0, SNIFF_BYTES);
    const leaf = await kindOf(leafOf(place.entry || file.name), null, start);
    if (leaf === 'emlx' && place.entry === '') return rejoined(bytes, root, place.file, DEFAULT_LIMITS);
    if (isConverted(leaf)) return converted(leaf, bytes).mail;
    if (leaf !== null && isQueueKind(leaf)) {
      const half = place.entry === '' ? bodyName(leaf, leafOf(file.name)) : null;
      const limit = DEFAULT_LIMITS.maxMessageBytes;
      const body = half === null ? null : await partFile(besideOf(file.path, half), limit);
      return queuedMail(leaf, bytes, body).mail;
    }
    const mail = (await decompressedMail(bytes, DEFAULT_LIMITS.maxMessageBytes)) ?? bytes;
    const parts = place.entry === '' ? await partsOf(source, place) : [];
    if (parts.length === 0) return mail;
    return (
      await new DovecotFolders(root, DEFAULT_LIMITS.maxMessageBytes).putBackFor(place.file)(mail, parts)
    ).mail;
  };
  if (place.entry === '') return read(file.source);
  const kind = (await kindOf(file.name, null, () => sniffed(file.source))) ?? 'zip';
  const bytes = await inEntry({ ...file, kind }, place.entry, limit, read);
  if (bytes === null) throw new Error('The mail’s archive has changed since it was imported');
  return bytes;
}

/** The bytes of the message. Throws, in words, when the file is gone or has changed since the import. */
export async function readMessage(root: string, source: EvidenceSource): Promise<Buffer> {
  const real = await realPath(root).catch(() => null);
  const info = real === null ? null : await stat(real).catch(() => null);
  if (real === null || !info) throw new Error('The evidence is no longer where it was');
  // When a single file was opened, it is its own root.
  const file = info.isDirectory() ? pathOf(real, source.file) : real;
  const opened = await openRegular(file).catch((error: NodeJS.ErrnoException) => {
    const isGone = error.code === 'ENOENT' || error.code === 'ENOTDIR';
    throw new Error(
      isGone ? 'The mail’s file is no longer there' : `The mail’s file cannot be read: ${reasonOf(error)}`,
    );
  });
  const { handle } = opened;
  try {
    const bytes = await slotOf(
      real,
      { source: fileSource(handle, opened.size), size: opened.size, name: source.file, path: file },
      source,
    );
    const raw = source.mbox ? unquoteFrom(bytes) : bytes;
    if (sha256Of(raw) !== source.sha256) throw new Error('The mail’s file has changed since it was imported');
    return raw;
  } finally {
    await handle.close();
  }
}

/** The mail with this hash in an archive that is attached. */
async function inArchives(node: PartNode, sha256: string, budget: Budget): Promise<Buffer | null> {
  if (!node.multipart) {
    const bytes = decodeTransfer(node.body, node.encoding);
    const kind = await archiveKindOf(node.filename, typeByContent(bytes), bytes);
    const archive = { path: node.path, name: node.filename ?? '', kind, bytes };
    if (archive.kind !== null)
      for await (const mail of mailsInArchive(
        { ...archive, kind: archive.kind },
        budget,
        DEFAULT_LIMITS.maxMessageBytes,
      ))
        if (mail.kind === 'mail' && mail.sha256 === sha256) return mail.bytes;
  }
  for (const child of node.children) {
    const attachment = await inArchives(child, sha256, budget);
    if (attachment) return attachment;
  }
  return null;
}

/** The decoded bytes of the part, or the mail in an attached archive, with this hash in the mail `raw`. Throws when there is none. */
export async function partOf(raw: Buffer, sha256: string): Promise<Buffer> {
  const { root } = parseStructure(raw, DEFAULT_LIMITS);
  const bytes = find(root, sha256) ?? (await inArchives(root, sha256, attachedBudget(raw.length)));
  if (!bytes) throw new Error('The attachment is not in its mail');
  return bytes;
}
