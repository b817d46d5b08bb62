/**
 * Parses the mails of an import: the first here, the others in threads, which end with the import. Where a mail is parsed
 * makes no difference to what comes of it.
 */
import { availableParallelism } from 'node:os';
import { EndedDuring } from '#workers/restarts.ts';
import { WorkerPool } from '#workers/worker-pool.ts';
import { readMail } from '../reader/read-mail.ts';
import type { MailResult } from '../reader/types.ts';
import { type KeptMail, keptReading } from './kept-mail.ts';
import type { RawMails } from './parse-thread.ts';

/** A thread takes as long to start as some hundred mails to parse; what is parsed here is compiled here as well. */
const HERE = 100;
const HERE_BYTES = 4 * 1024 * 1024;
const GROUP = 16;
const GROUP_BYTES = 256 * 1024;
const MOST_THREADS = 4;
const LABEL = 'A thread that parses mail';
const ENDED = 'the thread that parsed it ended; the mail may be too large or made to do so';

export interface ParserOptions {
  /** The module that starts the service's threads; none: everything is parsed here. */
  entry?: URL | undefined;
  believed: readonly string[];
  signal?: AbortSignal | undefined;
}

interface Waiting {
  raw: Uint8Array;
  sha256: string;
  resolve(result: MailResult<KeptMail>): void;
  reject(error: unknown): void;
}

/**
 * The mails of a group in one buffer, which is moved to the other thread; a large one, which is alone, as it is. None of
 * several is gone with a thread that ends.
 */
function together(group: readonly Waiting[]): RawMails['mails'] {
  const [first] = group;
  if (first === undefined) return [];
  const { raw, sha256 } = first;
  if (group.length === 1 && raw.buffer instanceof ArrayBuffer && raw.length === raw.buffer.byteLength)
    return [{ raw: new Uint8Array(raw.buffer), sha256 }];
  const all = new Uint8Array(group.reduce((sum, one) => sum + one.raw.length, 0));
  let end = 0;
  return group.map((one) => {
    const start = end;
    all.set(one.raw, start);
    end += one.raw.length;
    return { raw: all.subarray(start, end), sha256: one.sha256 };
  });
}

export class Parsers {
  readonly #options: ParserOptions;
  readonly #reading: ReturnType<typeof keptReading>;
  #pool: WorkerPool<RawMails> | null = null;
  #group: Waiting[] = [];
  #groupBytes = 0;
  #here = 0;
  #hereBytes = 0;

  constructor(options: ParserOptions) {
    this.#options = options;
    this.#reading = keptReading(options.believed);
  }

  readonly read = (raw: Buffer, sha256: string): Promise<MailResult<KeptMail>> => {
    const { entry } = this.#options;
    if (entry === undefined || (this.#here < HERE && this.#hereBytes < HERE_BYTES)) {
      this.#here += 1;
      this.#hereBytes += raw.length;
      return readMail(raw, sha256, this.#reading);
    }
    this.#pool ??= this.#start(entry);
    return new Promise((resolve, reject) => {
      // The rest of a group that is awaited would not come by itself.
      if (this.#group.length === 0) setImmediate(() => this.#send());
      this.#group.push({ raw, sha256, resolve, reject });
      this.#groupBytes += raw.length;
      if (this.#group.length >= GROUP || this.#groupBytes >= GROUP_BYTES) this.#send();
    });
  };

  #start(entry: URL): WorkerPool<RawMails> {
    return new WorkerPool<RawMails>({
      entry,
      name: 'embedded-parser',
      label: LABEL,
      data: { role: 'parser', believed: this.#options.believed },
      size: Math.max(1, Math.min(MOST_THREADS, availableParallelism() - 1)),
      concurrency: 1,
      idle: null,
      moved: ({ mails }) => mails.slice(0, 1).map(({ raw }) => raw.buffer),
    });
  }

  #send(): void {
    const group = this.#group;
    this.#group = [];
    this.#groupBytes = 0;
    if (group.length > 0) void this.#parse(group);
  }

  async #parse(group: readonly Waiting[]): Promise<void> {
    const { signal } = this.#options;
    try {
      const mails = together(group);
      const results = await this.#pool?.run<MailResult<KeptMail>[]>({ type: 'parse', mails }, { signal });
      for (const [at, { resolve, reject }] of group.entries()) {
        const result = results?.[at];
        if (result === undefined) reject(new Error('A mail was not parsed'));
        else resolve(result);
      }
    } catch (error) {
      if (signal?.aborted || !(error instanceof EndedDuring)) for (const { reject } of group) reject(error);
      // One of them may be more than a thread can take: each gets one for itself, and that one is told.
      else if (group.length > 1) for (const one of group) await this.#parse([one]);
      else group[0]?.resolve({ ok: false, reason: ENDED });
    }
  }

  /** Ends the threads. */
  async close(): Promise<void> {
    this.#send();
    await this.#pool?.close();
  }
}
