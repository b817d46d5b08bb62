import { charsetLabel } from '#shared/mail/charsets.ts';

type Decoder = InstanceType<typeof TextDecoder>;

const decoders = new Map<string, Decoder | null>();
/** The encodings TextDecoder knows are few; made-up labels must not fill the map. */
const MAX_DECODERS = 200;

/** The decoder of a charset as mail names it, or null when there is none. */
export function decoderOf(charset: string): Decoder | null {
  const label = charsetLabel(charset);
  const known = decoders.get(label);
  if (known !== undefined) return known;
  let decoder: Decoder | null = null;
  try {
    decoder = new TextDecoder(label);
  } catch {
    decoder = null;
  }
  if (decoders.size < MAX_DECODERS) decoders.set(label, decoder);
  return decoder;
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const windows1252 = new TextDecoder('windows-1252');

/** UTF-8 when the bytes are valid UTF-8, else the fallback charset, else windows-1252. Never throws. */
export function decodeGuess(bytes: Uint8Array, fallback?: string): string {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return ((fallback ? decoderOf(fallback) : null) ?? windows1252).decode(bytes);
  }
}

/** The port shared/mail asks for. A charset that is unknown, or plainly wrong, is guessed. */
export function decodeBytes(bytes: Uint8Array, charset: string): string {
  const decoder = decoderOf(charset);
  return decoder ? decoder.decode(bytes) : decodeGuess(bytes);
}

/**
 * A header block as text. Raw 8-bit fields are UTF-8 when valid, else of the charset the mail names for
 * its body (old mailers used it unmarked in headers), else windows-1252; decided per line.
 */
export function decodeHeaderBlock(bytes: Uint8Array): string {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const hint = /charset\s*=\s*"?([\w.:-]{2,40})/i.exec(buffer.toString('latin1', 0, 65_536))?.[1];
    const lines: string[] = [];
    for (let at = 0; at < buffer.length; ) {
      const found = buffer.indexOf(0x0a, at);
      const end = found < 0 ? buffer.length : found + 1;
      lines.push(decodeGuess(buffer.subarray(at, end), hint));
      at = end;
    }
    return lines.join('');
  }
}
