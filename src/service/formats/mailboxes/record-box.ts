/**
 * Mailboxes with the length of each message in a line before it: Dovecot's dbox (sdbox and mdbox), and mbx and mix of UW
 * IMAP and Alpine. They do not quote lines, and keep deleted messages until they are compacted.
 */
import { type ByteSource, piecesOf } from '../files/bytes.ts';
import { type DovecotPart, dovecotParts } from './dovecot-parts.ts';

export interface RecordSlot {
  offset: number;
  length: number;
  verbatim: true;
  record: {
    /** Those that Dovecot keeps in other files. */
    parts: readonly DovecotPart[];
  };
}

interface RecordKind {
  /** The beginning of such a file; if `first` is null, up to the line before the first message. */
  start: RegExp;
  /** The offset of the line before the first message. */
  first: number | null;
  /** The line before a message; the group is the length. */
  line: RegExp;
  radix: 10 | 16;
  /** What follows a message before the next line. */
  trailer: RegExp;
}

/** Around each message of a dbox. */
const BEFORE = '\x01\x02N ';
const AFTER = '\x01\x03';

const KINDS: readonly RecordKind[] = [
  {
    start: new RegExp(`^2 [A-Z][\\da-f]+(?: [A-Z][\\da-f]+)*\n(?=${BEFORE})`, 'i'),
    first: null,
    line: new RegExp(`^${BEFORE}[^\n]{8} ([\\da-f]{16})[^\n]*\n`, 'i'),
    radix: 16,
    trailer: new RegExp(`^\n${AFTER}\n(?:[^\n]+\n)*\n`),
  },
  {
    start: /^\*mbx\*\r\n[\da-f]{16}\r\n/i,
    first: 2048,
    line: /^[ \d]\d-[A-Z][a-z]{2}-\d{4} [\d:]{8} [+-]\d{4},(\d{1,15});[\da-f]{12}-[\da-f]{8}\r\n/i,
    radix: 10,
    trailer: /^/,
  },
  {
    start: /^(?=:msg:[\da-f]{8}:\d{14}[+-]\d{4}:[\da-f]{8}:)/i,
    first: null,
    line: /^:msg:[\da-f]{8}:\d{14}[+-]\d{4}:([\da-f]{8}):[^\n]*\n/i,
    radix: 16,
    trailer: /^/,
  },
];

const START = 512;
/** Enough bytes for a dbox trailer, or for the line before a message. */
const VIEW = 64 * 1024;
/** A dbox trailer with the line that says where Dovecot keeps attachments of the message. */
const ELSEWHERE = new RegExp(`^\n${AFTER}\n(?:[^\n]+\n)*?X([^\n]*)`);

const partsIn = (trailer: string): DovecotPart[] => dovecotParts(ELSEWHERE.exec(trailer)?.[1] ?? '');

/** The attachments that Dovecot keeps apart from the message of a dbox; none for other messages. */
export async function partsOf(
  source: ByteSource,
  { offset, length }: { offset: number; length: number },
): Promise<readonly DovecotPart[]> {
  // Truncated or damaged bytes after the message do not matter.
  const rest = await reachable(source, offset + length, VIEW).catch(() => Buffer.alloc(0));
  return partsIn(rest.toString('latin1'));
}

const kindOf = (text: string): RecordKind | undefined => KINDS.find(({ start }) => start.test(text));

/** Whether a file that begins with this text, as latin1, is such a mailbox. */
export const isRecordBox = (text: string): boolean => kindOf(text) !== undefined;

/** The bytes that can be read from a position. Throws the error of a damaged archive only if no bytes precede it. */
async function reachable(source: ByteSource, position: number, length: number): Promise<Buffer> {
  const target = Buffer.allocUnsafe(length);
  let filled = 0;
  for (let count = -1; count !== 0 && filled < length; filled += count)
    try {
      count = (await source.read(target, filled, length - filled, position + filled)).bytesRead;
    } catch (error) {
      if (filled === 0) throw error;
      count = 0;
    }
  return target.subarray(0, filled);
}

async function lengthFrom(source: ByteSource, position: number): Promise<number> {
  const from: ByteSource = {
    read: (target, offset, length, place) => source.read(target, offset, length, position + place),
  };
  let length = 0;
  for await (const piece of piecesOf(from)) length += piece.length;
  return length;
}

/**
 * The messages, including deleted ones, or null if the file is not such a mailbox. Throws, in words, if the rest
 * cannot be read because the mailbox is damaged or truncated.
 */
export async function recordSlots(
  source: ByteSource,
  signal?: AbortSignal,
): Promise<AsyncGenerator<RecordSlot> | null> {
  const text = (await reachable(source, 0, START)).toString('latin1');
  const kind = kindOf(text);
  return kind === undefined
    ? null
    : slotsOf(source, kind, kind.first ?? kind.start.exec(text)?.[0].length ?? 0, signal);
}

async function* slotsOf(
  source: ByteSource,
  { line, radix, trailer }: RecordKind,
  first: number,
  signal?: AbortSignal,
): AsyncGenerator<RecordSlot> {
  for (let index = first; ; ) {
    signal?.throwIfAborted();
    const view = (await reachable(source, index, VIEW)).toString('latin1');
    if (view === '') return;
    const [before, size] = line.exec(view) ?? [];
    if (before === undefined || size === undefined)
      throw new Error(`no message begins at byte ${index}, where one should: the rest of it is not read`);
    const offset = index + before.length;
    const length = Number.parseInt(size, radix);
    // The message's last byte, and what follows.
    const after = (await reachable(source, offset + Math.max(0, length - 1), VIEW)).toString('latin1');
    if (length > 0 && after === '') {
      const rest = await lengthFrom(source, offset);
      if (rest > 0) yield { offset, length: rest, verbatim: true, record: { parts: [] } };
      throw new Error(`it is cut off: ${rest} of the ${length} bytes of its last message are there`);
    }
    const [end] = trailer.exec(after.slice(length > 0 ? 1 : 0)) ?? [];
    yield { offset, length, verbatim: true, record: { parts: partsIn(end ?? '') } };
    if (end === undefined)
      throw new Error(`the message at byte ${offset} does not end where it should: the rest is not read`);
    index = offset + length + end.length;
  }
}
