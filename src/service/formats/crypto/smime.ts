/** The content of an S/MIME part (RFC 5652): readable if it is signed or compressed, or the fact that it is encrypted. */
import { type Unpacking, UnpackingError } from './unpacking.ts';

const PKCS7 = '2a864886f70d0107';
export const SIGNED = Buffer.from(`${PKCS7}02`, 'hex');
const CT = '2a864886f70d01091001';
const DATA = `${PKCS7}01`;
const COMPRESSED = `${CT}09`;
/** Signed, digested, authenticated, compressed: the last SEQUENCE in each holds the content. */
const WRAPPED: ReadonlySet<string> = new Set([`${PKCS7}02`, `${PKCS7}05`, `${CT}02`, COMPRESSED]);
/** Enveloped, signed and enveloped, encrypted, authenticated and enveloped. */
const ENCRYPTED: ReadonlySet<string> = new Set([`${PKCS7}03`, `${PKCS7}04`, `${PKCS7}06`, `${CT}17`]);
const TAG = { id: 0x06, octets: 0x04, sequence: 0x30 } as const;
const MAX_DEPTH = 20;
/** Signatures, compressions and encryptions directly in each other. */
const MAX_LAYERS = 10;
/** Elements of signed or compressed data, which has six at most. */
const MAX_FIELDS = 20;

export type Smime =
  | { kind: 'encrypted' }
  /** `isCut` means that the content may lack its end. */
  | { kind: 'content'; content: Buffer; isCut: boolean }
  /** Certificates, or a signature of something else. */
  | { kind: 'empty' }
  | { kind: 'unread'; reason: string };

const DAMAGED: Smime = { kind: 'unread', reason: 'it is damaged, or no S/MIME' };

interface Element {
  tag: number;
  from: number;
  to: number;
  next: number;
}

class Elements {
  readonly bytes: Buffer;
  /** An element was longer than the bytes around it. */
  isCut = false;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  #cut(element: Element | null): Element | null {
    this.isCut = true;
    return element;
  }

  /**
   * An element that is longer ends at `end`, or null if not even its length is there. Throws RangeError if it is
   * invalid.
   */
  #elementAt(offset: number, end: number, depth: number): Element | null {
    if (offset + 2 > end) return this.#cut(null);
    const tag = this.bytes.readUInt8(offset);
    const first = this.bytes.readUInt8(offset + 1);
    let from = offset + 2;
    if ((tag & 31) === 31 || depth > MAX_DEPTH) throw new RangeError('no element');
    if (first === 0x80) {
      let to = from;
      while (to + 2 <= end && this.bytes.readUInt16BE(to) !== 0)
        to = this.#elementAt(to, end, depth + 1)?.next ?? end;
      if (to + 2 > end) return this.#cut({ tag, from, to: end, next: end });
      return { tag, from, to, next: to + 2 };
    }
    let length = first;
    if (first > 0x80) {
      const count = first & 0x7f;
      if (count > 5) throw new RangeError('no element');
      if (from + count > end) return this.#cut(null);
      length = this.bytes.readUIntBE(from, count);
      from += count;
    }
    if (from + length > end) return this.#cut({ tag, from, to: end, next: end });
    return { tag, from, to: from + length, next: from + length };
  }

  get first(): Element {
    return this.#elementAt(0, this.bytes.length, 0) ?? { tag: 0, from: 0, to: 0, next: 0 };
  }

  *within({ from, to }: Element): Generator<Element> {
    for (let index = from; index < to; ) {
      const element = this.#elementAt(index, to, 0);
      if (element === null) return;
      yield element;
      index = element.next;
    }
  }

  /** The identifier of a type, in hexadecimal, or null for another element. */
  id(element: Element | undefined): string | null {
    return element?.tag === TAG.id ? this.bytes.toString('hex', element.from, element.to) : null;
  }

  /** The octets of an element, which a sender may split into any number of pieces. */
  octets(whole: Element): Buffer {
    if ((whole.tag & 0x20) === 0) return this.bytes.subarray(whole.from, whole.to);
    const out = Buffer.allocUnsafe(whole.to - whole.from);
    let length = 0;
    const add = (element: Element, depth: number): void => {
      if (depth > MAX_DEPTH) throw new RangeError('no octets');
      if ((element.tag & 0x20) !== 0) for (const inner of this.within(element)) add(inner, depth + 1);
      else length += this.bytes.copy(out, length, element.from, element.to);
    };
    add(whole, 0);
    return out.subarray(0, length);
  }
}

