import { hash } from 'node:crypto';
import { type ByteSource, bufferSource } from './bytes.ts';
import { type Content, contentsOf } from './contents.ts';
import { isQuoted, unquoteFrom } from './mbox.ts';
import { openRegular, startOf, withRegular } from './open-regular.ts';
import { parseMessage } from './parse.ts';
import type { FilePath } from './paths.ts';
import { Turns } from './turns.ts';
import {
  type AttachedMail,
  DEFAULT_LIMITS,
  type EvidenceLimits,
  type EvidenceMessage,
  type EvidenceProblem,
  type EvidenceSource,
  type ParsedMail,
} from './types.ts';
import { type MailFile, reasonOf, walkEvidence } from './walk.ts';

/** A file of the folder as it was read; skipped next time if nothing of it changed. */
interface EvidenceFile extends Pick<MailFile, 'file' | 'size' | 'mtimeMs' | 'ctimeMs' | 'ino'> {
  /** Number of messages in it, including those skipped as known. */
  messages: number;
}

/** To be written in one transaction. A file is listed in `files` only with or after its last message. */
export interface EvidenceBatch {
  messages: EvidenceMessage[];
  /** Places of mail that the store holds, or that is among the messages of this batch. */
  copies: EvidenceSource[];
  problems: EvidenceProblem[];
  files: EvidenceFile[];
}

export interface EvidenceProgress {
  files: number;
  totalFiles: number;
  bytes: number;
  totalBytes: number;
  messages: number;
  problems: number;
  /** The file being read, or null at the end. */
  file: string | null;
}

export interface EvidenceSummary extends EvidenceProgress {
  /** Files skipped because nothing changed. */
  unchanged: number;
  /** Every mail file that was read or is unchanged. */
  seen: string[];
  /** Inaccessible locations: mail read there or below earlier does not count as gone. '' is the root. */
  blocked: string[];
  /** Regular files without mail, for other readers. */
  others: { file: string; path: FilePath; size: number }[];
}

/** What the store already holds; both may be answered from memory or from prepared statements. */
export interface EvidenceKnown {
  /** True when this file was read in full as it is now. */
  file(file: MailFile): boolean;
  /** True when a mail of this SHA-256 is stored, as this version reads it. */
  content?(sha256: string): boolean;
}

export interface ReadOptions {
  signal?: AbortSignal;
  limits?: EvidenceLimits;
  /** Authserv-ids that the analyst trusts, lowercased. */
  believed?: readonly string[];
  /** Messages of a batch at most. Default 200. */
  batchSize?: number;
  /** Bytes of raw mail in a batch at most, to bound memory. Default 16 MiB. */
  batchBytes?: number;
  /** True for a file without mail that another reader reads afterwards: it counts in the totals. */
  isReadLater?(file: string): boolean;
  /** Called at most ten times a second, and at the end. */
  onProgress?(progress: EvidenceProgress): void;
}

type Message = Extract<Content, { kind: 'message' }>;

const placeOf = (file: string, entry: string): string => (entry === '' ? file : `${file}/${entry}`);

type Sink = (batch: EvidenceBatch) => Promise<void> | void;

const PROGRESS_MS = 100;
/** A mail of this size is read at once; what is larger, step by step. */
const READ_AT_ONCE = 1024 * 1024;

interface OpenFile {
  source: ByteSource;
  size: number;
  close(): Promise<void>;
}

/** Throws as `openRegular` does. */
async function openMail({ kind, path, size: listed }: MailFile): Promise<OpenFile> {
  if (kind === 'mail' && listed < READ_AT_ONCE) {
    const [whole, size] = withRegular(path, (fd, now) => [now < READ_AT_ONCE ? startOf(fd, now) : null, now]);
    if (whole !== null) return { source: bufferSource(whole), size, close: async () => undefined };
  }
  const { handle, size } = await openRegular(path);
  return { source: handle, size, close: () => handle.close() };
}

const sizeOf = ({ messages, copies, problems, files }: EvidenceBatch): number =>
  messages.length + copies.length + problems.length + files.length;

