import type { DecodeBytes } from './charsets.ts';
import { decodeWords } from './encoded-words.ts';

/** One header field as it stands in the mail. */
export interface MailHeader {
  /** The field name as written. */
  name: string;
  /** The value with line folds removed and nothing else changed. */
  value: string;
  /** The value with RFC 2047 encoded words decoded, for showing. */
  decoded: string;
}

export interface ParseHeadersOptions {
  /** Fields kept at most; the rest is counted, not kept. */
  maxHeaders?: number;
  /** Receives where each kept field begins and ends in the text, without its line end. */
  places?: [start: number, end: number][];
}

export interface ParsedHeaders {
  headers: MailHeader[];
  /** Lines that are neither a field nor a continuation of one. */
  stray: string[];
  /** Fields beyond `maxHeaders`. */
  dropped: number;
}

const MAX_STRAY = 100;

function printableName(name: string): boolean {
  if (name.length === 0 || name.length > 998) return false;
  for (let i = 0; i < name.length; i++) {
    const code = name.charCodeAt(i);
    if (code <= 0x20 || code === 0x7f) return false;
  }
  return true;
}

/**
 * Parses a raw header block (RFC 5322 section 2.2) up to its first empty line. Takes CRLF, also with several CRs, LF, and
 * bare CR when the text has no LF at all; keeps order and duplicates; a leading mbox "From " line is skipped.
 * Never throws, linear in the length of the text.
 */
export function parseHeaders(
  text: string,
  decode: DecodeBytes,
  options: ParseHeadersOptions = {},
): ParsedHeaders {
  const maxHeaders = options.maxHeaders ?? Number.POSITIVE_INFINITY;
  const headers: MailHeader[] = [];
  const stray: string[] = [];
  const eol = text.includes('\n') ? '\n' : '\r';
  let dropped = 0;
  let name = '';
  let parts: string[] = [];
  let place: [start: number, end: number] = [0, 0];

  const close = () => {
    if (parts.length === 0) return;
    if (headers.length >= maxHeaders) dropped++;
    else {
      const joined = parts.length === 1 ? (parts[0] ?? '') : parts.join('');
      // A bare CR inside a value could start a new line when the value is written out.
      const value = (joined.includes('\r') ? joined.replace(/\r+/g, ' ') : joined).trim();
      headers.push({ name, value, decoded: decodeWords(value, decode) });
      options.places?.push(place);
    }
    parts = [];
  };

  let position = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  let first = true;
  while (position < text.length) {
    const lineEnd = text.indexOf(eol, position);
    const end = lineEnd < 0 ? text.length : lineEnd;
    let last = end;
    while (last > position && text.charCodeAt(last - 1) === 0x0d) last--;
    const line = text.slice(position, last);
    const start = position;
    position = end + 1;
    if (line === '') break;
    const lead = line.charCodeAt(0);
    if (lead === 0x20 || lead === 0x09) {
      if (parts.length > 0) {
        parts.push(line);
        place[1] = last;
      } else if (stray.length < MAX_STRAY && line.trim() !== '') stray.push(line);
    } else {
      const colon = line.indexOf(':');
      const label = colon > 0 ? line.slice(0, colon).trimEnd() : '';
      if (printableName(label)) {
        close();
        name = label;
        parts.push(line.slice(colon + 1));
        place = [start, last];
      } else if (!(first && /^>?From /.test(line))) {
        // A continuation of a stray line is stray, too, not part of the field above.
        close();
        if (stray.length < MAX_STRAY) stray.push(line);
      }
    }
    first = false;
  }
  close();
  return { headers, stray, dropped };
}

/** Compares lengths first: most names differ in length. */
const isNamed = ({ name }: MailHeader, key: string): boolean =>
  name.length === key.length && name.toLowerCase() === key;

/** The first field of that name (case-insensitive), or undefined. */
export function firstHeader(headers: readonly MailHeader[], name: string): MailHeader | undefined {
  const key = name.toLowerCase();
  return headers.find((header) => isNamed(header, key));
}

/** As `allHeaders`, each with its index among all. */
export function placedHeaders(
  headers: readonly MailHeader[],
  name: string,
): { index: number; header: MailHeader }[] {
  const key = name.toLowerCase();
  const out: { index: number; header: MailHeader }[] = [];
  for (const [index, header] of headers.entries()) if (isNamed(header, key)) out.push({ index, header });
  return out;
}

/** Every field of that name (case-insensitive), in the order of the mail: topmost first. */
export function allHeaders(headers: readonly MailHeader[], name: string): MailHeader[] {
  const key = name.toLowerCase();
  return headers.filter((header) => isNamed(header, key));
}

/** Headers beyond this are counted, not analysed: a hostile mail must not block the window. */
const ANALYSED = { characters: 512 * 1024, headers: 3_000 };

/** The headers of a tenant's mail, as far as they are analysed; `places` are as in `parseHeaders`. */
export const readHeaders = (
  raw: string,
  decode: DecodeBytes,
  places?: [start: number, end: number][],
): ParsedHeaders =>
  parseHeaders(raw.slice(0, ANALYSED.characters), decode, {
    maxHeaders: ANALYSED.headers,
    ...(places === undefined ? {} : { places }),
  });
