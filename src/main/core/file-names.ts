/** Names for files that Parapet writes, made of text that may come from mail or a service. */

/** Names that Windows keeps for devices, with any extension. */
const DEVICES = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;
const MAX_BYTES = 120;

/**
 * A single path component that every platform accepts: no separators, control or bidirectional characters,
 * no leading dot, no device name, at most 120 bytes with its extension kept.
 */
export function safeFileName(wanted: string, fallback = 'parapet'): string {
  const cleaned = wanted
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '')
    .replace(/[\\/:*?"<>|]/g, '_')
    .replace(/\s+/g, ' ')
    .replace(/^[.\s]+|[.\s]+$/g, '');
  const named = cleaned === '' ? fallback : cleaned;
  const safe = DEVICES.test(named) ? `_${named}` : named;
  const dot = safe.lastIndexOf('.');
  const extension = dot > 0 && safe.length - dot <= 12 ? safe.slice(dot) : '';
  let stem = safe.slice(0, safe.length - extension.length);
  while (Buffer.byteLength(stem + extension) > MAX_BYTES) stem = [...stem].slice(0, -1).join('');
  return stem + extension;
}
