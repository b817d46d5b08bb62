import type { FileHandle } from 'node:fs/promises';

/** Where one message of an mbox stands: after its "From " line, up to the empty line before the next. */
export interface MboxSlot {
  offset: number;
  length: number;
}

const CHUNK = 1024 * 1024;
/** How much of a candidate line and of the line after it is looked at. */
const LOOK_AHEAD = 4096;
/** Bytes of the past that suffice to see an empty line. */
const OVERLAP = 4;
const MARK = Buffer.from('\nFrom ');
const LF = 0x0a;
const CR = 0x0d;

const DATED = /^From \S.*(?:\d{1,2}:\d{2}|\b(?:19|20)\d{2}\b)/;
/** The full form mailers write, asctime after the envelope sender: needs no header field below it. */
const FULL = /^From \S+ +[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} (?:[A-Z+-]\w{2,4} )?\d{4}\s*$/;
const FIELD = /^(?:[!-9;-~]{1,76}[ \t]*:|>From )/;

/** A separator has the full form, or a date and a header field below it; "From here on …" in a letter has neither. */
function separatorLength(window: Buffer, at: number): number {
  const view = window.toString('latin1', at, Math.min(window.length, at + LOOK_AHEAD));
  const eol = view.indexOf('\n');
  if (eol < 0) return 0;
  const line = view.slice(0, eol);
  return FULL.test(line) || (DATED.test(line) && FIELD.test(view.slice(eol + 1))) ? eol + 1 : 0;
}

/** True when an empty line, or the start of the file, stands before position `at`. */
function afterBlank(window: Buffer, at: number): boolean {
  if (at === 0) return true;
  if (window[at - 1] !== LF) return false;
  const before = window[at - 2] === CR ? at - 3 : at - 2;
  return before < 0 || window[before] === LF;
}

/**
 * Finds the messages of an mbox (mboxo, mboxrd, mboxcl) in one pass with constant memory, whatever the
 * size of the file or of a message. Bytes before the first separator become a message of their own.
 */
export async function* mboxSlots(handle: FileHandle, signal?: AbortSignal): AsyncGenerator<MboxSlot> {
  const chunk = Buffer.allocUnsafe(CHUNK);
  let window: Buffer = Buffer.alloc(0);
  /** File offset of the first byte of the window. */
  let base = 0;
  let position = 0;
  let start: number | null = null;
  let first = true;
  const close = (end: number, cr: boolean): MboxSlot | null => {
    if (start === null) return null;
    const length = end - start - (cr ? 2 : 1);
    return length > 0 ? { offset: start, length } : null;
  };
  for (;;) {
    signal?.throwIfAborted();
    const { bytesRead } = await handle.read(chunk, 0, CHUNK, position);
    position += bytesRead;
    const last = bytesRead === 0;
    window = Buffer.concat([window, chunk.subarray(0, bytesRead)]);
    const safe = last ? window.length : window.length - LOOK_AHEAD;
    if (safe <= 0 && !last) continue;
    if (first) {
      const size = window.subarray(0, 5).toString('latin1') === 'From ' ? window.indexOf(LF) + 1 : 0;
      start = size;
      first = false;
    }
    // The first bytes of a later window were judged with what stood before them.
    for (
      let at = window.indexOf(MARK, base === 0 ? 0 : OVERLAP);
      at >= 0 && at < safe;
      at = window.indexOf(MARK, at + 1)
    ) {
      const line = at + 1;
      const size =
        base + line >= (start ?? 0) && afterBlank(window, line) ? separatorLength(window, line) : 0;
      if (size === 0) continue;
      const slot = close(base + line, window[line - 2] === CR);
      if (slot) yield slot;
      start = base + line + size;
    }
    if (last) break;
    const keep = Math.max(0, safe - OVERLAP);
    window = Buffer.from(window.subarray(keep));
    base += keep;
  }
  if (start !== null && position > start) yield { offset: start, length: position - start };
}

/**
 * Undoes the quoting of lines that begin with "From " (mboxrd: one '>' less before each >*From ). An mbox
 * of the older kind cannot be told apart; a line it held as ">From " is read as "From ", as meant.
 */
export function unquoteFrom(message: Buffer): Buffer {
  if (message.indexOf('>From ') < 0) return message;
  const chunks: Buffer[] = [];
  let from = 0;
  for (let at = message.indexOf('From '); at >= 0; at = message.indexOf('From ', at + 5)) {
    let lead = at;
    while (lead > from && message[lead - 1] === 0x3e) lead--;
    if (lead === at || (lead > 0 && message[lead - 1] !== LF)) continue;
    chunks.push(message.subarray(from, lead), message.subarray(lead + 1, at + 5));
    from = at + 5;
  }
  if (chunks.length === 0) return message;
  chunks.push(message.subarray(from));
  return Buffer.concat(chunks);
}

/** The raw bytes of a slot as a mail. Throws when the file has become shorter. */
export async function readSlot(handle: FileHandle, slot: MboxSlot, mbox: boolean): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(slot.length);
  let done = 0;
  while (done < slot.length) {
    const { bytesRead } = await handle.read(bytes, done, slot.length - done, slot.offset + done);
    if (bytesRead === 0) throw new Error('the file became shorter while it was read');
    done += bytesRead;
  }
  return mbox ? unquoteFrom(bytes) : bytes;
}
