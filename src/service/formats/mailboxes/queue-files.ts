/** Mail in the queue of a mail server: Postfix has a file of records for each, Exim one for the header and one for the body. */

export type QueueKind = 'postfix' | 'exim';

export const isQueueKind = (kind: string): kind is QueueKind => kind === 'postfix' || kind === 'exim';

/** First bytes, as latin1: Postfix’s record of sizes, and Exim’s first lines. */
const STARTS: readonly [RegExp, QueueKind][] = [
  [/^C.(?: *\d+ ){3}/, 'postfix'],
  [/^\w{6}-\w{6,11}-\w{2,4}-H\n\S+ \d+ \d+\n</, 'exim'],
];

/** The queue that a file which begins like this belongs to, or null if there is none. */
export const queueKindOf = (text: string): QueueKind | null =>
  STARTS.find(([start]) => start.test(text))?.[1] ?? null;

/** The name of the file with the body, for that of the header, or null if there is only one file. */
export const bodyName = (kind: QueueKind, name: string): string | null =>
  kind === 'postfix' ? null : name.replace(/-H$/, '-D');

/** Whether a file is the body of a mail whose header is beside it, among these names. */
export const isQueueBody = (name: string, names: readonly string[]): boolean =>
  /^\w{6}-\w{6,11}-\w{2,4}-D$/.test(name) && names.includes(name.replace(/D$/, 'H'));

interface QueuedMail {
  mail: Buffer;
  isDamaged: boolean;
}

const LF = Buffer.from('\n');

/** Records among the content: lines, whole or in pieces, padding, jumps, and the end. */
const CONTENT = 'NLwpX';

/** The records of a mail in Postfix’s queue (its `rec_type.h`): a type, a length in groups of seven bits, and bytes. */
function postfixMail(file: Buffer): QueuedMail {
  const pieces: Buffer[] = [];
  let isContent = false;
  let isDamaged = false;
  /** A jump back may not repeat what was read. */
  let budget = file.length;
  for (let offset = 0; offset < file.length; ) {
    const type = String.fromCharCode(file[offset++]!);
    let length = 0;
    for (let shift = 0, byte = 128; byte >= 128; shift += 7) {
      byte = file[offset++] ?? 0;
      length += (byte & 127) * 2 ** shift;
      if (shift > 28) return { mail: Buffer.concat(pieces), isDamaged: true };
    }
    const bytes = file.subarray(offset, offset + length);
    if (isContent && !CONTENT.includes(type)) isDamaged = true;
    if (isContent && (type === 'N' || type === 'L')) pieces.push(bytes);
    if (bytes.length < length) break;
    offset += length;
    budget -= length + 2;
    if (budget < 0) break;
    if (isContent && type === 'N') pieces.push(LF);
    if (type === 'M') isContent = true;
    if (type === 'X') return { mail: Buffer.concat(pieces), isDamaged: isDamaged || !isContent };
    if (type !== 'p') continue;
    // Header fields that a milter changed are at the end of the file.
    const target = Number(bytes.toString('latin1'));
    if (!Number.isInteger(target) || target < 0) break;
    if (target > 0) offset = target;
  }
  return { mail: Buffer.concat(pieces), isDamaged: true };
}

/** The fields after the empty line of Exim’s file, each after its length and a letter; `*` marks replaced ones. */
function eximHeader(file: Buffer): QueuedMail {
  const pieces: Buffer[] = [];
  const start = file.indexOf('\n\n');
  for (let offset = start + 2; start >= 0 && offset < file.length; ) {
    const [head = '', length, letter] =
      /^(\d{3,9})(.) /.exec(file.toString('latin1', offset, offset + 16)) ?? [];
    if (length === undefined) return { mail: Buffer.concat(pieces), isDamaged: true };
    offset += head.length;
    const field = file.subarray(offset, offset + Number(length));
    if (letter !== '*') pieces.push(field);
    if (field.length < Number(length)) return { mail: Buffer.concat(pieces), isDamaged: true };
    offset += field.length;
  }
  return { mail: Buffer.concat(pieces), isDamaged: start < 0 };
}

/**
 * The mail in a file of a queue. `body`: the file named by `bodyName`, or null if there is none, and the mail ends
 * with its header.
 */
export function queuedMail(kind: QueueKind, file: Buffer, body: Buffer | null): QueuedMail {
  if (kind === 'postfix') return postfixMail(file);
  const { mail, isDamaged } = eximHeader(file);
  // The body follows the file's own name.
  const rest = body?.subarray(body.indexOf('\n') + 1) ?? Buffer.alloc(0);
  return { mail: Buffer.concat([mail, LF, rest]), isDamaged };
}
