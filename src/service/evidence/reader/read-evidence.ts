import { hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { type MboxSlot, mboxSlots, readSlot } from './mbox.ts';
import { openRegular } from './open-regular.ts';
import { parseMessage } from './parse.ts';
import {
  DEFAULT_LIMITS,
  type EvidenceLimits,
  type EvidenceMessage,
  type EvidenceProblem,
  type EvidenceSource,
} from './types.ts';
import { reasonOf, type WalkEntry, walkEvidence } from './walk.ts';

/** A file of the folder as it was read; the next opening skips it when size and time are the same. */
interface EvidenceFile {
  file: string;
  size: number;
  mtimeMs: number;
  /** Messages found in it, those skipped as known included. */
  messages: number;
}

/** Write a batch in one transaction. A file is listed in `files` only with or after its last message. */
export interface EvidenceBatch {
  messages: EvidenceMessage[];
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
  /** Every mail file that was read now or is known as it is. */
  seen: string[];
  /** Places that could not be looked into: what was read there or below earlier is not gone. '' is the root. */
  blocked: string[];
  /** Regular files without mail, for whoever reads other things. */
  others: { file: string; path: string }[];
}

/** What the store already holds; both answers may come from memory or from prepared statements. */
export interface EvidenceKnown {
  /** True when this file was read in full with this size and time. */
  file(file: string, size: number, mtimeMs: number): boolean;
  /** True when exactly this message of this file is stored (an mbox that grew). */
  message?(source: EvidenceSource): boolean;
  /** `file#offset` of a stored message with this SHA-256, or null. */
  copy?(sha256: string): string | null;
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
  /** Called at most ten times a second, and at the end. */
  onProgress?(progress: EvidenceProgress): void;
}

type MailFile = Extract<WalkEntry, { size: number }>;
type Sink = (batch: EvidenceBatch) => Promise<void> | void;

const PROGRESS_MS = 100;

class Reader {
  readonly progress: EvidenceProgress;
  readonly #known: EvidenceKnown;
  readonly #sink: Sink;
  readonly #options: ReadOptions;
  readonly #limits: EvidenceLimits;
  readonly #first = new Map<string, string>();
  /** Files that could be listed and not be read to their end. */
  readonly unread: string[] = [];
  #batch: EvidenceBatch = { messages: [], problems: [], files: [] };
  #batchBytes = 0;
  #reported = 0;

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
    if (batch.messages.length + batch.problems.length + batch.files.length === 0) return;
    this.#batch = { messages: [], problems: [], files: [] };
    this.#batchBytes = 0;
    await this.#sink(batch);
    // From here on the store answers for them; the map would grow with the folder.
    if (this.#known.copy) this.#first.clear();
  }

  async #flushFull(): Promise<void> {
    const { messages, problems, files } = this.#batch;
    const count = messages.length + problems.length + files.length;
    const full =
      count >= (this.#options.batchSize ?? 200) ||
      this.#batchBytes >= (this.#options.batchBytes ?? 16_777_216);
    if (full) await this.flush();
    this.report(false);
  }

  async #message(handle: FileHandle, item: MailFile, slot: MboxSlot): Promise<void> {
    this.#options.signal?.throwIfAborted();
    const { file } = item;
    const mbox = item.kind === 'mbox';
    const offset = mbox ? slot.offset : null;
    if (slot.length > this.#limits.maxMessageBytes) {
      const reason = `the message has ${slot.length} bytes; the limit is ${this.#limits.maxMessageBytes}`;
      this.problem({ file, offset, kind: 'too-large', reason });
      return;
    }
    const raw = await readSlot(handle, slot, mbox);
    const source: EvidenceSource = { file, ...slot, mbox, sha256: hash('sha256', raw, 'hex') };
    this.progress.messages++;
    const place = `${file}#${slot.offset}`;
    const earlier = this.#first.get(source.sha256) ?? this.#known.copy?.(source.sha256) ?? null;
    if (earlier === null) this.#first.set(source.sha256, place);
    if (this.#known.message?.(source)) return;
    const result = await parseMessage(raw, this.#limits, this.#options.believed);
    if (!result.ok) this.problem({ file, offset, kind: 'unparsable', reason: result.reason });
    else
      this.#batch.messages.push({
        source,
        mail: result.mail,
        raw,
        copyOf: earlier === place ? null : earlier,
      });
    this.#batchBytes += slot.length;
  }

  async file(item: MailFile): Promise<void> {
    const before = this.progress.messages;
    let handle: FileHandle | null = null;
    try {
      const opened = await openRegular(item.path);
      handle = opened.handle;
      const { size } = opened;
      const start = this.progress.bytes;
      if (item.kind === 'mail') await this.#message(handle, item, { offset: 0, length: size });
      else {
        for await (const slot of mboxSlots(handle, this.#options.signal)) {
          await this.#message(handle, item, slot);
          this.progress.bytes = start + Math.min(item.size, slot.offset + slot.length);
          await this.#flushFull();
        }
        this.progress.bytes = start;
        if (size === 0)
          this.problem({ file: item.file, offset: null, kind: 'unparsable', reason: 'the file is empty' });
      }
    } catch (error) {
      if (this.#options.signal?.aborted) throw error;
      this.problem({ file: item.file, offset: null, kind: 'unreadable', reason: reasonOf(error) });
      this.unread.push(item.file);
      await this.#flushFull();
      return;
    } finally {
      await handle?.close();
    }
    const { file, size, mtimeMs } = item;
    this.#batch.files.push({ file, size, mtimeMs, messages: this.progress.messages - before });
    await this.#flushFull();
  }
}

/**
 * Reads every mail of a folder or file and hands it to `sink` in batches; the next batch waits for the
 * last. A file that cannot be read or parsed becomes a problem and never stops the import. Throws when the
 * root itself cannot be opened, when the sink throws, and on abort (the last full batch stands).
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
      others.push({ file: entry.file, path: entry.path });
      const reason = 'not a mail file (.eml, .mbox)';
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
    if (known.file(item.file, item.size, item.mtimeMs)) unchanged++;
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
