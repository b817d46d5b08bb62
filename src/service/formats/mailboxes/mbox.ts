import { type ByteSource, fill } from '../files/bytes.ts';
import { beginsMail, isHeaderBlock, leadOf } from '../files/mail-start.ts';
import type { DovecotPart } from './dovecot-parts.ts';
import { FENCE } from './kinds.ts';
import { recordSlots } from './record-box.ts';

/** Position of one message in an mbox: after its "From " line, up to the empty line before the next. */
export interface MboxSlot {
  offset: number;
  length: number;
  /** Its length comes from Content-Length, so it may contain unquoted "From " lines. */
  counted?: boolean;
  /** The format does not quote lines: ">From " is part of the message. */
  verbatim?: boolean;
  /** Set for record mailboxes (record-box.ts), with the parts of the message that are in other files. */
  record?: { parts: readonly DovecotPart[] };
}

const CHUNK = 1024 * 1024;
/** How much of a candidate line and of the lines after it is examined. */
const LOOK_AHEAD = 4096;
/** Bytes kept from the previous window, to detect an empty line. */
const OVERLAP = 4;
/** How much of a message is searched for its Content-Length. */
const MAX_COUNTED_HEADER = 64 * 1024;
const MARK = Buffer.from('\nFrom ');
const LF = 0x0a;
const CR = 0x0d;

const DATED = /^From \S[^\n]*(?:\d{1,2}:\d{2}|\b(?:19|20)\d{2}\b)/;
/** The full form, asctime after the envelope sender, which may be empty: needs no header field after it. */
const FULL =
  /^From +(?:\S+[ \r]+)?[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} (?:[A-Z+-]\w{2,4} )?\d{4}\s*$/;
/** Without a date: an envelope sender, or the number in Usenet archives, and nothing else. */
const BARE = /^From (?:\S[^\s@]*@\S+|-?\d*|MAILER-DAEMON)[ \t]*\r?$/;
/** The form of some Thunderbird versions, which quote all other lines that begin like this. */
const WORD = /^From[ \t]*\r?$/;
const ONE_WORD = /^From \S+[ \t]*\r?$/;
const FIELD = /^(?:[!-9;-~]{1,76}[ \t]*:|>From )/;
const COUNT = /^content-length[ \t]*:[ \t]*(\d{1,15})[ \t]*\r?$/gim;

/**
 * Length of the separator line at the start of `view`; 0 if not a separator. After an empty line, the full form
 * separates, and so does a date followed by a header field. Without an empty line or a date, the following text must
 * look more
 * clearly like mail, so that "From here on …" in a letter does not separate.
 */
function separatorLength(view: string, isAfterBlank: boolean): number {
  const eol = view.indexOf('\n');
  if (eol < 0) return 0;
  const line = view.slice(0, eol);
  const rest = view.slice(eol + 1);
  const isSeparator = FULL.test(line)
    ? isAfterBlank || FIELD.test(rest)
    : (isAfterBlank && (DATED.test(line) || WORD.test(line)) && FIELD.test(rest)) ||
      (isAfterBlank && ONE_WORD.test(line) && (beginsMail(rest) || isHeaderBlock(rest))) ||
      ((DATED.test(line) || BARE.test(line)) && beginsMail(rest));
  return isSeparator ? eol + 1 : 0;
}

/** A separator: its start with the preceding line end, and its length (0: not a separator). */
interface Separator {
  mark: Buffer;
  lengthOf(view: string, isAfterBlank: boolean): number;
  verbatim?: boolean;
}

const FROM_LINE: Separator = { mark: MARK, lengthOf: separatorLength };
/** MMDF: the line that ends a message, the one that begins the next, and its "From " line, if it has one. */
const FENCES = new RegExp(`^(?:${FENCE}(?:\\r?\\n|$))+(?:From [^\\n]*\\n)?`);
const FENCE_LINE: Separator = {
  mark: Buffer.from(`\n${FENCE}`),
  lengthOf: (view) => FENCES.exec(view)?.[0].length ?? 0,
  verbatim: true,
};

