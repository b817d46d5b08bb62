/** Names for files that Parapet writes, made of text that may come from mail or a service. */

/** Names that Windows keeps for devices: with any extension, with spaces in front of it, with raised digits as well. */
const DEVICES = /^(con|prn|aux|nul|clock\$|conin\$|conout\$|com\d|lpt\d)\s*(\.|$)/i;
const isDevice = (name: string): boolean => DEVICES.test(name.normalize('NFKC'));
/** Windows takes these off the end of a name. */
const ENDS = /[.\s]+$/;
const MAX_BYTES = 120;

/**
 * A single path component that every platform accepts: no separators, control or bidirectional characters,
 * no leading dot, no dot or space at the end, no device name, at most 120 bytes with its extension kept.
 */
export function safeFileName(wanted: string, fallback = 'parapet'): string {
  const cleaned = wanted
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
  let stem = safe.slice(0, safe.length - extension.length);
  while (Buffer.byteLength(stem + extension) > MAX_BYTES) stem = [...stem].slice(0, -1).join('');
  return extension === '' ? stem.replace(ENDS, '') : stem + extension;
}
