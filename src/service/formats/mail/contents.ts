/** The mails in a file: a single mail, an mbox, or an archive of these. */

import type { EvidenceProblem } from '../../store/evidence.ts';
import { ARCHIVE_LIMITS, ArchiveLimitError, type ArchiveLimits, Budget } from '../containers/archive.ts';
import { compressionOf, decompressedMail, isCompression } from '../containers/compressions.ts';
import type { ListedFile } from '../containers/members.ts';
import {
  type ByteSource,
  bufferSource,
  bytesAt,
  ChangedError,
  StreamSource,
  wholeOf,
} from '../files/bytes.ts';
import { startsMail } from '../files/mail-start.ts';
import { readStart } from '../files/open-regular.ts';
import { UnknownMethodError } from '../files/unknown-method.ts';
import type { PutBack } from '../mailboxes/dovecot-parts.ts';
import {
  ANY_FIELD,
  type ConvertedKind,
  isArchive,
  isConverted,
  isReadAcross,
  kindOf,
  type MailKind,
  packedAs,
  type Role,
  SNIFF_BYTES,
  unopened,
} from '../mailboxes/kinds.ts';
import { type MboxSlot, mboxSlots, readSlot } from '../mailboxes/mbox.ts';
import { packedEntries } from '../mailboxes/packed-entries.ts';
import { bodyName, isQueueKind, queuedMail } from '../mailboxes/queue-files.ts';
import { mailOfMsg } from '../outlook/msg.ts';
import { NoMailError, PstError } from '../outlook/pst-blocks.ts';
import { mailOfTnef } from '../outlook/tnef.ts';
import { mailOfSmime, NotMailError } from './smime-file.ts';

/** A mail, or something unread with the reason. `entry` is the path in the archive, '' the file itself. */
export type Content =
  | {
      kind: 'message';
      entry: string;
      slot: MboxSlot;
      boxed: boolean;
      /** Dovecot keeps attachments elsewhere, which are empty in it. */
      isParted: boolean;
      bytes(): Promise<Buffer>;
    }
  | {
      kind: 'problem';
      entry: string;
      problem: EvidenceProblem['kind'];
      reason: string;
    };

export interface ContentLimits {
  maxMessageBytes: number;
  archive?: ArchiveLimits;
  /** Called for each file in an archive before it is opened, with its first bytes if they can be read. */
  onFile?: (file: ListedFile, start: Buffer | null) => void;
}

interface Holder {
  kind: MailKind;
  source: ByteSource;
  /** Bytes; 0 if unknown before the end of the stream. */
  size: number;
  /** Bytes that an archive says it unpacks to. */
  expected?: number;
  name: string;
  /** Puts back attachments that Dovecot keeps in files beside it. */
  putBack?: PutBack;
  /** The file of this name beside it, or null if there is none. */
  beside?(name: string): Promise<Buffer | null>;
}

const NONE: PutBack = async (mail) => ({ mail, isParted: true });

/** Metadata of a message that the mbox reader needs. */
const AROUND = 4 * 1024 * 1024;
/** Number of first bytes of a message that are checked for compression. */
const PACKED_BYTES = 64;
const OTHER_LOGS = /\.(?:json|jsonl|ndjson|csv|tsv)$/i;

/** The line before the mail of an .emlx, and the property list after it. */
const EMLX_AROUND = 1024 * 1024;

/** Outlook for Mac's header before the source of a mail ends with this tag and four more bytes. */
const OLK_TAG = Buffer.from('crSM');
const OLK_BEFORE = 512;

/**
 * The range of the mail in a source of Outlook for Mac, or null if no mail starts after the tag or at the start of
 * the file.
 */
function olkSlot(bytes: Buffer): MboxSlot | null {
  const tag = bytes.subarray(0, OLK_BEFORE).indexOf(OLK_TAG);
  const offset = tag < 0 ? 0 : tag + OLK_TAG.length + 4;
  const isMail = tag < 0 ? startsMail(bytes) : ANY_FIELD.test(bytes.toString('latin1', offset, offset + 100));
  return isMail ? { offset, length: bytes.length - offset } : null;
}

/** The range of the mail in an .emlx, or null if its first line is not a number. */
function emlxSlot(bytes: Buffer): MboxSlot | null {
  const [line = '', count] = /^[ \t]*(\d{1,12})[ \t]*\r?\n/.exec(bytes.toString('latin1', 0, 64)) ?? [];
  return count === undefined ? null : { offset: line.length, length: Number(count) };
}

const CONVERTERS = { msg: mailOfMsg, tnef: mailOfTnef, smime: mailOfSmime };

