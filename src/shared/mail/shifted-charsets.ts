/** Charsets of East Asia that escapes switch between ASCII and sets of two bytes for each character. */

import { TextDecoder } from '../platform.ts';
import { big5Bytes } from './cns11643.ts';

/** ISO-2022-KR (RFC 1557): between SO and SI, two bytes for each character of EUC-KR. */
export function iso2022kr(bytes: Uint8Array): string {
  const out = new Uint8Array(bytes.length);
  let length = 0;
  let high = 0;
  for (let offset = 0; offset < bytes.length; offset++) {
    const byte = bytes[offset] ?? 0;
    // ESC $ ) C names the set.
    if (
      byte === 0x1b &&
      bytes[offset + 1] === 0x24 &&
      bytes[offset + 2] === 0x29 &&
      bytes[offset + 3] === 0x43
    )
      offset += 3;
    else if (byte === 0x0e || byte === 0x0f) high = byte === 0x0e ? 0x80 : 0;
    else out[length++] = byte > 0x20 ? byte | high : byte;
  }
  return new TextDecoder('euc-kr').decode(out.subarray(0, length));
}

type ChineseSet = 'gb' | 1 | 2 | null;
/** The sets by the end of the escape that names them: `A` in `ESC $ ) A`. Of the others, of ISO-2022-CN-EXT, none is read. */
const CHINESE_SETS: ReadonlyMap<number, ChineseSet> = new Map<number, ChineseSet>([
  [0x41, 'gb'],
  [0x47, 1],
  [0x48, 2],
]);

/**
 * ISO-2022-CN (RFC 1922): between SO and SI, two bytes for each character of GB 2312 or of the plane 1 of CNS 11643, and
 * after ESC N one of its plane 2. A line begins in ASCII.
 */
export function iso2022cn(bytes: Uint8Array): string {
  const simplified = new TextDecoder('gbk');
  const traditional = new TextDecoder('big5');
  const read = new Map<string, string>();
  const decoded = (set: ChineseSet, row: number, column: number): string => {
    if (set === 'gb') return simplified.decode(Uint8Array.of(row | 0x80, column | 0x80));
    const big5 = set === null ? null : big5Bytes(set, row, column);
    return big5 === null ? '\ufffd' : traditional.decode(big5);
  };
  const characterOf = (set: ChineseSet, row: number, column: number): string => {
    const key = `${set} ${row} ${column}`;
    const character = read.get(key) ?? decoded(set, row, column);
    read.set(key, character);
    return character;
  };
  let out = '';
  let named: ChineseSet = 'gb';
  let isShifted = false;
  for (let offset = 0; offset < bytes.length; offset++) {
    const [byte = 0, second = 0, third = 0, fourth = 0] = [
      bytes[offset],
      bytes[offset + 1],
      bytes[offset + 2],
      bytes[offset + 3],
    ];
    if (byte === 0x1b && second === 0x24 && third >= 0x29 && third <= 0x2b) {
      if (third === 0x29) named = CHINESE_SETS.get(fourth) ?? null;
      offset += 3;
    } else if (byte === 0x1b && (second === 0x4e || second === 0x4f)) {
      out += characterOf(second === 0x4e ? 2 : null, third, fourth);
      offset += 3;
    } else if (byte === 0x0e || byte === 0x0f) isShifted = byte === 0x0e;
    else if (isShifted && byte > 0x20 && byte < 0x7f && second > 0x20) {
      out += characterOf(named, byte, second);
      offset += 1;
    } else {
      if (byte === 0x0a) isShifted = false;
      out += byte < 0x80 ? String.fromCharCode(byte) : '\ufffd';
    }
  }
  return out;
}

/** HZ (RFC 1843): between `~{` and `~}`, or the end of the line, two bytes for each character of GB 2312. */
export function hz(bytes: Uint8Array): string {
  const out = new Uint8Array(bytes.length);
  let length = 0;
  let high = 0;
  for (let offset = 0; offset < bytes.length; offset++) {
    const byte = bytes[offset] ?? 0;
    const next = byte === 0x7e ? bytes[offset + 1] : undefined;
    if (next === 0x7b || next === 0x7d) {
      high = next === 0x7b ? 0x80 : 0;
      offset += 1;
    } else if (next === 0x7e || next === 0x0a) {
      // A tilde; a line that goes on.
      if (next === 0x7e) out[length++] = byte;
      offset += 1;
    } else if (high > 0 && byte > 0x20 && offset + 1 < bytes.length) {
      out[length++] = byte | high;
      offset += 1;
      out[length++] = (bytes[offset] ?? 0) | high;
    } else {
      if (byte === 0x0a) high = 0;
      out[length++] = byte;
    }
  }
  return new TextDecoder('gbk').decode(out.subarray(0, length));
}
