/** Truncates values without losing the distinguishing part (design.md, Grids). Pure. */

const ELLIPSIS = '…';

/** Splits into grapheme clusters, so that no emoji or accent is cut in half. */
function graphemes(text: string): string[] {
  return Array.from(
    new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text),
    (part) => part.segment,
  );
}

/** At most `max` characters, including the ellipsis if truncated. */
export function truncateEnd(text: string, max: number): string {
  if (text.length <= max) return text;
  const parts = graphemes(text);
  if (parts.length <= max) return text;
  return max <= 1
    ? ELLIPSIS
    : parts
        .slice(0, max - 1)
        .join('')
        .trimEnd() + ELLIPSIS;
}

/** A hash by its first ten and last eight characters: `9c4e07d1a6…be54b71f`. Short ones stay whole. */
export function shortHash(hash: string): string {
  return hash.length <= 20 ? hash : `${hash.slice(0, 10)}${ELLIPSIS}${hash.slice(-8)}`;
}

/** A recipient in one of our own domains by the local part alone; others whole. Domains in lower case. */
export function ownLocalPart(address: string, ownDomains: ReadonlySet<string>): string {
  const position = address.lastIndexOf('@');
  return position > 0 && ownDomains.has(address.slice(position + 1).toLowerCase())
    ? address.slice(0, position)
    : address;
}

/** Splits an address so that CSS can shrink the local part and keep the domain: `[local, @domain]`. */
export function splitAddress(address: string): readonly [string, string] {
  const position = address.lastIndexOf('@');
  return position > 0 ? [address.slice(0, position), address.slice(position)] : ['', address];
}