/** Converts another format to mail. Throws, in words; NotMailError: it holds something else. */
export const converted = (kind: ConvertedKind, bytes: Buffer): { mail: Buffer; isDamaged: boolean } =>
  CONVERTERS[kind](bytes);

/** Why an archive or a file in it could not be unpacked, in words. */
const unpacking = (error: unknown): string =>
  error instanceof PstError || error instanceof UnknownMethodError
    ? error.message
    : `it is damaged, or not what its name says (${error instanceof Error ? error.message : 'unknown error'})`;

/** Node has no codes for some system errors, such as ESTALE of a share or EREMOTEIO of a memory card. */
const isSystemError = (error: unknown): boolean =>
  error instanceof ChangedError || (error instanceof Error && 'errno' in error && 'syscall' in error);

const baseOf = (name: string): string => name.slice(name.lastIndexOf('/') + 1);
/** The start of a file, as `kindOf` needs it. */
export const sniffed = async (source: ByteSource): Promise<string> =>
  (await readStart(source, SNIFF_BYTES)).toString('latin1');
const roleOf = (name: string): Role => (/(?:^|\/)(?:cur|new)\/[^/]+$/.test(name) ? 'messages' : null);

/** Why an encrypted entry is not read. */
export const ENCRYPTED_ENTRY = 'encrypted: a password protects it in the archive';

class Contents {
  readonly #limits: ContentLimits;
  readonly #archive: ArchiveLimits;
  readonly #signal: AbortSignal | undefined;
  readonly #budget: Budget;
  /** Outlook items other than mail, counted by class. */
  readonly #others = new Map<string, number>();
  #unlisted = 0;
  #listed = 0;

  constructor(limits: ContentLimits, budget: Budget, signal?: AbortSignal) {
    this.#limits = limits;
    this.#archive = budget.limits;
    this.#signal = signal;
    this.#budget = budget;
  }

  async *of(holder: Holder): AsyncGenerator<Content> {
    if (!isArchive(holder.kind)) {
      yield* this.#mails(holder, '');
      return;
    }
    try {
      yield* this.#inArchive(holder, '', 1);
    } catch (error) {
      this.#signal?.throwIfAborted();
      if (error instanceof ArchiveLimitError || isSystemError(error)) throw error;
      throw new Error(unpacking(error));
    }
    for (const [kind, count] of this.#others)
      yield this.#problem('', 'other entry', `${count} items of Outlook in it are no mail (${kind})`);
    if (this.#unlisted > 0) yield this.#unread('', `and ${this.#unlisted} further files in it are not read`);
  }

  #problem(entry: string, problem: EvidenceProblem['kind'], reason: string): Content {
    return { kind: 'problem', entry, problem, reason };
  }

  #unread(entry: string, reason: string): Content {
    return this.#problem(entry, 'unread entry', reason);
  }

  /** The mails of a mailbox; those that could not be read are counted by reason. */
  async *#boxed({ source, putBack = NONE }: Holder, entry: string): AsyncGenerator<Content> {
    let foundCount = 0;
    const failures: unknown[] = [];
    const unread = new Map<string, number>();
    const leave = (reason: string) => unread.set(reason, (unread.get(reason) ?? 0) + 1);
    try {
      for await (const slot of mboxSlots(source, this.#signal)) {
        foundCount += 1;
        const start = slot.record && (await bytesAt(source, slot.offset, PACKED_BYTES)).toString('latin1');
        const packed = start === undefined ? null : packedAs(start);
        if (packed !== null) {
          leave(`${packed}, which is not opened here`);
          continue;
        }
        let bytes = () => readSlot(source, slot);
        if (start && compressionOf(start) !== null && slot.length <= this.#limits.maxMessageBytes) {
          const unpacked = await decompressedMail(await bytes(), this.#limits.maxMessageBytes);
          if (unpacked === null) {
            leave('compressed, and damaged or too large');
            continue;
          }
          bytes = async () => unpacked;
        }
        const parts = slot.record?.parts ?? [];
        let isParted = parts.length > 0;
        if (isParted && slot.length <= this.#limits.maxMessageBytes) {
          const mail = await bytes();
          const rejoined = await putBack(mail, parts).catch((error: unknown) => {
            failures.push(error);
            return { mail, isParted };
          });
          bytes = async () => rejoined.mail;
          isParted = rejoined.isParted;
        }
        yield { kind: 'message', entry, slot, boxed: true, isParted, bytes };
        if (isParted) leave('without attachments that Dovecot keeps in other files');
      }
    } catch (error) {
      this.#signal?.throwIfAborted();
      failures.push(error);
    }
    for (const [reason, count] of unread)
      yield this.#unread(entry, `mails in it are ${reason} (${count}): export them with doveadm first`);
    if (failures.length > 0) throw failures[0];
    if (foundCount > 0) return;
    const isEmpty = (await readStart(source, 1)).length === 0;
    const reason = isEmpty ? 'the file is empty' : 'no mail follows its first line';
    yield this.#problem(entry, 'unparsable', reason);
  }

  async *#mails(holder: Holder, entry: string): AsyncGenerator<Content> {
    const { kind, source, size, expected } = holder;
    if (kind === 'mbox') {
      yield* this.#boxed(holder, entry);
      return;
    }
    const limit = this.#limits.maxMessageBytes;
    if (entry === '' && (kind === 'mail' || size > limit)) {
      const slot = { offset: 0, length: size };
      const bytes = async () => source.whole ?? (await readSlot(source, slot));
      yield { kind: 'message', entry, slot, boxed: false, isParted: false, bytes };
      return;
    }
    source.forward?.();
    const whole = await wholeOf(source, limit + EMLX_AROUND, expected);
    if (whole === null || (whole.length > limit && kind !== 'emlx'))
      yield this.#problem(entry, 'too-large', `the message has more than ${limit} bytes, the limit`);
    else yield* this.#item(holder, whole, entry);
  }