/** What has been found, if its bytes end early. */
const orCut = (content: Smime, isCut: boolean): Smime =>
  content.kind === 'content' ? { ...content, isCut: content.isCut || isCut } : content;

/** Throws RangeError if there are more elements than any such data has. */
function lastSequence(elements: Elements, element: Element): Element | undefined {
  let last: Element | undefined;
  let count = 0;
  for (const inner of elements.within(element)) {
    if (++count > MAX_FIELDS) throw new RangeError('too many elements');
    if (inner.tag === TAG.sequence) last = inner;
  }
  return last;
}

interface Layer {
  number: number;
  unpacking: Unpacking;
}

function contentOf(type: string | null, elements: Elements, element: Element, layer: Layer): Smime {
  if (type === DATA) return { kind: 'content', content: elements.octets(element), isCut: elements.isCut };
  if (type === null || !WRAPPED.has(type) || layer.number > MAX_LAYERS) return DAMAGED;
  const inner = lastSequence(elements, element);
  const [id, holder] = inner ? elements.within(inner) : [];
  const innerType = elements.id(id);
  const [octets] = holder ? elements.within(holder) : [];
  if (innerType === null) return DAMAGED;
  if (ENCRYPTED.has(innerType)) return { kind: 'encrypted' };
  if (octets === undefined || holder === undefined) return elements.isCut ? DAMAGED : { kind: 'empty' };
  // PKCS #7 1.5 allowed contents other than octets.
  const isPlain = (octets.tag & 31) === TAG.octets;
  const held = isPlain ? elements.octets(octets) : elements.bytes.subarray(holder.from, octets.to);
  const { isCut } = elements;
  const content = type === COMPRESSED ? layer.unpacking.inflate(held) : held;
  if (innerType === DATA) return { kind: 'content', content, isCut };
  if (WRAPPED.has(innerType)) {
    const next = new Elements(content);
    const { first } = next;
    const [start] = next.within(first);
    const below = { ...layer, number: layer.number + 1 };
    return orCut(
      start?.tag === TAG.id ? ofInfo(content, below) : contentOf(innerType, next, first, below),
      isCut,
    );
  }
  // Receipts and time stamps.
  return content[0] === TAG.sequence
    ? { kind: 'unread', reason: 'it holds neither a text nor encrypted content' }
    : { kind: 'content', content, isCut };
}

function ofInfo(bytes: Buffer, layer: Layer): Smime {
  const elements = new Elements(bytes);
  const [id, holder] = elements.within(elements.first);
  const type = elements.id(id);
  if (type !== null && ENCRYPTED.has(type)) return { kind: 'encrypted' };
  const [content] = holder ? elements.within(holder) : [];
  return content === undefined ? DAMAGED : contentOf(type, elements, content, layer);
}

const PEM = /^\s*-----BEGIN [A-Z0-9 #]{1,40}-----\s/;
/** The beginning of base64 whose bytes are a long SEQUENCE. */
const BASE64 = /^\s*MI[A-Za-z0-9+/\r\n]{60}/;
const HEAD = 200;

/** The bytes of a text in PEM, or in base64 that its part does not declare. */
function decoded(bytes: Buffer): Buffer {
  const head = bytes.toString('latin1', 0, HEAD);
  const begin = PEM.exec(head)?.[0].length ?? (BASE64.test(head) ? 0 : null);
  if (begin === null) return bytes;
  const text = bytes.toString('latin1', begin);
  const end = text.indexOf('-----END');
  return Buffer.from(end < 0 ? text : text.slice(0, end), 'base64');
}

/** In DER, BER or PEM. Never throws. */
export function readSmime(bytes: Buffer, unpacking: Unpacking): Smime {
  try {
    return ofInfo(decoded(bytes), { number: 0, unpacking });
  } catch (error) {
    if (error instanceof UnpackingError) return { kind: 'unread', reason: error.message };
    if (error instanceof RangeError) return DAMAGED;
    throw error;
  }
}
