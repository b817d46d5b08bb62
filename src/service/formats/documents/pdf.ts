/** Whether a PDF is encrypted, as its trailer says (ISO 32000-1, 7.5.5). */

/** Readers accept this many bytes before the header and after the end. */
const NEAR = 1_024;
/** Bytes of a reference table that are searched for the trailer behind it, and bytes of a trailer. */
const MOST_TABLE = 4 * 1024 * 1024;
const MOST_TRAILER = 64 * 1024;
const ENCRYPT = /\/Encrypt(?=[\s<])\s*(?:\d+\s+\d+\s+R|<<)/;
const KEYWORD = /(?:^|[^\w])(trailer|\d+\s+\d+\s+obj)\b/g;

/** Candidates for a trailer that are examined when the end of the file points to none. */
const MOST_LOOKS = 1_000;

/** The text up to the end of the first dictionary in it. */
function dictionaryAt(text: string): string {
  let depth = 0;
  // Brackets inside strings do not count; escaped ones begin none.
  for (const { 0: sign, index } of text.matchAll(/\\[()]|\((?:\\[\s\S]|[^\\()])*\)|<<|>>/g)) {
    if (sign === '<<') depth += 1;
    else if (sign === '>>') depth -= 1;
    if (sign === '>>' && depth <= 0) return text.slice(0, index);
  }
  return text;
}

function trailerAt(bytes: Buffer, offset: number): string | null {
  const head = bytes.toString('latin1', offset, offset + 64).trimStart();
  if (/^\d+\s+\d+\s+obj\b/.test(head))
    return dictionaryAt(bytes.toString('latin1', offset, offset + MOST_TRAILER));
  if (!head.startsWith('xref')) return null;
  const table = bytes.subarray(offset, offset + MOST_TABLE);
  const trailer = table.indexOf('trailer');
  return trailer < 0 ? null : dictionaryAt(table.toString('latin1', trailer, trailer + MOST_TRAILER));
}

/** The trailer that the end of the file points to, or null if it points to none. */
function lastTrailer(bytes: Buffer, start: number): string | null {
  const end = bytes.subarray(-NEAR);
  const match = /^startxref\s+(\d{1,12})/.exec(
    end.toString('latin1', Math.max(0, end.lastIndexOf('startxref'))),
  );
  if (match === null) return null;
  const position = Number(match[1]);
  // Some programs count from the start of the file instead of the header.
  return trailerAt(bytes, start + position) ?? trailerAt(bytes, position);
}

/** Readers search damaged files for trailers; so does this. */
function anyTrailer(bytes: Buffer, most: number): boolean {
  let position = -1;
  for (let look = 0; look < most; look++) {
    position = bytes.indexOf('/Encrypt', position + 1);
    if (position < 0) return false;
    const from = Math.max(0, position - NEAR);
    const before = bytes.toString('latin1', from, position);
    const begins = [...before.matchAll(KEYWORD)].at(-1);
    if (begins === undefined) continue;
    const dictionary = dictionaryAt(bytes.toString('latin1', from + begins.index, position + NEAR));
    const isTrailer = begins[1] === 'trailer' || /\/Type\s*\/XRef\b/.test(dictionary);
    if (isTrailer && ENCRYPT.test(dictionary)) return true;
  }
  return false;
}

export function isLockedPdf(bytes: Buffer, mostLooks = MOST_LOOKS): boolean {
  const start = bytes.subarray(0, NEAR).indexOf('%PDF-');
  if (start < 0) return false;
  const trailer = lastTrailer(bytes, start);
  return trailer === null ? anyTrailer(bytes, mostLooks) : ENCRYPT.test(trailer);
}