/**
 * Bytes of the line end of the empty line that ends at a position; 0 if no empty line does. The file starts after
 * one.
 */
function blankBefore(window: Buffer, index: number): number {
  if (window[index - 1] !== LF) return 0;
  const size = window[index - 2] === CR ? 2 : 1;
  return index - size === 0 || window[index - size - 1] === LF ? size : 0;
}

async function readAt(handle: ByteSource, position: number, limit: number): Promise<Buffer> {
  const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(limit), 0, limit, position);
  return buffer.subarray(0, bytesRead);
}

/** Where the first separator line begins, and its length (0: the file begins with none). */
async function firstSeparator(handle: ByteSource): Promise<{ start: number; length: number }> {
  const view = (await readAt(handle, 0, LOOK_AHEAD)).toString('latin1');
  const start = leadOf(view);
  const isOne = view.startsWith('From ', start);
  return isOne
    ? { start, length: view.indexOf('\n', start) + 1 - start || view.length - start }
    : { start: 0, length: 0 };
}

/** The message at `start` by its Content-Length, if a separator or the end of the file follows; `next` comes after that. */
async function countedSlot(
  handle: ByteSource,
  start: number,
): Promise<{ slot: MboxSlot; next: number | null } | null> {
  const view = (await readAt(handle, start, MAX_COUNTED_HEADER)).toString('latin1');
  const header = /^\r?\n|\n\r?\n/.exec(view);
  if (header === null) return null;
  const body = header.index + header[0].length;
  const [count, another] = [...view.slice(0, body).matchAll(COUNT)];
  if (count === undefined || another !== undefined) return null;
  const length = body + Number(count[1]);
  const after = (await readAt(handle, start + length - 1, LOOK_AHEAD)).toString('latin1');
  const [lead = '', blank = ''] = /^[\s\S](\r?\n(?:\r?\n)?)?/.exec(after) ?? [];
  if (after === '' || (blank === '' && !after.startsWith('\n'))) return null;
  const slot = { offset: start, length, counted: true };
  if (lead.length === after.length) return { slot, next: null };
  const separator = after.startsWith('From ', lead.length)
    ? separatorLength(after.slice(lead.length), true)
    : 0;
  return separator === 0 ? null : { slot, next: start + length - 1 + lead.length + separator };
}

/**
 * The messages of a file in which every Content-Length is correct. A single wrong one rules this out: any sender can
 * write one, and could hide the messages after their own.
 */
async function* countedSlots(
  handle: ByteSource,
  start: number,
  signal?: AbortSignal,
): AsyncGenerator<MboxSlot | null> {
  for (let next: number | null = start; next !== null; ) {
    signal?.throwIfAborted();
    const slot = await countedSlot(handle, next);
    yield slot?.slot ?? null;
    if (slot === null) return;
    next = slot.next;
  }
}

async function isCounted(handle: ByteSource, start: number, signal?: AbortSignal): Promise<boolean> {
  for await (const slot of countedSlots(handle, start, signal)) if (slot === null) return false;
  return true;
}

/**
 * Finds the messages of an mbox (mboxo, mboxrd, mboxcl, mboxcl2, MMDF) or of a record mailbox, in constant memory, whatever
 * the size of the file or of a message. Bytes before the first separator form a separate message.
 */
export async function* mboxSlots(handle: ByteSource, signal?: AbortSignal): AsyncGenerator<MboxSlot> {
  const records = await recordSlots(handle, signal);
  if (records !== null) {
    yield* records;
    return;
  }
  const fence = FENCE_LINE.lengthOf((await readAt(handle, 0, LOOK_AHEAD)).toString('latin1'), true);
  if (fence > 0) {
    yield* separatedSlots(handle, fence, FENCE_LINE, signal);
    return;
  }
  const { start, length } = await firstSeparator(handle);
  if (length > 0 && (await isCounted(handle, start + length, signal))) {
    for await (const slot of countedSlots(handle, start + length, signal)) if (slot !== null) yield slot;
  } else yield* separatedSlots(handle, start + length, FROM_LINE, signal);
}

