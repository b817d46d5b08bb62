/** Converts the bytes of a message to readable text without losing any. */

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** Chunk size for one call of fromCharCode. */
const CHUNK = 8192;
/** A character of UTF-8 has at most four bytes, so a piece can end up to three bytes into one. */
const MOST_CUT = 3;

/** Number of bytes at the end that start an incomplete UTF-8 character. */
function cutOff(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(MOST_CUT, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? back : 0;
  }
  return 0;
}

export interface MessageText {
  text: string;
  /** 'bytes' if it is not valid UTF-8, so that each byte is shown as one character (ISO 8859-1). */
  as: 'utf-8' | 'bytes';
  /** Bytes at the end of a piece that belong to a character of the next one. */
  left: number;
}

/** Decodes as UTF-8 if all of it is valid, else one character per byte. `last` says that no more bytes follow. */
export function messageText(bytes: Uint8Array, last: boolean): MessageText {
  const cut = last ? 0 : cutOff(bytes);
  try {
    return { text: strictUtf8.decode(bytes.subarray(0, bytes.length - cut)), as: 'utf-8', left: cut };
  } catch {
    let text = '';
    for (let offset = 0; offset < bytes.length; offset += CHUNK)
      text += String.fromCharCode(...bytes.subarray(offset, offset + CHUNK));
    return { text, as: 'bytes', left: 0 };
  }
}