class Reader {
  readonly progress: EvidenceProgress;
  readonly #known: EvidenceKnown;
  readonly #sink: Sink;
  readonly #options: ReadOptions;
  readonly #limits: EvidenceLimits;
  /** The mails of the batch, by SHA-256. */
  readonly #new = new Set<string>();
  /** Files that were listed but could not be fully read. */
  readonly unread: string[] = [];
  #batch: EvidenceBatch = { messages: [], copies: [], problems: [], files: [] };
  #batchBytes = 0;
  #reported = 0;
  readonly #turns = new Turns();

  constructor(known: EvidenceKnown, sink: Sink, options: ReadOptions) {
    this.#known = known;
    this.#sink = sink;
    this.#options = options;
    this.#limits = options.limits ?? DEFAULT_LIMITS;
    this.progress = {
      files: 0,
      totalFiles: 0,
      bytes: 0,
      totalBytes: 0,
      messages: 0,
      problems: 0,
      file: null,
    };
  }

  report(force: boolean): void {
    const now = performance.now();
    if (!force && now - this.#reported < PROGRESS_MS) return;
    this.#reported = now;
    this.#options.onProgress?.({ ...this.progress });
  }

  problem(problem: EvidenceProblem): void {
    this.#batch.problems.push(problem);
    this.progress.problems++;
  }

  async flush(): Promise<void> {
    const batch = this.#batch;
    if (sizeOf(batch) === 0) return;
    this.#batch = { messages: [], copies: [], problems: [], files: [] };
    this.#batchBytes = 0;
    await this.#sink(batch);
    // From here on the store answers for them; the set would grow with the folder.
    if (this.#known.content) this.#new.clear();
  }

  async #flushFull(): Promise<void> {
    const full =
      sizeOf(this.#batch) >= (this.#options.batchSize ?? 200) ||
      this.#batchBytes >= (this.#options.batchBytes ?? 16_777_216);
    if (full) await this.flush();
    this.report(false);
    await this.#turns.give();
  }

  async #message(item: MailFile, { entry, slot, boxed, bytes }: Message): Promise<void> {
    this.#options.signal?.throwIfAborted();
    const { file } = item;
    const problem = (kind: EvidenceProblem['kind'], reason: string) =>
      this.problem({ file: placeOf(file, entry), offset: boxed ? slot.offset : null, kind, reason });
    if (slot.length > this.#limits.maxMessageBytes) {
      const reason = `the message has ${slot.length} bytes; the limit is ${this.#limits.maxMessageBytes}`;
      problem('too-large', reason);
      return;
    }
    const stored = await bytes();
    const mbox = boxed && isQuoted(slot, stored);
    const raw = mbox ? unquoteFrom(stored) : stored;
    const { offset, length } = slot;
    const sha256 = hash('sha256', raw, 'hex');
    const source: EvidenceSource = { file, entry, offset, length, mbox, sha256 };
    this.progress.messages++;
    this.#batchBytes += length;
    if (this.#isKnown(sha256)) {
      this.#batch.copies.push(source);
      return;
    }
    const result = await parseMessage(raw, this.#limits, this.#options.believed);
    if (!result.ok) {
      problem('unparsable', result.reason);
      return;
    }
    const { mail } = result;
    this.#new.add(sha256);
    const room = { mails: this.#limits.maxAttached, bytes: this.#limits.maxAttachedBytes };
    const attached = await this.#attached(mail, 1, room);
    this.#batch.messages.push({ source, sha256, mail, raw, attached });
  }

  #isKnown(sha256: string): boolean {
    return this.#new.has(sha256) || this.#known.content?.(sha256) === true;
  }

  /** The mails attached to a mail, each parsed as one of its own. What is left out becomes a problem of the mail. */
  async #attached(
    mail: ParsedMail,
    depth: number,
    room: { mails: number; bytes: number },
  ): Promise<AttachedMail[]> {
    const out: AttachedMail[] = [];
    for (const { path: part, bytes, sha256 } of mail.attachedMails) {
      this.#options.signal?.throwIfAborted();
      room.mails -= 1;
      room.bytes -= bytes.length;
      if (depth > this.#limits.maxAttachedDepth || room.mails < 0 || room.bytes < 0) {
        mail.problems.push('some attached mails are no emails of their own: too many, too large or too deep');
        break;
      }
      if (this.#isKnown(sha256)) {
        out.push({ part, sha256, content: null });
        continue;
      }
      const result = await parseMessage(bytes, this.#limits, this.#options.believed);
      if (!result.ok) {
        mail.problems.push(`the attached mail at part ${part} is no email of its own: ${result.reason}`);
        continue;
      }
      this.#new.add(sha256);
      this.#batchBytes += bytes.length;
      const attached = await this.#attached(result.mail, depth + 1, room);
      out.push({ part, sha256, content: { sha256, mail: result.mail, raw: bytes, attached } });
    }
    // The bytes are needed no longer.
    mail.attachedMails = [];
    return out;
  }

  async file(item: MailFile): Promise<void> {
    const before = this.progress.messages;
    let opened: OpenFile | null = null;
    try {
      opened = await openMail(item);
      const { size, source: bytes } = opened;
      const start = this.progress.bytes;
      let reached = 0;
      const source: ByteSource = {
        read: (target, offset, length, position) => {
          reached = position + length;
          return bytes.read(target, offset, length, position);
        },
      };
      const holder = { kind: item.kind, source, size, name: item.file };
      for await (const content of contentsOf(holder, this.#limits, this.#options.signal)) {
        if (content.kind === 'message') await this.#message(item, content);
        else {
          const { entry, offset, problem, reason } = content;
          this.problem({ file: placeOf(item.file, entry), offset, kind: problem, reason });
        }
        this.progress.bytes = start + Math.min(item.size, reached);
        await this.#flushFull();
      }
      this.progress.bytes = start;
    } catch (error) {
      if (this.#options.signal?.aborted) throw error;
      this.problem({ file: item.file, offset: null, kind: 'unreadable', reason: reasonOf(error) });
      this.unread.push(item.file);
      await this.#flushFull();
      return;
    } finally {
      await opened?.close();
    }
    const { file, size, mtimeMs, ctimeMs, ino } = item;
    this.#batch.files.push({ file, size, mtimeMs, ctimeMs, ino, messages: this.progress.messages - before });
    await this.#flushFull();
  }
}

/**
 * Reads every mail of a folder or file and passes it to `sink` in batches, one at a time. An unreadable file becomes a
 * problem and never stops the import. Throws when the root cannot be opened, when the sink throws, and on abort (the
 * last full batch stays).
 */
export async function readEvidence(
  root: string,
  known: EvidenceKnown,
  sink: Sink,
  options: ReadOptions = {},
): Promise<EvidenceSummary> {
  const reader = new Reader(known, sink, options);
  const { progress } = reader;
  const items: MailFile[] = [];
  const others: EvidenceSummary['others'] = [];
  const blocked: string[] = [];
  for await (const entry of walkEvidence(root, options.signal)) {
    if (entry.kind === 'other') {
      others.push({ file: entry.file, path: entry.path, size: entry.size });
      if (options.isReadLater?.(entry.file) === true) {
        progress.totalFiles++;
        progress.totalBytes += entry.size;
      }
      const {
        reason = 'not a mail file (.eml, .emlx, .msg, .mbox, .pst, .ost, Maildir, winmail.dat, or .zip, .tar, .gz around these)',
      } = entry;
      reader.problem({ file: entry.file, offset: null, kind: 'not-mail', reason });
    } else if (entry.kind === 'left-out') {
      blocked.push(entry.file);
      reader.problem({ file: entry.file || '.', offset: null, kind: entry.problem, reason: entry.reason });
    } else {
      items.push(entry);
      progress.totalFiles++;
      progress.totalBytes += entry.size;
    }
    reader.report(false);
  }
  let unchanged = 0;
  for (const item of items) {
    options.signal?.throwIfAborted();
    progress.file = item.file;
    if (known.file(item)) unchanged++;
    else await reader.file(item);
    progress.files++;
    progress.bytes += item.size;
  }
  progress.file = null;
  await reader.flush();
  reader.report(true);
  const unread = new Set(reader.unread);
  return {
    ...progress,
    unchanged,
    seen: items.map((item) => item.file).filter((file) => !unread.has(file)),
    blocked: [...blocked, ...unread],
    others,
  };
}