async function* separatedSlots(
  handle: ByteSource,
  begin: number,
  { mark, lengthOf, verbatim }: Separator,
  signal?: AbortSignal,
): AsyncGenerator<MboxSlot> {
  const chunk = Buffer.allocUnsafe(CHUNK);
  let window: Buffer = Buffer.alloc(0);
  /** File offset of the first byte of the window: the end of the line before the first message. */
  let base = Math.max(0, begin - 1);
  const first = base;
  let position = base;
  let start = begin;
  const slot = (length: number): MboxSlot => ({
    offset: start,
    length,
    ...(verbatim === true ? { verbatim } : {}),
  });
  /** An empty line before a "From " line is part of the separator; before an MMDF fence it belongs to the message. */
  const gap = (blank: number) => (verbatim === true ? 0 : blank);
  /** Why nothing more can be read; messages followed by another one are complete. */
  const failures: unknown[] = [];
  for (;;) {
    signal?.throwIfAborted();
    const { bytesRead } = await handle.read(chunk, 0, CHUNK, position).catch((error: unknown) => {
      failures.push(error);
      return { bytesRead: 0 };
    });
    position += bytesRead;
    const last = bytesRead === 0;
    window = Buffer.concat([window, chunk.subarray(0, bytesRead)]);
    const safe = last ? window.length : window.length - LOOK_AHEAD;
    if (safe <= 0 && !last) continue;
    // The first bytes of a later window were examined together with the previous one.
    for (
      let position = window.indexOf(mark, base === first ? 0 : OVERLAP);
      position >= 0 && position < safe;
      position = window.indexOf(mark, position + 1)
    ) {
      const line = position + 1;
      if (base + line < start) continue;
      const view = window.toString('latin1', line, Math.min(window.length, line + LOOK_AHEAD));
      const blank = blankBefore(window, line);
      const size = lengthOf(view, blank > 0);
      if (size === 0) continue;
      const length = base + line - gap(blank) - start;
      if (length > 0) yield slot(length);
      start = base + line + size;
    }
    if (last) break;
    const keep = Math.max(0, safe - OVERLAP);
    window = Buffer.from(window.subarray(keep));
    base += keep;
  }
  if (failures.length > 0) throw failures[0];
  // The empty line at the end precedes the next message: if it counted, appending one would change the last message.
  const length = position - start - (begin > 0 ? gap(blankBefore(window, window.length)) : 0);
  if (length > 0) yield slot(length);
}

/**
 * Undoes the quoting of lines that begin with "From " (mboxrd: removes one '>' before each >*From ). The older format
 * is indistinguishable; its ">From " is read as "From ", as intended.
 */
export function unquoteFrom(message: Buffer): Buffer {
  if (message.indexOf('>From ') < 0) return message;
  const chunks: Buffer[] = [];
  let from = 0;
  for (
    let position = message.indexOf('From ');
    position >= 0;
    position = message.indexOf('From ', position + 5)
  ) {
    let lead = position;
    while (lead > from && message[lead - 1] === 0x3e) lead--;
    if (lead === position || (lead > 0 && message[lead - 1] !== LF)) continue;
    chunks.push(message.subarray(from, lead), message.subarray(lead + 1, position + 5));
    from = position + 5;
  }
  if (chunks.length === 0) return message;
  chunks.push(message.subarray(from));
  return Buffer.concat(chunks);
}

/** The bytes of a slot as in the file. Throws when the file has become shorter. */
export async function readSlot(handle: ByteSource, slot: MboxSlot): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(slot.length);
  if ((await fill(handle, bytes, slot.offset)) < slot.length)
    throw new Error('the file became shorter while it was read');
  return bytes;
}

/** Whether "From " at the start of lines is quoted in a message: not if any such line is unquoted. */
export const isQuoted = (slot: MboxSlot, bytes: Buffer): boolean =>
  slot.verbatim !== true && (slot.counted !== true || bytes.indexOf(MARK) < 0);
