import { hash } from 'node:crypto';
import { realPath } from '#workers/real-path.ts';
import { type ByteSource, bufferSource, ChangedError, fileSource } from '../formats/files/bytes.ts';
import { openRegular, startOf, withRegular } from '../formats/files/open-regular.ts';
import { partFile } from '../formats/files/part-file.ts';
import { besideOf, type FilePath } from '../formats/files/paths.ts';
import { reasonOf } from '../formats/files/reason.ts';
import { Turns } from '../formats/files/turns.ts';
import { rejoined } from '../formats/mail/apple-mail.ts';
import { type Content, contentsOf } from '../formats/mail/contents.ts';
import { readMail } from '../formats/mail/read-mail.ts';
import {
  DEFAULT_LIMITS,
  type EvidenceLimits,
  type FoundMail,
  type MailContent,
  type MailResult,
  type ParsedMail,
} from '../formats/mail/types.ts';
import { DovecotFolders } from '../formats/mailboxes/dovecot-parts.ts';
import { isQuoted, unquoteFrom } from '../formats/mailboxes/mbox.ts';
import type { EvidenceBatch, EvidenceMail, EvidenceProblem, EvidenceSource } from '../store/evidence.ts';
import { type KnownFile, type ListedFile, type MailFile, walkEvidence } from './walk.ts';

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
  /** Folders where another disk or share begins. '' is the root. */
  mounts: string[];
  /** Regular files without mail, for other readers. */
  others: { file: string; path: FilePath; size: number }[];
}

/** What the store already holds. */
export interface EvidenceKnown {
  /** True when this file was read in full as it is now, and is not to be read again. */
  file(file: ListedFile): boolean | Promise<boolean>;
  /** Called before a file is read. */
  begin?(file: ListedFile): void | Promise<void>;
  /** True when a mail of this SHA-256 is stored, as this version reads it. */
  content?(sha256: string): boolean | Promise<boolean>;
}

export interface ReadOptions {
  signal?: AbortSignal;
  limits?: EvidenceLimits;
  /** Authserv-ids that the analyst trusts, lowercased. */
  believed?: readonly string[];
  /** Messages of a batch at most. Default: 200, and more the more were read, up to 1 000 with their files. */
  batchSize?: number;
  /** Called for each listed file that will be read, before the first is. */
  onListed?(file: MailFile): void;
  /** True for a file without mail that another reader reads afterwards: it counts in the totals. */
  isReadLater?(file: string): boolean;
  /** Called at most ten times a second, and at the end. */
  onProgress?(progress: EvidenceProgress): void;
}

type Message = Extract<Content, { kind: 'message' }>;

const placeOf = (file: string, entry: string): string => (entry === '' ? file : `${file}/${entry}`);

/** By the flags in the file name of a Maildir mail; a mail that is still new has none. */
function isMarkedRead(name: string): boolean | null {
  const flags = /[:;!]2,([A-Za-z]*)$/.exec(name)?.[1];
  return flags === undefined ? null : flags.includes('S');
}

type Sink<T> = (batch: EvidenceBatch<T>) => Promise<void> | void;

/** Reads one mail; its bytes may be transferred to another thread. Rejects only if no further mail can be read either. */
export type ReadMail<T> = (found: FoundMail) => Promise<MailResult<T>>;

const FIRST_BATCH = 200;
const LARGEST_BATCH = 2_000;
/** Bytes of raw mail in a batch at most, to bound memory. */
const BATCH_BYTES = 16_777_216;

/**
 * Maximum mails and ends of files that are found but not taken, and their bytes, to bound memory: the work of parsing
 * threads while a batch is written. Few at first, so that the first batch comes soon.
 */
const FIRST_AHEAD = 96;
const MOST_AHEAD = 2_048;
const MOST_BYTES_AHEAD = 16_777_216;

/** Mails, problems and ends of files, taken into batches in the order found. */
interface Ahead {
  bytes: number;
  take(): Promise<void> | void;
}

const PROGRESS_MS = 100;
/** Mails up to this size are read at once; larger ones step by step. */
const READ_AT_ONCE = 1024 * 1024;

interface OpenFile {
  source: ByteSource;
  size: number;
  /** Whether it is unchanged since it was opened. */
  isSame(): Promise<boolean>;
  close(): Promise<void>;
}

/** Throws as `openRegular` does. */
async function openMail({ kind, path, size: listed }: MailFile): Promise<OpenFile> {
  if (kind === 'mail' && listed < READ_AT_ONCE) {
    const [whole, size] = withRegular(path, (fd, now) => [
      now < READ_AT_ONCE ? startOf(fd, now, now) : null,
      now,
    ]);
    if (whole !== null)
      return { source: bufferSource(whole), size, isSame: async () => true, close: async () => undefined };
  }
  const { handle, size, mtimeMs } = await openRegular(path);
  const isSame = async () => {
    const now = await handle.stat();
    return now.size === size && now.mtimeMs === mtimeMs;
  };
  return { source: fileSource(handle, size), size, isSame, close: () => handle.close() };
}

