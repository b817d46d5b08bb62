/** What a PGP message (RFC 9580) contains: readable content if it is only signed or compressed, or encrypted content. */
import { type Unpacking, UnpackingError } from './unpacking.ts';

const ARMOR = /^-----BEGIN PGP MESSAGE-----[ \t]*\r?$/m;
const SIGNED = /^-----BEGIN PGP SIGNED MESSAGE-----[ \t]*\r?$/m;
/** Characters of a text in which its armor must begin. */
const ARMOR_WITHIN = 2_000;
const FIELDS = /^(?:\r?\n[A-Za-z][\w-]{0,30}: [^\r\n]{0,500})*\r?\n[ \t]*\r?\n/;
const ARMOR_END = /^[ \t]*(?:=[A-Za-z0-9+/]{4}|-----END)/m;

const TAG = { signature: 2, onePass: 4, compressed: 8, marker: 10, literal: 11, padding: 21 } as const;
/** Before the content: signatures, a marker, padding. */
const AROUND: ReadonlySet<number> = new Set([TAG.signature, TAG.onePass, TAG.marker, TAG.padding]);
/** A key for it encrypted with a key or a password; content encrypted in three ways. */
const ENCRYPTED: ReadonlySet<number> = new Set([1, 3, 9, 18, 20]);
const MAX_LAYERS = 4;
const NOTHING = Buffer.alloc(0);

export type Pgp =
  | { kind: 'encrypted' }
  /** `isCut` means that the content may lack its end. */
  | { kind: 'content'; content: Buffer; isCut: boolean }
  | { kind: 'unread'; reason: string };

interface Packet {
  tag: number;
  /** Empty for what is around the content in pieces. */
  body: Buffer;
  next: number;
  isCut: boolean;
}

/** The length of a packet's body, or of a piece of it (RFC 9580, 4.2), or null if it is not there. */
function lengthAt(bytes: Buffer, offset: number): { length: number; from: number; isPiece: boolean } | null {
  const [first, second] = bytes.subarray(offset, offset + 2);
  if (first === undefined) return null;
  if (first < 192) return { length: first, from: offset + 1, isPiece: false };
  if (first < 224)
    return second === undefined
      ? null
      : { length: ((first - 192) << 8) + second + 192, from: offset + 2, isPiece: false };
  if (first < 255) return { length: 2 ** (first & 31), from: offset + 1, isPiece: true };
  return offset + 5 > bytes.length
    ? null
    : { length: bytes.readUInt32BE(offset + 1), from: offset + 5, isPiece: false };
}

/** The same in the form of older programs: in 1, 2 or 4 bytes, or up to the end. */
function oldLengthAt(bytes: Buffer, offset: number, form: number): { length: number; from: number } | null {
  const width = [1, 2, 4, 0][form] ?? 0;
  if (offset + width > bytes.length) return null;
  return {
    length: width === 0 ? bytes.length - offset : bytes.readUIntBE(offset, width),
    from: offset + width,
  };
}

function packetAt(bytes: Buffer, offset: number): Packet | null {
  const [first = 0] = bytes.subarray(offset, offset + 1);
  if ((first & 0x80) === 0) return null;
  const isNew = (first & 0x40) !== 0;
  const tag = isNew ? first & 63 : (first >> 2) & 15;
  const whole = isNew ? lengthAt(bytes, offset + 1) : oldLengthAt(bytes, offset + 1, first & 3);
  if (whole === null) return null;
  const { from, length } = whole;
  const to = from + length;
  if (!('isPiece' in whole && whole.isPiece))
    return { tag, body: bytes.subarray(from, to), next: to, isCut: to > bytes.length };
  const body = AROUND.has(tag) ? NOTHING : Buffer.allocUnsafe(bytes.length - from);
  let copied = bytes.copy(body, 0, from, to);
  for (let next = to; ; ) {
    const piece = lengthAt(bytes, next);
    if (piece === null) return { tag, body: body.subarray(0, copied), next: bytes.length, isCut: true };
    next = piece.from + piece.length;
    copied += bytes.copy(body, copied, piece.from, Math.min(next, bytes.length));
    if (!piece.isPiece) return { tag, body: body.subarray(0, copied), next, isCut: next > bytes.length };
  }
}

