/** What a reading found, taken in the order found into batches, which are stored one at a time. */
import type { EvidenceBatch } from '../store/evidence.ts';

export type Sink<T> = (batch: EvidenceBatch<T>) => Promise<void> | void;

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

/** Adds a mail, a problem or the end of a file to the batch; returns the bytes that it takes. */
type Take<T> = (batch: EvidenceBatch<T>) => Promise<number> | number;

const sizeOf = ({ messages, copies, problems, files }: EvidenceBatch<unknown>): number =>
  messages.length + copies.length + problems.length + files.length;

const empty = (): EvidenceBatch<never> => ({ messages: [], copies: [], problems: [], files: [] });

interface BatchOptions<T> {
  sink: Sink<T>;
  size?: number | undefined;
  signal?: AbortSignal | undefined;
  onStored(): void;
}

export class Batches<T> {
  readonly #options: BatchOptions<T>;
  readonly #ahead: { bytes: number; take: Take<T> }[] = [];
  #bytesAhead = 0;
  #batch: EvidenceBatch<T> = empty();
  #bytes = 0;
  #stored = 0;
  /** The error is not one of a file but of the store, or of parsing: no more can be read. */
  hasFailed = false;

  constructor(options: BatchOptions<T>) {
    this.#options = options;
  }

  follow(bytes: number, take: Take<T>): void {
    this.#ahead.push({ bytes, take });
    this.#bytesAhead += bytes;
  }

  /** Takes what was found until few enough items are ahead. */
  settle(): Promise<void> {
    return this.#settle(Math.min(MOST_AHEAD, Math.max(FIRST_AHEAD, this.#stored)), MOST_BYTES_AHEAD);
  }

  async end(): Promise<void> {
    await this.#settle(0, 0);
    await this.#store();
  }

  async #settle(most: number, mostBytes: number): Promise<void> {
    while (this.#ahead.length > most || this.#bytesAhead > mostBytes) {
      const first = this.#ahead.shift();
      if (first === undefined) return;
      this.#bytesAhead -= first.bytes;
      try {
        this.#bytes += await first.take(this.#batch);
        this.#options.signal?.throwIfAborted();
        // Small first batches show results early; later ones are larger, as each transaction rewrites most index pages.
        const size = this.#options.size ?? Math.min(LARGEST_BATCH, Math.max(FIRST_BATCH, this.#stored));
        if (sizeOf(this.#batch) >= size || this.#bytes >= BATCH_BYTES) await this.#store();
      } catch (error) {
        this.hasFailed = true;
        throw error;
      }
    }
  }

  async #store(): Promise<void> {
    const batch = this.#batch;
    if (sizeOf(batch) === 0) return;
    this.#batch = empty();
    this.#bytes = 0;
    await this.#options.sink(batch);
    this.#stored += sizeOf(batch);
    this.#options.onStored();
  }
}
