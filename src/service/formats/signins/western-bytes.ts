/** Text that should be UTF-8 but is not, as Excel's plain "CSV": its stray bytes are read as Windows-1252. */
import { isUtf8 } from 'node:buffer';

const WESTERN = new TextDecoder('windows-1252');

/** The length of a UTF-8 character by its first byte; 0: not a first byte. */
const lengthOf = (first: number): number =>
  first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;

/** The end of the complete characters; the rest may continue in the next chunk. */
function wholeEnd(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte >= 0xc0) return lengthOf(byte) > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

export class WesternBytes {
  /** Characters that were read as Windows-1252 so far. */
  count = 0;
  #rest: Buffer = Buffer.alloc(0);

  take(chunk: Buffer): Buffer {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const end = wholeEnd(bytes);
    this.#rest = Buffer.from(bytes.subarray(end));
    return this.#valid(bytes.subarray(0, end));
  }

  end(): Buffer {
    const rest = this.#rest;
    this.#rest = Buffer.alloc(0);
    return this.#valid(rest);
  }

  #valid(bytes: Buffer): Buffer {
    if (isUtf8(bytes)) return bytes;
    const parts: Buffer[] = [];
    let from = 0;
    for (let offset = 0; offset < bytes.length; ) {
      const length = lengthOf(bytes[offset] ?? 0);
      if (length === 1 || (length > 1 && isUtf8(bytes.subarray(offset, offset + length)))) {
        offset += length;
        continue;
      }
      parts.push(
        bytes.subarray(from, offset),
        Buffer.from(WESTERN.decode(bytes.subarray(offset, offset + 1)), 'utf8'),
      );
      this.count += 1;
      offset += 1;
      from = offset;
    }
    return Buffer.concat([...parts, bytes.subarray(from)]);
  }
}