/** Null for an unknown method. Throws UnpackingError. */
function unpacked(body: Buffer, unpacking: Unpacking): Buffer | null {
  const [method] = body;
  const packed = body.subarray(1);
  if (method === 0) return packed;
  return method === 1 || method === 2 ? unpacking.inflate(packed, method === 1) : null;
}

/** Null if no known packet is at the start. */
function ofPackets(bytes: Buffer, layer: number, unpacking: Unpacking): Pgp | null {
  for (let index = 0; ; ) {
    const packet = packetAt(bytes, index);
    if (packet === null) return null;
    const { tag, body, isCut } = packet;
    if (ENCRYPTED.has(tag)) return { kind: 'encrypted' };
    if (tag === TAG.literal) return { kind: 'content', content: body.subarray(6 + (body[1] ?? 0)), isCut };
    if (tag === TAG.compressed && layer < MAX_LAYERS) {
      const inner = unpacked(body, unpacking);
      if (inner === null) return { kind: 'unread', reason: 'it is compressed with bzip2' };
      const content = ofPackets(inner, layer + 1, unpacking);
      return content?.kind === 'content' ? { ...content, isCut: content.isCut || isCut } : content;
    }
    if (!AROUND.has(tag) || isCut) return null;
    index = packet.next;
  }
}

/** The bytes of the message in a text, or null if it has none near its beginning. */
function armored(text: string): Buffer | null {
  const match = ARMOR.exec(text.slice(0, ARMOR_WITHIN));
  if (match === null) return null;
  const after = text.slice(match.index + match[0].trimEnd().length);
  const coded = after.slice(FIELDS.exec(after)?.[0].length ?? 0);
  const end = ARMOR_END.exec(coded)?.index ?? coded.length;
  return Buffer.from(coded.slice(0, end), 'base64');
}

/** Never throws. Null if there is no PGP message. A message in armor that cannot be understood counts as encrypted. */
function read(bytes: Buffer, otherwise: Pgp | null, unpacking: Unpacking): Pgp | null {
  try {
    return ofPackets(bytes, 0, unpacking) ?? otherwise;
  } catch (error) {
    if (error instanceof UnpackingError) return { kind: 'unread', reason: error.message };
    throw error;
  }
}

export function pgpInText(text: string, unpacking: Unpacking): Pgp | null {
  const bytes = armored(text);
  return bytes && read(bytes, { kind: 'encrypted' }, unpacking);
}

function signedText(text: string): Pgp | null {
  const match = SIGNED.exec(text.slice(0, ARMOR_WITHIN));
  if (match === null) return null;
  const after = text.slice(match.index + match[0].trimEnd().length);
  const begin = FIELDS.exec(after)?.[0].length ?? 0;
  const end = after.indexOf('\n-----BEGIN PGP SIGNATURE-----', Math.max(0, begin - 1));
  const signed = after.slice(begin, end < 0 ? after.length : end + 1).replace(/^- /gm, '');
  return { kind: 'content', content: Buffer.from(signed, 'latin1'), isCut: end < 0 };
}

/** A message in armor, a signed text, or, if the name or the place of a file says that it is PGP, a message in binary. */
export function pgpInFile(bytes: Buffer, isPgp: boolean, unpacking: Unpacking): Pgp | null {
  const start = bytes.toString('latin1', 0, ARMOR_WITHIN);
  if (start.includes('-----BEGIN PGP MESSAGE')) return pgpInText(bytes.toString('latin1'), unpacking);
  if (!isPgp) return null;
  return SIGNED.test(start) ? signedText(bytes.toString('latin1')) : read(bytes, null, unpacking);
}
