import { hash } from 'node:crypto';
import { realPath } from '#workers/real-path.ts';
import { type ByteSource, ChangedError } from '../formats/files/bytes.ts';
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
import type { EvidenceMail, EvidenceProblem, EvidenceSource } from '../store/evidence.ts';
import { Batches, type Sink } from './batches.ts';
import { type OpenFile, openMail } from './open-mail.ts';
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

/** Reads one mail; its bytes may be transferred to another thread. Rejects only if no further mail can be read either. */
export type ReadMail<T> = (mail: FoundMail) => Promise<MailResult<T>>;

const PROGRESS_MS = 100;
class Reader<T> {
  readonly progress: EvidenceProgress;
  readonly #root: string;
  readonly #history: EvidenceKnown;
  readonly #read: ReadMail<T>;
  readonly #options: ReadOptions;
  readonly #batches: Batches<T>;
  readonly #limits: EvidenceLimits;
  /** The mails of the batch, by SHA-256. */
  readonly #new = new Set<string>();
  /** Files that were listed but could not be fully read. */
  readonly unread: string[] = [];
  #reported = 0;
  readonly #turns = new Turns();
  readonly #dovecot: DovecotFolders;

  constructor(root: string, history: EvidenceKnown, sink: Sink<T>, read: ReadMail<T>, options: ReadOptions) {
    this.#root = root;
    this.#history = history;
    this.#read = read;
    this.#options = options;
    this.#limits = options.limits ?? DEFAULT_LIMITS;
    this.#batches = new Batches({
      sink,
      size: options.batchSize,
      signal: options.signal,
      // The store knows them from now on; the set would otherwise grow with the folder.
      onStored: () => (history.content ? this.#new.clear() : undefined),
    });
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
    this.#batches.follow(0, ({ problems }) => {
      problems.push(problem);
      return 0;
    });
  }

  end(): Promise<void> {
    return this.#batches.end();
  }

  async #next(): Promise<void> {
    await this.#batches.settle();
    this.report(false);
    await this.#turns.give();
  }

  async #message(item: MailFile, { entry, slot, boxed, isParted, bytes }: Message): Promise<void> {
    this.#options.signal?.throwIfAborted();
    const { file } = item;
    const problemOf = (kind: EvidenceProblem['kind'], reason: string): EvidenceProblem => ({
      file: placeOf(file, entry),
      offset: boxed ? slot.offset : null,
      kind,
      reason,
    });
    if (slot.length > this.#limits.maxMessageBytes) {
      const reason = `the message has ${slot.length} bytes; the limit is ${this.#limits.maxMessageBytes}`;
      this.problem(problemOf('too-large', reason));
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
    this.#batches.follow(length, async (batch) => {
      const result = await reading;
      if (result === null || (await this.#isKnown(sha256))) batch.copies.push(source);
      else if (result.ok) batch.messages.push({ ...(await this.#asNew(result.mail)), source });
      else {
        this.progress.problems++;
        const kind = result.isUnread === true ? 'unread entry' : 'unparsable';
        batch.problems.push(problemOf(kind, result.reason));
      }
      return result?.ok === true ? result.bytes : length;
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
      return this.#new.has(sha256) || (await this.#history.content?.(sha256)) === true;
    } catch (error) {
      this.#batches.hasFailed = true;
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
      const putBack = this.#dovecot.putBackFor(item.file);
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
          const { entry, problem, reason } = content;
          this.problem({ file: placeOf(item.file, entry), offset: null, kind: problem, reason });
        }
        this.progress.bytes = start + Math.min(item.size, reached);
        await this.#next();
      }
      // If the file changed, a mail may be truncated or consist of two halves, which nothing else would reveal.
      if (!(await opened.isSame())) throw new ChangedError();
    } catch (error) {
      if (this.#batches.hasFailed || this.#options.signal?.aborted) throw error;
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
    this.#batches.follow(0, ({ files }) => {
      files.push({ file, size, mtimeMs, ctimeMs, ino, messages });
      return 0;
    });
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
  history: EvidenceKnown,
  sink: Sink<MailContent>,
  options: ReadOptions = {},
): Promise<EvidenceSummary> {
  const { limits = DEFAULT_LIMITS, believed = [] } = options;
  const reading = { limits, believed, make: (mail: ParsedMail, raw: Buffer) => ({ mail, raw }) };
  return readEvidenceBy((file) => readMail(file, reading), root, history, sink, options);
}

/** `readEvidence` with another result per mail, from `read`. */
export async function readEvidenceBy<T>(
  read: ReadMail<T>,
  root: string,
  history: EvidenceKnown,
  sink: Sink<T>,
  options: ReadOptions = {},
): Promise<EvidenceSummary> {
  const reader = new Reader(await realPath(root), history, sink, read, options);
  const { progress } = reader;
  const items: (MailFile | KnownFile)[] = [];
  const others: EvidenceSummary['others'] = [];
  const blocked: string[] = [];
  const mounts: string[] = [];
  for await (const entry of walkEvidence(root, (file) => history.file(file), options.signal)) {
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
      await history.begin?.(item);
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
