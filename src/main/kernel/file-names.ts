/** Safe names for files whose name comes from mail or a service. */

/** Device names reserved by Windows: with any extension, with spaces before it, and with superscript digits. */
const DEVICES = /^(con|prn|aux|nul|clock\$|conin\$|conout\$|com\d|lpt\d)\s*(\.|$)/i;
const isDevice = (name: string): boolean => DEVICES.test(name.normalize('NFKC'));
/** Windows strips these from the end of a name. */
const ENDS = /(?<![.\s])[.\s]+$/;
const MAX_BYTES = 120;

/**
 * A single path component that every platform accepts: no separators, control or bidirectional characters, no leading
 * dot, no trailing dot or space, no device name, at most 120 bytes including its extension.
 */
export function safeFileName(name: string, fallback = 'parapet'): string {
  const cleaned = name
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '')
    .replace(/[\\/:*?"<>|]/g, '_')
    .replace(/\s+/g, ' ')
    .replace(/^[.\s]+/, '')
    .replace(ENDS, '');
  const named = cleaned === '' ? fallback : cleaned;
  const safe = isDevice(named) ? `_${named}` : named;
  const dot = safe.lastIndexOf('.');
  const extension = dot > 0 && safe.length - dot <= 12 ? safe.slice(dot) : '';
  let stem = '';
  let room = MAX_BYTES - Buffer.byteLength(extension);
  for (const char of safe.slice(0, safe.length - extension.length)) {
    room -= Buffer.byteLength(char);
    if (room < 0) break;
    stem += char;
  }
  return extension === '' ? stem.replace(ENDS, '') : stem + extension;
}
