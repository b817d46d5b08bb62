/**
 * Parses the mails of an import: a few here, many in threads, which end with the import. The result does not depend on
 * the thread.
 */
import { availableParallelism } from 'node:os';
import { EndedDuring, NotStarted } from '#workers/restarts.ts';
import { WorkerPool } from '#workers/worker-pool.ts';
import type { DkimKeys } from '../formats/mail/dkim-keys.ts';
import { readMail } from '../formats/mail/read-mail.ts';
import type { FoundMail, MailResult } from '../formats/mail/types.ts';
import type { KeptMail } from '../store/evidence.ts';
import { keptReading } from './kept-mail.ts';
import type { RawMails } from './parse-thread.ts';

/** Starting a thread takes as long as parsing some hundred mails. */
const HERE = 100;
const HERE_BYTES = 4 * 1024 * 1024;
const GROUP = 16;
const GROUP_BYTES = 256 * 1024;
const MOST_THREADS = 4;
/** Groups in the threads' queues: their work while this thread writes a batch. */
const MOST_GROUPS = 64;
/** Mails from this size on are transferred to the thread instead of copied. */
const LARGE = 8 * 1024 * 1024;
/** Objects of a mail die with its group, so a larger young generation costs memory and saves almost nothing. */
const YOUNG_MB = 24;
const LABEL = 'A thread that parses mail';
const ENDED = 'the thread that parsed it ended; the mail may be too large or made to do so';

export interface ParserOptions {
  /** Entry of the parsing threads; omitted: everything is parsed here. */
  entry?: URL | undefined;
  believed: readonly string[];
  keys?: DkimKeys;
  signal?: AbortSignal | undefined;
}

interface Waiting extends FoundMail {
  resolve(result: MailResult<KeptMail>): void;
  reject(error: unknown): void;
}

/** A mail whose bytes are transferred, and lost if the thread ends. */
const moved = ({ raw, sha256, isParted }: Waiting): RawMails['mails'] => [
  {
    raw:
      raw.buffer instanceof ArrayBuffer && raw.length === raw.buffer.byteLength
        ? new Uint8Array(raw.buffer)
        : new Uint8Array(raw),
    sha256,
    isParted,
  },
];

/** Copies the mails of a group into one buffer for the thread, so that none is lost if the thread ends. */
function together(group: readonly Waiting[]): RawMails['mails'] {
  const all = new Uint8Array(group.reduce((sum, mail) => sum + mail.raw.length, 0));
  let end = 0;
  return group.map((mail) => {
    const start = end;
    all.set(mail.raw, start);
    end += mail.raw.length;
    return { raw: all.subarray(start, end), sha256: mail.sha256, isParted: mail.isParted };
  });
}

class Tally {
  #count = 0;
  #bytes = 0;

  /** Whether there are many, with one more of this size. */
  isMany(bytes: number): boolean {
    this.#count += 1;
    this.#bytes += bytes;
    return this.#count > HERE || this.#bytes > HERE_BYTES;
  }
}

export class Parsers {
  readonly #options: ParserOptions;
  readonly #reading: ReturnType<typeof keptReading>;
  #pool: WorkerPool<RawMails> | null = null;
  /** A separate thread for mails that may crash it, one at a time. */
  #alone: WorkerPool<RawMails> | null = null;
  #group: Waiting[] = [];
  #groupBytes = 0;
  readonly #listed = new Tally();
  readonly #parsedHere = new Tally();
  /** No thread could be started, as when too many files are open: the mails are parsed here. */
  #isAlone = false;

  constructor(options: ParserOptions) {
    this.#options = options;
    this.#reading = keptReading(options.believed, options.keys);
  }

