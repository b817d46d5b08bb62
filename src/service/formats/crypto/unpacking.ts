/** Unpacks what S/MIME and PGP compress, within limits for one content, and for a mail with those attached to it. */
import { constants, inflateRawSync, inflateSync } from 'node:zlib';

const MAX_CONTENT = 64 * 1024 * 1024;
/** Each reading of a content counts. */
const MAX_MAIL = 2 * MAX_CONTENT;
/** Deflate makes nothing smaller than this. */
const DEFLATE_RATIO = 1_032;

/** Why a content is not unpacked, after “it is not opened: ”. */
export class UnpackingError extends Error {}

/** What the contents of one mail, and of those attached to it, have unpacked to. */
export class Unpacking {
  readonly #most: number;
  #budget: number;

  constructor(most = MAX_MAIL) {
    this.#most = most;
    this.#budget = most;
  }

  /** A zlib stream, or a raw one. What a truncated one has left is returned. Throws UnpackingError. */
  inflate(packed: Buffer, isRaw = false): Buffer {
    const maxOutputLength = Math.min(MAX_CONTENT, this.#budget);
    if (maxOutputLength <= 0) throw this.#isUsedUp();
    const options = { maxOutputLength, finishFlush: constants.Z_SYNC_FLUSH };
    try {
      const content = isRaw ? inflateRawSync(packed, options) : inflateSync(packed, options);
      this.#budget -= content.length;
      return content;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error;
      // Time was spent on it, too.
      this.#budget -= Math.min(maxOutputLength, packed.length * DEFLATE_RATIO);
      if (error.code !== 'ERR_BUFFER_TOO_LARGE') throw new UnpackingError('it is damaged');
      throw maxOutputLength < MAX_CONTENT
        ? this.#isUsedUp()
        : new UnpackingError(`it unpacks to more than ${MAX_CONTENT} bytes`);
    }
  }

  readonly #isUsedUp = (): UnpackingError =>
    new UnpackingError(`the compressed parts of the mail unpack to more than ${this.#most} bytes`);
}