  async *#item({ kind, name, beside }: Holder, whole: Buffer, entry: string): AsyncGenerator<Content> {
    const message = (offset: number, bytes: Buffer, length = bytes.length): Content => {
      const slot = { offset, length };
      return { kind: 'message', entry, slot, boxed: false, isParted: false, bytes: async () => bytes };
    };
    if (kind === 'emlx') {
      const slot = emlxSlot(whole);
      if (slot === null) {
        yield this.#problem(
          entry,
          'unparsable',
          'no .emlx: its first line does not count the bytes of a mail',
        );
        return;
      }
      const bytes = whole.subarray(slot.offset, slot.offset + slot.length);
      yield message(slot.offset, bytes);
      if (bytes.length < slot.length)
        yield this.#unread(entry, `the mail is cut off: ${bytes.length} of ${slot.length} bytes`);
    } else if (kind === 'olk') {
      const slot = olkSlot(whole);
      if (slot !== null) yield message(slot.offset, whole.subarray(slot.offset));
      else
        yield this.#unread(
          entry,
          'a message of Outlook for Mac in which no mail is found: export it as .eml first',
        );
    } else if (isConverted(kind)) {
      try {
        const { mail, isDamaged } = converted(kind, whole);
        yield message(0, mail, whole.length);
        if (isDamaged)
          yield this.#unread(entry, 'the file is damaged; parts of the mail are missing or changed');
      } catch (error) {
        const problem = error instanceof NotMailError ? 'other entry' : 'unread entry';
        yield this.#problem(entry, problem, error instanceof Error ? error.message : 'it is damaged');
      }
    } else if (isQueueKind(kind)) {
      const half = bodyName(kind, baseOf(name));
      const body = half === null ? null : ((await beside?.(half)) ?? null);
      const { mail, isDamaged } = queuedMail(kind, whole, body);
      yield message(0, mail, whole.length);
      if (half !== null && body === null)
        yield this.#unread(
          entry,
          beside === undefined
            ? `the body of the mail is in another file of the archive, “${half}”: unpack it first`
            : `the body of the mail is not beside it: “${half}” is missing`,
        );
      else if (isDamaged) yield this.#unread(entry, 'it is damaged, and the mail not complete');
    } else yield message(0, whole);
  }

  /** Lists unread entries, by name up to a limit. */
  *#leftOut(entry: string, problem: 'other entry' | 'unread entry', reason: string): Generator<Content> {
    this.#listed += 1;
    if (this.#listed > this.#archive.listed) this.#unlisted += 1;
    else yield this.#problem(entry, problem, reason);
  }

  async #tell(file: ListedFile, source: ByteSource): Promise<void> {
    if (this.#limits.onFile === undefined) return;
    let start: Buffer | null = null;
    try {
      start = await readStart(source, SNIFF_BYTES);
    } finally {
      this.#limits.onFile(file, start);
    }
  }

  async *#inArchive(archive: Holder, prefix: string, level: number): AsyncGenerator<Content> {
    if (!isArchive(archive.kind)) return;
    const window = Math.min(this.#limits.maxMessageBytes, this.#archive.window) + AROUND;
    for await (const archiveEntry of packedEntries(archive.kind, archive, this.#signal)) {
      const { name, encrypted, open } = archiveEntry;
      this.#signal?.throwIfAborted();
      this.#budget.entry();
      const entry = prefix + name;
      const file = { path: entry, size: archiveEntry.size ?? null, encrypted };
      if (encrypted) {
        this.#limits.onFile?.(file, null);
        yield* this.#leftOut(entry, 'unread entry', ENCRYPTED_ENTRY);
        continue;
      }
      const source = new StreamSource(open, window, (bytes) => this.#budget.bytes(bytes));
      try {
        await this.#tell(file, source);
        yield* this.#entry(archive.kind, { source, name, size: archiveEntry.size ?? 0 }, entry, level);
        if (archiveEntry.isDamaged?.() === true)
          yield* this.#leftOut(
            entry,
            'unread entry',
            'it is damaged; parts of the mail are missing or changed',
          );
      } catch (error) {
        this.#signal?.throwIfAborted();
        if (error instanceof ArchiveLimitError || isSystemError(error)) throw error;
        if (error instanceof NoMailError)
          this.#others.set(error.message, (this.#others.get(error.message) ?? 0) + 1);
        else yield* this.#leftOut(entry, 'unread entry', unpacking(error));
      } finally {
        await source.close();
      }
    }
  }

  async *#entry(
    outer: MailKind,
    { source, name, size }: { source: ByteSource; name: string; size: number },
    entry: string,
    level: number,
  ): AsyncGenerator<Content> {
    const base = baseOf(name);
    const kind = await kindOf(base, roleOf(name), () => sniffed(source));
    if (kind === null) {
      const unread = unopened(name, await sniffed(source));
      const reason = OTHER_LOGS.test(base)
        ? 'not a mail file; a sign-in log is read in a folder only: unpack it'
        : 'not a mail file';
      yield* this.#leftOut(entry, unread === null ? 'other entry' : 'unread entry', unread ?? reason);
    } else if (!isArchive(kind)) yield* this.#mails({ kind, source, size: 0, expected: size, name }, entry);
    else {
      // A compressed tar counts as one archive.
      const inner = isCompression(outer) && kind === 'tar' ? level : level + 1;
      if (inner > this.#archive.levels) {
        yield* this.#leftOut(
          entry,
          'unread entry',
          'an archive in an archive in an archive: unpack it first',
        );
        return;
      }
      const holder = isReadAcross(kind)
        ? await this.#held(kind, source, name)
        : { kind, source, size: 0, name };
      if (holder === null) {
        const reason = `a ${kind} of more than ${this.#archive.inner} bytes in another archive: unpack it first`;
        yield* this.#leftOut(entry, 'unread entry', reason);
      } else yield* this.#inArchive(holder, `${entry}/`, inner);
    }
  }

  async #held(kind: MailKind, source: ByteSource, name: string): Promise<Holder | null> {
    const whole = await wholeOf(source, this.#archive.inner);
    return whole && { kind, source: bufferSource(whole), size: whole.length, name };
  }
}