const sizeOf = ({ messages, copies, problems, files }: EvidenceBatch<unknown>): number =>
  messages.length + copies.length + problems.length + files.length;

class Reader<T> {
  readonly progress: EvidenceProgress;
  readonly #root: string;
  readonly #known: EvidenceKnown;
  readonly #sink: Sink<T>;
  readonly #read: ReadMail<T>;
  readonly #options: ReadOptions;
  readonly #ahead: Ahead[] = [];
  #bytesAhead = 0;
  /** An error not of the file but of the store, or of processing its mails: no more can be read. */
  #hasFailed = false;
  readonly #limits: EvidenceLimits;
  /** The mails of the batch, by SHA-256. */
  readonly #new = new Set<string>();
  /** Files that were listed but could not be fully read. */
  readonly unread: string[] = [];
  #batch: EvidenceBatch<T> = { messages: [], copies: [], problems: [], files: [] };
  #batchBytes = 0;
  /** Messages, problems and files of earlier batches. */
  #flushed = 0;
  #reported = 0;
  readonly #turns = new Turns();
  readonly #dovecot: DovecotFolders;

  constructor(root: string, known: EvidenceKnown, sink: Sink<T>, read: ReadMail<T>, options: ReadOptions) {
    this.#root = root;
    this.#known = known;
    this.#sink = sink;
    this.#read = read;
    this.#options = options;
    this.#limits = options.limits ?? DEFAULT_LIMITS;
    this.#dovecot = new DovecotFolders(root, this.#limits.maxMessageBytes);
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
    this.progress.problems++;
    this.#follow(0, () => void this.#batch.problems.push(problem));
  }

  #follow(bytes: number, take: Ahead['take']): void {
    this.#ahead.push({ bytes, take });
    this.#bytesAhead += bytes;
  }

  /** Takes found items in order until no more than this are ahead. */
  async #settle(most: number, mostBytes: number): Promise<void> {
    while (this.#ahead.length > most || this.#bytesAhead > mostBytes) {
      const first = this.#ahead.shift();
      if (first === undefined) return;
      this.#bytesAhead -= first.bytes;
      try {
        await first.take();
        this.#options.signal?.throwIfAborted();
        await this.#flushFull();
      } catch (error) {
        this.#hasFailed = true;
        throw error;
      }
    }
  }

  /** Everything that was found is in the store. */
  async end(): Promise<void> {
    await this.#settle(0, 0);
    await this.flush();
  }

  async flush(): Promise<void> {
    const batch = this.#batch;
    if (sizeOf(batch) === 0) return;
    this.#batch = { messages: [], copies: [], problems: [], files: [] };
    this.#batchBytes = 0;
    await this.#sink(batch);
    this.#flushed += sizeOf(batch);
    // The store knows them from now on; the set would otherwise grow with the folder.
    if (this.#known.content) this.#new.clear();
  }

  async #flushFull(): Promise<void> {
    // Small first batches show results early; later ones are larger, as each transaction rewrites most index pages.
    const most = this.#options.batchSize ?? Math.min(LARGEST_BATCH, Math.max(FIRST_BATCH, this.#flushed));
    const full = sizeOf(this.#batch) >= most || this.#batchBytes >= BATCH_BYTES;
    if (full) await this.flush();
  }

  async #next(): Promise<void> {
    const most = Math.min(MOST_AHEAD, Math.max(FIRST_AHEAD, this.#flushed));
    await this.#settle(most, MOST_BYTES_AHEAD);
    this.report(false);
    await this.#turns.give();
  }

  async #message(item: MailFile, { entry, slot, boxed, isParted, bytes }: Message): Promise<void> {
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
    const whole = item.kind === 'emlx' ? await rejoined(stored, this.#root, file, this.#limits) : stored;
    const raw = mbox ? unquoteFrom(stored) : whole;
    const { offset, length } = slot;
    const sha256 = hash('sha256', raw, 'hex');
    const source: EvidenceSource = { file, entry, offset, length, mbox, sha256 };
    if (!boxed || slot.record) source.isRead = isMarkedRead(entry || file);
    this.progress.messages++;
    const reading = (await this.#isKnown(sha256)) ? null : this.#read({ raw, sha256, isParted });
    // Reported when the item is taken.
    reading?.catch(() => undefined);
    this.#follow(length, async () => {
      const result = await reading;
      this.#batchBytes += result?.ok === true ? result.bytes : length;
      if (result === null || (await this.#isKnown(sha256))) this.#batch.copies.push(source);
      else if (result.ok) this.#batch.messages.push({ ...(await this.#asNew(result.mail)), source });
      else {
        this.progress.problems++;
        this.#batch.problems.push({
          file: placeOf(file, entry),
          offset: boxed ? slot.offset : null,
          kind: result.isUnread === true ? 'unread entry' : 'unparsable',
          reason: result.reason,
        });
      }
    });
  }

  /** Known mails among those attached to it are copies. */
  async #asNew(mail: EvidenceMail<T>): Promise<EvidenceMail<T>> {
    this.#new.add(mail.sha256);
    for (const inner of mail.attached)
      if (inner.content !== null)
        inner.content = (await this.#isKnown(inner.sha256)) ? null : await this.#asNew(inner.content);
    return mail;
  }

  async #isKnown(sha256: string): Promise<boolean> {
    try {
      return this.#new.has(sha256) || (await this.#known.content?.(sha256)) === true;
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    }
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
        ...(bytes.whole ? { whole: bytes.whole } : {}),
      };
      const putBack = this.#dovecot.at(item.file);
      const holder = {
        kind: item.kind,
        source,
        size,
        name: item.file,
        putBack,
        beside: (name: string) => partFile(besideOf(item.path, name), this.#limits.maxMessageBytes),
      };
      for await (const content of contentsOf(holder, this.#limits, this.#options.signal)) {
        if (content.kind === 'message') await this.#message(item, content);
        else {
          const { entry, offset, problem, reason } = content;
          this.problem({ file: placeOf(item.file, entry), offset, kind: problem, reason });
        }
        this.progress.bytes = start + Math.min(item.size, reached);
        await this.#next();
      }
      // If the file changed, a mail may be truncated or consist of two halves, which nothing else would reveal.
      if (!(await opened.isSame())) throw new ChangedError();
    } catch (error) {
      if (this.#hasFailed || this.#options.signal?.aborted) throw error;
      this.problem({ file: item.file, offset: null, kind: 'unreadable', reason: reasonOf(error) });
      this.unread.push(item.file);
      await this.#next();
      return;
    } finally {
      await opened?.close();
    }
    const { file, size, mtimeMs, ino } = item;
    const ctimeMs = item.isSettled ? item.ctimeMs : null;
    const messages = this.progress.messages - before;
    this.#follow(0, () => void this.#batch.files.push({ file, size, mtimeMs, ctimeMs, ino, messages }));
    await this.#next();
  }
}

