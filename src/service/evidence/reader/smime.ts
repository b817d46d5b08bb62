/** The content of an S/MIME part (RFC 5652): that of an opaque signature, or the fact that it is encrypted. */

const SIGNED = Buffer.from('2a864886f70d010702', 'hex');
const ENCRYPTED = ['2a864886f70d010703', '2a864886f70d010706', '2a864886f70d0109100117'].map((one) =>
  Buffer.from(one, 'hex'),
);
const MAX_DEPTH = 20;

interface Element {
  tag: number;
  isConstructed: boolean;
  from: number;
  to: number;
  /** Start of the next element. */
  next: number;
}

/** Throws RangeError at the end of the bytes or if they are invalid. */
function elementAt(bytes: Buffer, at: number, depth: number): Element {
  const first = bytes.readUInt8(at);
  let length = bytes.readUInt8(at + 1);
  let from = at + 2;
  const kind = { tag: first, isConstructed: (first & 0x20) !== 0 };
  if ((first & 31) === 31 || depth > MAX_DEPTH) throw new RangeError('no element');
  if (length === 0x80) {
    let to = from;
    while (bytes.readUInt16BE(to) !== 0) to = elementAt(bytes, to, depth + 1).next;
    return { ...kind, from, to, next: to + 2 };
  }
  if (length > 0x80) {
    const count = length & 0x7f;
    if (count > 5) throw new RangeError('no element');
    length = bytes.readUIntBE(from, count);
    from += count;
  }
  if (from + length > bytes.length) throw new RangeError('cut off');
  return { ...kind, from, to: from + length, next: from + length };
}

function* within(bytes: Buffer, { from, to }: Element): Generator<Element> {
  for (let at = from; at < to; ) {
    const one = elementAt(bytes, at, 0);
    yield one;
    at = one.next;
  }
}

/** The octets of an element, which a sender may split into any number of pieces. */
function octets(bytes: Buffer, whole: Element): Buffer {
  if (!whole.isConstructed) return bytes.subarray(whole.from, whole.to);
  const out = Buffer.allocUnsafe(whole.to - whole.from);
  let length = 0;
  const add = (one: Element, depth: number): void => {
    if (depth > MAX_DEPTH) throw new RangeError('no octets');
    if (one.isConstructed) for (const inner of within(bytes, one)) add(inner, depth + 1);
    else length += bytes.copy(out, length, one.from, one.to);
  };
  add(whole, 0);
  return out.subarray(0, length);
}

/** `signed`: the signed content; null: no such part, or a signature without its content. */
export function readSmime(bytes: Buffer): { kind: 'encrypted' } | { kind: 'signed'; content: Buffer } | null {
  try {
    const [type, holder] = within(bytes, elementAt(bytes, 0, 0));
    if (type === undefined || holder === undefined) return null;
    const id = bytes.subarray(type.from, type.to);
    if (ENCRYPTED.some((one) => one.equals(id))) return { kind: 'encrypted' };
    if (!SIGNED.equals(id)) return null;
    const [signed] = within(bytes, holder);
    // Version, algorithms, what was signed.
    const [, , inner] = signed ? within(bytes, signed) : [];
    const [, content] = inner ? within(bytes, inner) : [];
    const [text] = content ? within(bytes, content) : [];
    return text === undefined ? null : { kind: 'signed', content: octets(bytes, text) };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
