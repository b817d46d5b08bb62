/** Recognises mail by its start, for files and parts whose name does not say what they are. */
import { charsetOf } from '#shared/mail/charsets.ts';

/** Prefixes that some programs write before the first line, as latin1. */
const LEAD = /^(?:\xef\xbb\xbf)?(?:[ \t]*\r?\n)*/;
const MAIL_FIELD =
  /^(?:return-path|received(?:-spf)?|delivered-to|envelope-to|x-[\w-]+|date|from|to|cc|bcc|subject|message-id|in-reply-to|references|mime-version|reply-to|sender|status|user-agent|list-[\w-]+|resent-[\w-]+|thread-[\w-]+|content-[\w-]+|authentication-results|arc-[\w-]+|dkim-signature|domainkey-signature)[ \t]*:/i;
const SNIFF_BYTES = 4096;

const isLetter = (byte = 0): boolean => byte > 0x20 && byte < 0x7f;

/** The encoding of a text in UTF-16 or UTF-32, or null for another one. */
export function wideEncoding([a, b, c, d]: Uint8Array): string | null {
  if (c === 0 && d === 0 && ((a === 0xff && b === 0xfe) || (b === 0 && isLetter(a)))) return 'utf-32le';
  if (a === 0 && b === 0 && ((c === 0xfe && d === 0xff) || (c === 0 && isLetter(d)))) return 'utf-32be';
  if ((a === 0xff && b === 0xfe) || (b === 0 && d === 0 && isLetter(a) && isLetter(c))) return 'utf-16le';
  return (a === 0xfe && b === 0xff) || (a === 0 && c === 0 && isLetter(b) && isLetter(d)) ? 'utf-16be' : null;
}

/** Converts text saved in UTF-16, as by PowerShell, or UTF-32 to UTF-8; anything else is unchanged. */
export function narrowed(bytes: Buffer): Buffer {
  const encoding = wideEncoding(bytes);
  const charset = encoding === null ? null : charsetOf(encoding);
  return charset === null ? bytes : Buffer.from(charset.decode(bytes), 'utf8');
}

/** Length of a byte order mark and of empty lines at the start. */
export const leadOf = (text: string): number => LEAD.exec(text)?.[0].length ?? 0;
export const isMailField = (text: string): boolean => MAIL_FIELD.test(text);

/** Whether the text begins with two mail header fields. */
export function beginsMail(text: string): boolean {
  const [first = '', ...rest] = text.split('\n', 40);
  return isMailField(first) && isMailField(rest.find((line) => !/^[ \t]/.test(line)) ?? '');
}

const ANY_FIELD = /^([!-9;-~]{1,76})[ \t]*:/;
/** Fields almost only found in mail: a header block has at least one of them, and one more of these or the others. */
const SURE = new Set(['from', 'received', 'message-id', 'return-path', 'delivered-to']);
const USUAL = new Set(['to', 'date', 'subject', 'mime-version', 'cc', 'reply-to']);

/** Whether the text begins with only header fields, including two of mail, in any order. */
export function isHeaderBlock(text: string): boolean {
  let sure = 0;
  let usual = 0;
  // The last line may be cut.
  for (const line of text.slice(0, text.lastIndexOf('\n') + 1).split('\n')) {
    if (line.trim() === '') break;
    if (/^[ \t]/.test(line)) continue;
    const name = ANY_FIELD.exec(line)?.[1]?.toLowerCase();
    if (name === undefined) return false;
    if (SURE.has(name)) sure += 1;
    else if (USUAL.has(name)) usual += 1;
  }
  return sure > 0 && sure + usual > 1;
}

/** The start of a mail: after a byte order mark and empty lines, if a mail follows them. */
export function mailBegin(bytes: Buffer): number {
  const [first = 0] = bytes;
  if (first > 0x20 && first !== 0xef) return 0;
  const text = bytes.toString('latin1', 0, SNIFF_BYTES);
  const lead = leadOf(text);
  const rest = text.slice(lead);
  return isMailField(rest) || isHeaderBlock(rest) ? lead : 0;
}

/** Whether a file begins with this many mail header fields. */
export function startsMail(bytes: Buffer, fields: 1 | 2 = 1): boolean {
  const text = narrowed(bytes.subarray(0, SNIFF_BYTES)).toString('latin1');
  return (fields === 1 ? isMailField : beginsMail)(text.slice(leadOf(text)));
}