  /** A file of this size will be read. When there are many, a thread starts while the others are being listed. */
  expect(bytes: number): void {
    const { entry } = this.#options;
    if (entry !== undefined && this.#pool === null && this.#listed.isMany(bytes)) this.#threads(entry).warm();
  }

  readonly read = (mail: FoundMail): Promise<MailResult<KeptMail>> => {
    const { raw } = mail;
    const { entry } = this.#options;
    if (entry === undefined || this.#isAlone || (this.#pool === null && !this.#parsedHere.isMany(raw.length)))
      return readMail(mail, this.#reading);
    return new Promise((resolve, reject) => {
      if (raw.length >= LARGE) return void this.#parseAlone({ ...mail, resolve, reject });
      // A partly filled group must be sent when its mails are awaited.
      if (this.#group.length === 0) setImmediate(() => this.#send());
      this.#group.push({ ...mail, resolve, reject });
      this.#groupBytes += raw.length;
      if (this.#group.length >= GROUP || this.#groupBytes >= GROUP_BYTES) this.#send();
    });
  };

  #start(entry: URL, size: number, concurrency: number): WorkerPool<RawMails> {
    return new WorkerPool<RawMails>({
      entry,
      name: 'embedded-parser',
      label: LABEL,
      data: { role: 'parser', believed: this.#options.believed, keys: this.#options.keys },
      size,
      concurrency,
      idle: null,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
      moved: ({ mails }) => mails.slice(0, 1).map(({ raw }) => raw.buffer),
    });
  }

  #threads(entry: URL): WorkerPool<RawMails> {
    if (this.#pool === null) {
      const size = Math.max(1, Math.min(MOST_THREADS, availableParallelism() - 1));
      this.#pool = this.#start(entry, size, Math.ceil(MOST_GROUPS / size));
    }
    return this.#pool;
  }

  #send(): void {
    const group = this.#group;
    this.#group = [];
    this.#groupBytes = 0;
    if (group.length > 0) void this.#parse(group);
  }

  #run(pool: WorkerPool<RawMails>, mails: RawMails['mails']): Promise<MailResult<KeptMail>[]> {
    return pool.run({ type: 'parse', mails }, { signal: this.#options.signal });
  }

  async #parse(group: readonly Waiting[]): Promise<void> {
    const { entry, signal } = this.#options;
    if (entry === undefined) return;
    try {
      const results = await this.#run(this.#threads(entry), together(group));
      for (const [index, { resolve, reject }] of group.entries()) {
        const result = results[index];
        if (result === undefined) reject(new Error('A mail was not parsed'));
        else resolve(result);
      }
    } catch (error) {
      if (!signal?.aborted && error instanceof NotStarted)
        for (const mail of group) await this.#parseHere(mail);
      else if (signal?.aborted || !(error instanceof EndedDuring))
        for (const { reject } of group) reject(error);
      // One mail of the group may crash the thread and is then reported. The thread's other groups were only queued.
      else if (error.isFirst) for (const mail of group) await this.#parseAlone(mail, true);
      else await this.#parse(group);
    }
  }

  async #parseHere(mail: Waiting): Promise<void> {
    this.#isAlone = true;
    await readMail(mail, this.#reading).then(mail.resolve, mail.reject);
  }

  /** A mail that `mayCrash` was in a thread that ended, so it is never parsed in this one. */
  async #parseAlone(mail: Waiting, mayCrash = false): Promise<void> {
    const { entry, signal } = this.#options;
    if (entry === undefined) return;
    this.#alone ??= this.#start(entry, 1, 1);
    try {
      const [result] = await this.#run(this.#alone, moved(mail));
      if (result === undefined) mail.reject(new Error('A mail was not parsed'));
      else mail.resolve(result);
    } catch (error) {
      if (!signal?.aborted && !mayCrash && error instanceof NotStarted) await this.#parseHere(mail);
      else if (signal?.aborted || !(error instanceof EndedDuring)) mail.reject(error);
      else mail.resolve({ ok: false, isUnread: true, reason: ENDED });
    }
  }

  async close(): Promise<void> {
    this.#send();
    await Promise.all([this.#pool?.close(), this.#alone?.close()]);
  }
}
