/** The entries of JSON lists of any length, while they are being read. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const MAX_KEY = 64;
const LINE_FEED = 0x0a;
const isSpace = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);

/**
 * Splits lists into their entries. Each document is a list, an object with lists under some of `names`, or, without
 * one, an entry itself. Entries are not parsed.
 */
export class JsonList {
  readonly #names: readonly string[];
  readonly #limit: number;
  #depth = 0;
  /** Depth of the list's entries; 0 outside a list. */
  #level = 0;
  #inString = false;
  #isEscaped = false;
  /** The last text in the outer object, and whether a colon followed. */
  #key: number[] = [];
  #isNamed = false;
  #entry: Buffer[] = [];
  #length = 0;
  /** Start of the current entry in this chunk; -1: none. */
  #from = -1;
  #begun = false;
  #lines = 1;
  #fromLine = 1;
  /** Number of the line in which the last returned entry begins. */
  line = 1;

  /** `limit` is the most bytes of an entry. */
  constructor(names: readonly string[], limit: number) {
    this.#names = names;
    this.#limit = limit;
  }

  /** The entries that end in this chunk, with null for one that is longer than the limit. */
  *take(chunk: Buffer): Generator<string | null> {
    if (this.#from >= 0) this.#from = 0;
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index] ?? 0;
      if (this.#inString) {
        this.#text(byte);
        continue;
      }
      if (byte === LINE_FEED) this.#lines += 1;
      if (isSpace(byte) || byte === 0xef || byte === 0xbb || byte === 0xbf) continue;
      this.#begun = true;
      const isInList = this.#level > 0 && this.#depth === this.#level;
      if (isInList && (byte === COMMA || byte === CLOSE_LIST)) yield* this.#end(chunk, index);
      else if (this.#from < 0 && (isInList || (this.#depth === 0 && byte === OPEN))) {
        this.#from = index;
        this.#fromLine = this.#lines;
      }
      this.#step(byte);
      if (this.#depth === 0) yield* this.#end(chunk, index + 1);
    }
    if (this.#from >= 0) this.#keep(chunk.subarray(this.#from));
  }

  #text(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) {
      this.#inString = false;
      return;
    } else if (byte === LINE_FEED) this.#lines += 1;
    if (this.#level === 0 && this.#depth === 1 && this.#key.length < MAX_KEY) this.#key.push(byte);
  }

  #step(byte: number): void {
    if (byte === QUOTE) {
      this.#inString = true;
      if (this.#level === 0 && this.#depth === 1) this.#key = [];
    } else if (byte === COLON && this.#depth === 1) this.#isNamed = true;
    else if (byte === OPEN || byte === OPEN_LIST) {
      this.#depth += 1;
      if (byte === OPEN_LIST && this.#level === 0 && this.#isList()) {
        this.#level = this.#depth;
        this.#drop();
      }
    } else if (byte === CLOSE || byte === CLOSE_LIST) {
      // Another list or document may follow: answers are saved page after page.
      if (this.#depth === this.#level) this.#level = 0;
      this.#depth -= 1;
      if (this.#depth === 0) this.#isNamed = false;
    } else if (byte === COMMA && this.#depth === 1) this.#isNamed = false;
  }

  #isList(): boolean {
    if (this.#depth === 1) return true;
    return (
      this.#depth === 2 && this.#isNamed && this.#names.includes(Buffer.from(this.#key).toString('utf8'))
    );
  }

  #keep(piece: Buffer): void {
    this.#length += piece.length;
    if (this.#length <= this.#limit) this.#entry.push(Buffer.from(piece));
    else this.#entry = [];
  }

  *#end(chunk: Buffer, end: number): Generator<string | null> {
    if (this.#from < 0) return;
    this.#keep(chunk.subarray(this.#from, end));
    const isTooLong = this.#length > this.#limit;
    const text = isTooLong ? null : Buffer.concat(this.#entry).toString('utf8');
    this.line = this.#fromLine;
    this.#drop();
    yield text;
  }

  #drop(): void {
    this.#from = -1;
    this.#entry = [];
    this.#length = 0;
  }

  /** After the last chunk: whether the last document was complete. */
  isWhole(): boolean {
    return this.#depth === 0 && !this.#inString && this.#begun;
  }
}