/**
 * Reads every mail of a folder or file and passes it to `sink` in batches, one at a time. An unreadable file becomes a
 * problem and never stops the import. Throws when the root cannot be opened, when the sink throws, and on abort (the
 * last full batch stays).
 */
export function readEvidence(
  root: string,
  known: EvidenceKnown,
  sink: Sink<MailContent>,
  options: ReadOptions = {},
): Promise<EvidenceSummary> {
  const { limits = DEFAULT_LIMITS, believed = [] } = options;
  const reading = { limits, believed, make: (mail: ParsedMail, raw: Buffer) => ({ mail, raw }) };
  return readEvidenceBy((file) => readMail(file, reading), root, known, sink, options);
}

/** `readEvidence` with another result per mail, from `read`. */
export async function readEvidenceBy<T>(
  read: ReadMail<T>,
  root: string,
  known: EvidenceKnown,
  sink: Sink<T>,
  options: ReadOptions = {},
): Promise<EvidenceSummary> {
  const reader = new Reader(await realPath(root), known, sink, read, options);
  const { progress } = reader;
  const items: (MailFile | KnownFile)[] = [];
  const others: EvidenceSummary['others'] = [];
  const blocked: string[] = [];
  const mounts: string[] = [];
  for await (const entry of walkEvidence(root, (file) => known.file(file), options.signal)) {
    if (entry.kind === 'mount') mounts.push(entry.file);
    else if (entry.kind === 'other') {
      others.push({ file: entry.file, path: entry.path, size: entry.size });
      if (options.isReadLater?.(entry.file) === true) {
        progress.totalFiles++;
        progress.totalBytes += entry.size;
      }
      const {
        reason = 'not a mail file (.eml, .emlx, .msg, .mbox, .pst, .ost, Maildir, winmail.dat, .p7m, or .zip, .tar, .gz, .bz2, .xz, .zst, .lz4 around these)',
      } = entry;
      const kind = entry.isUnread === true ? 'unopened' : 'not-mail';
      reader.problem({ file: entry.file, offset: null, kind, reason });
    } else if (entry.kind === 'left-out') {
      blocked.push(entry.file);
      reader.problem({ file: entry.file || '.', offset: null, kind: entry.problem, reason: entry.reason });
    } else {
      items.push(entry);
      if (entry.kind !== 'known') options.onListed?.(entry);
      progress.totalFiles++;
      progress.totalBytes += entry.size;
    }
    reader.report(false);
  }
  let unchanged = 0;
  for (const item of items) {
    options.signal?.throwIfAborted();
    progress.file = item.file;
    const before = progress.bytes;
    if (item.kind === 'known') unchanged++;
    else {
      await known.begin?.(item);
      await reader.file(item);
    }
    progress.files++;
    progress.bytes = before + item.size;
  }
  progress.file = null;
  await reader.end();
  reader.report(true);
  const unread = new Set(reader.unread);
  return {
    ...progress,
    unchanged,
    seen: items.map((item) => item.file).filter((file) => !unread.has(file)),
    blocked: [...blocked, ...unread],
    mounts,
    others,
  };
}