/**
 * The mails in a file in order; the bytes of one must be read before the next. Unread entries become problems. Throws,
 * in words, if the rest of the file is damaged, or at a limit of archives. `budget` is shared with other files; by default
 * its own.
 */
export const contentsOf = (
  holder: Holder,
  limits: ContentLimits,
  signal?: AbortSignal,
  budget = new Budget(holder.size, limits.archive ?? ARCHIVE_LIMITS),
): AsyncGenerator<Content> => new Contents(limits, budget, signal).of(holder);

/** Calls `use` with the file at `entry` of an archive, or null if there is no such file. */
export async function inEntry<T>(
  archive: Holder,
  entry: string,
  window: number,
  use: (source: ByteSource) => Promise<T>,
): Promise<T | null> {
  if (!isArchive(archive.kind)) return null;
  for await (const { name, encrypted, open } of packedEntries(archive.kind, archive)) {
    if (encrypted || (entry !== name && !entry.startsWith(`${name}/`))) continue;
    const source = new StreamSource(open, window + AROUND, () => undefined);
    try {
      if (entry === name) return await use(source);
      const kind = await kindOf(baseOf(name), roleOf(name), () => sniffed(source));
      if (kind === null || !isArchive(kind)) continue;
      const whole = isReadAcross(kind) ? await wholeOf(source, ARCHIVE_LIMITS.inner) : null;
      const inner =
        whole === null ? { source, size: 0 } : { source: bufferSource(whole), size: whole.length };
      const result = await inEntry({ ...inner, kind, name }, entry.slice(name.length + 1), window, use);
      if (result !== null) return result;
    } finally {
      await source.close();
    }
  }
  return null;
}
