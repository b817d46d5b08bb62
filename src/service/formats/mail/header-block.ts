/** Where the header block of a mail or part ends, also in mails that programs have damaged. */
import { mailBegin, narrowed } from '../files/mail-start.ts';

export const LF = 0x0a;
export const CR = 0x0d;

/**
 * Whether lines end with CR alone: with no LF at all, or with an empty line of that kind before the first LF, as when only
 * the body was converted.
 */
function endsWithCr(bytes: Buffer): boolean {
  const lf = bytes.indexOf(LF);
  if (lf < 0) return bytes.includes(CR);
  let offset = bytes.indexOf('\r\r');
  if (offset < 0 || offset > lf) return false;
  while (bytes[offset] === CR) offset++;
  return offset < lf;
}

/** End of the header block and start of the body: the first empty line, also one with several CRs. Linear. */
export function headerEnd(bytes: Buffer): { end: number; body: number } {
  const eol = endsWithCr(bytes) ? CR : LF;
  for (let position = 0; position < bytes.length; ) {
    const end = bytes.indexOf(eol, position);
    if (end < 0) break;
    let blank = position;
    if (eol === LF) while (bytes[blank] === CR) blank++;
    if (end === blank) return { end: position, body: end + 1 };
    position = end + 1;
  }
  return { end: bytes.length, body: bytes.length };
}

/** Neither a delimiter nor a web address is a field, although each may hold a colon. */
const FIELD = /^(?:>?From |(?!--)[^\t-\r :]+[ \t]*:(?!\/\/))/;
/** Only these fields have a meaning in a part (RFC 2045); any other word before a colon may be text. */
const PART_FIELD = /^(?:content-|mime-|x-)[\w-]*[ \t]*:/i;
/** The beginning of a part with a header, after empty lines. */
export const PART_START = /^\s*(?:content-|mime-)[\w-]*[ \t]*:/i;
const MORE_PART_FIELDS = /^(?:content-|mime-)[\w-]*[ \t]*:/im;
const MORE_MAIL_FIELDS =
  /^(?:from|to|cc|subject|date|message-id|received|reply-to|return-path|mime-version|content-[\w-]+)[ \t]*:/im;
/** A parameter that was folded without a space. */
const PARAMETER = /^[\w-]+(?:\*\d*)?\*?=\S/;
const MAX_FIELD_NAME = 1000;
const MAX_LOOKED_THROUGH = 256 * 1024;

/** Offset of the first line that is neither a field nor a continuation. Linear. */
function fieldsEnd(bytes: Buffer, field: RegExp): number {
  let isOpen = false;
  for (let offset = 0; offset < bytes.length; ) {
    const end = bytes.indexOf(LF, offset);
    const next = end < 0 ? bytes.length : end + 1;
    const goesOn = offset > 0 && (bytes[offset] === 0x20 || bytes[offset] === 0x09);
    const start = bytes.toString('latin1', offset, Math.min(next, offset + MAX_FIELD_NAME));
    if (!goesOn && !field.test(start) && !(isOpen && PARAMETER.test(start))) return offset;
    isOpen = start.trimEnd().endsWith(';');
    offset = next;
  }
  return bytes.length;
}

interface HeaderEnd {
  end: number;
  body: number;
  /** The empty line before the body is missing. */
  isGuessed: boolean;
}

/**
 * The header block and body, also when the empty line between them is missing: the first line that is no field then starts
 * the body, unless more fields follow; after those, a delimiter line does. A part that begins with text has no headers at
 * all. Otherwise the text would be lost among the headers.
 */
function headersOf(bytes: Buffer, isPart: boolean): HeaderEnd {
  const headEnd = headerEnd(bytes);
  const read = { ...headEnd, isGuessed: false };
  if (headEnd.end === 0) return read;
  const delimiter = bytes.subarray(0, headEnd.end).indexOf('\n--');
  const limit = delimiter < 0 ? headEnd.end : delimiter + 1;
  const block = bytes.subarray(0, limit);
  let end = fieldsEnd(block, FIELD);
  if (isPart && end === 0) return { end: 0, body: 0, isGuessed: true };
  if (isPart && (end < limit || limit === bytes.length)) end = fieldsEnd(block, PART_FIELD);
  const rest = block.toString('latin1', end, end + MAX_LOOKED_THROUGH);
  if (end < limit && !(isPart ? MORE_PART_FIELDS : MORE_MAIL_FIELDS).test(rest))
    return { end, body: end, isGuessed: true };
  return delimiter < 0 ? read : { end: limit, body: limit, isGuessed: true };
}

export const UNEVEN = '\r\r\n';
export const UNEVEN_LINES = 'lines end with CR CR LF; they are read as if they ended with CR LF';

/** Lines that end with several CRs and LF end with one. Linear. */
export function evenLines(bytes: Buffer): Buffer {
  const out = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let offset = 0; offset < bytes.length; offset++) {
    const start = offset;
    while (bytes[offset] === CR && bytes[offset + 1] === CR) offset++;
    if (offset > start && bytes[offset + 1] !== LF) length += bytes.copy(out, length, start, offset);
    out[length++] = bytes[offset] ?? 0;
  }
  return out.subarray(0, length);
}

const REVERSED_LINES = 'lines end with LF CR; they are read as if they ended with CR LF';

/** Whether the first lines end with LF CR, and none of the header with CR LF. */
function endsReversed(bytes: Buffer): boolean {
  const lf = bytes.indexOf(LF);
  if (lf < 1 || bytes[lf + 1] !== CR || bytes[lf - 1] === CR) return false;
  const end = bytes.indexOf('\n\r\n\r');
  return end >= 0 && !bytes.subarray(0, end).includes('\r\n');
}

/** CR and LF the other way round, where they are. Linear. */
function turnedLines(bytes: Buffer): Buffer {
  const out = Buffer.from(bytes);
  for (let offset = out.indexOf('\n\r'); offset >= 0; offset = out.indexOf('\n\r', offset + 2)) {
    out[offset] = CR;
    out[offset + 1] = LF;
  }
  return out;
}

interface Opened extends HeaderEnd {
  bytes: Buffer;
  guesses: string[];
}

/** Where the header block of a mail or part ends, in its bytes as they are read; with what was guessed. */
export function opened(source: Buffer, isPart: boolean): Opened {
  const whole = isPart ? source : narrowed(source);
  let bytes = isPart ? whole : whole.subarray(mailBegin(whole));
  const guesses =
    whole === source ? [] : ['the whole mail is written in UTF-16; it is read as if it were not'];
  if (endsReversed(bytes)) {
    guesses.push(REVERSED_LINES);
    bytes = turnedLines(bytes);
  }
  let headers = headersOf(bytes, isPart);
  if (bytes.subarray(0, headers.body).includes(UNEVEN)) {
    guesses.push(UNEVEN_LINES);
    bytes = evenLines(bytes);
    headers = headersOf(bytes, isPart);
  } else if (bytes.includes(LF) && endsWithCr(bytes))
    guesses.push('lines of a header end with CR alone; they are read as lines');
  if (headers.isGuessed)
    guesses.push('the empty line before a body is missing; where the body begins is guessed');
  return { ...headers, bytes, guesses };
}

export function headerBlock(raw: Buffer): Buffer {
  const { bytes, end } = opened(raw, false);
  return bytes.subarray(0, end);
}
