const STEP = 65_536;

/** Pieces of a stream, read by length. */
export class Pull {
  readonly #pieces: AsyncIterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);
  #isOver = false;
  /** Bytes that were taken or passed over. */
  position = 0;

  constructor(pieces: AsyncIterable<Buffer>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** The next bytes, which stay to be read; fewer than `length` only at the end. */
  async peek(length: number): Promise<Buffer> {
    const more: Buffer[] = [this.#held];
    for (let count = this.#held.length; count < length && !this.#isOver; ) {
      const { done, value } = await this.#pieces.next();
      if (done === true) this.#isOver = true;
      else {
        more.push(value);
        count += value.length;
      }
    }
    if (more.length > 1) this.#held = Buffer.concat(more);
    return this.#held.subarray(0, length);
  }

  /** Passes over bytes that were peeked at. */
  skip(length: number): void {
    this.position += Math.min(length, this.#held.length);
    this.#held = this.#held.subarray(length);
  }

  /** The same. Throws if there are fewer. */
  async need(length: number): Promise<Buffer> {
    const bytes = await this.peek(length);
    if (bytes.length < length) throw new RangeError('it is cut off');
    return bytes;
  }

  /** The next bytes. Throws if there are fewer. */
  async take(length: number): Promise<Buffer> {
    const bytes = await this.need(length);
    this.skip(length);
    return bytes;
  }

  /** Passes over bytes without holding them. Throws if there are fewer. */
  async pass(length: number): Promise<void> {
    for (let remaining = length; remaining > 0; )
      remaining -= (await this.take(Math.min(remaining, STEP))).length;
  }

  async close(): Promise<void> {
    await this.#pieces.return?.();
  }
}
