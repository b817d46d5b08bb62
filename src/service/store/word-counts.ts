/**
 * Counts words over many texts, and records which mails of a block contain the common ones. ASCII words are counted
 * without creating a string for each.
 */
import { BLOCK, BYTES } from './sequences.ts';

const FIRST_SLOTS = 1 << 14;
/** The first distinct words are recorded by mail: common words are among them. */
const MARKED = 8_192;
/** A word is common in a block if this many of its mails contain it. */
const COMMON = BLOCK / 16;

/** The table doubles when fewer than half of its slots are free. */
const FULLEST = 0.5;

/** 1 for each byte that belongs to a word. In folded texts, ASCII letters are lower case. */
const IN_WORD = Uint8Array.from({ length: 256 }, (_, code) =>
  /[a-z0-9]/.test(String.fromCharCode(code)) ? 1 : 0,
);

function doubled(numbers: Int32Array): Int32Array<ArrayBuffer> {
  const more = new Int32Array(numbers.length * 2);
  more.set(numbers);
  return more;
}

function bitsIn(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

export class WordCounts {
  readonly #longest: number;
  readonly #words: string[] = [];
  #counts = new Int32Array(FIRST_SLOTS);
  /** Hash, length and offset in `#bytes` of each ASCII word; 0 for others. */
  #hashes = new Int32Array(FIRST_SLOTS);
  #lengths = new Int32Array(FIRST_SLOTS);
  #starts = new Int32Array(FIRST_SLOTS);
  readonly #byWord = new Map<string, number>();
  /** Hash table of indexes of ASCII words plus one; 0: free. */
  #slots = new Int32Array(FIRST_SLOTS);
  #inSlots = 0;
  #bytes = Buffer.alloc(FIRST_SLOTS);
  #end = 0;
  /** For each of the first words, a bit for each mail of the block that has it. */
  readonly #mails = new Uint8Array(MARKED * BYTES);
  #mailAt = 0;
  #mailBit = 0;

  /** `longest`: words with more characters are not counted. */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /** The words that follow are those of this mail. */
  begin(id: number): void {
    this.#mailAt = (id % BLOCK) >> 3;
    this.#mailBit = 1 << (id & 7);
  }

  /** The words that are common in the block, with a bit for each mail that has them. The next block begins. */
  takeCommon(): { word: string; mails: Uint8Array }[] {
    const bits = new Uint32Array(this.#mails.buffer);
    const size = BYTES / 4;
    const common: { word: string; mails: Uint8Array }[] = [];
    for (let index = 0; index < Math.min(MARKED, this.#words.length); index++) {
      let count = 0;
      for (let at = index * size; at < (index + 1) * size; at++) count += bitsIn(bits[at]!);
      if (count >= COMMON)
        common.push({
          word: this.#words[index]!,
          mails: this.#mails.slice(index * BYTES, (index + 1) * BYTES),
        });
    }
    this.#mails.fill(0);
    return common;
  }

  /** Adds the words of a folded ASCII text, as `wordsOf` finds them; true: one was too long. */
  addAscii(text: Buffer): boolean {
    let hasLong = false;
    const end = text.length;
    for (let at = 0; at < end; at++) {
      let code = text[at]!;
      if (IN_WORD[code] === 0) continue;
      const start = at;
      let hash = 0;
      do {
        hash = (Math.imul(hash, 31) + code) | 0;
        at += 1;
        code = at < end ? text[at]! : 0;
      } while (IN_WORD[code] === 1);
      if (at - start <= this.#longest) this.#countAscii(text, start, at, hash);
      else hasLong = true;
    }
    return hasLong;
  }

  /** Adds words in the form of `wordsOf`, separated by spaces; true: one was too long. */
  addWords(words: string): boolean {
    let hasLong = false;
    for (const word of words.split(' ')) {
      if (word === '') continue;
      if (word.length > this.#longest) hasLong = true;
      else {
        const known = this.#byWord.get(word);
        if (known !== undefined) this.#count(known);
        else if (/^[a-z0-9]+$/.test(word)) this.addAscii(Buffer.from(word, 'latin1'));
        else this.#add(word, 0, 0);
      }
    }
    return hasLong;
  }

  /** Most frequent first; ties in order of first appearance. */
  sorted(): string[] {
    const counts = this.#counts;
    return this.#words
      .map((_, index) => index)
      .sort((a, b) => counts[b]! - counts[a]!)
      .map((index) => this.#words[index]!);
  }

  #count(index: number): void {
    this.#counts[index]! += 1;
    if (index < MARKED) this.#mails[index * BYTES + this.#mailAt]! |= this.#mailBit;
  }

  #add(word: string, hash: number, start: number): number {
    const index = this.#words.length;
    if (index === this.#counts.length) {
      this.#counts = doubled(this.#counts);
      this.#hashes = doubled(this.#hashes);
      this.#lengths = doubled(this.#lengths);
      this.#starts = doubled(this.#starts);
    }
    this.#byWord.set(word, index);
    this.#count(index);
    this.#hashes[index] = hash;
    this.#lengths[index] = word.length;
    this.#starts[index] = start;
    return this.#words.push(word);
  }

  #slotOf(hash: number): number {
    return (Math.imul(hash, 0x9e3779b1) >>> 7) & (this.#slots.length - 1);
  }

  #countAscii(text: Buffer, start: number, end: number, hash: number): void {
    const slots = this.#slots;
    let slot = this.#slotOf(hash);
    for (let index = slots[slot]!; index > 0; index = slots[slot]!) {
      if (this.#hashes[index - 1] === hash && this.#isWord(index - 1, text, start, end)) {
        this.#count(index - 1);
        return;
      }
      slot = (slot + 1) & (slots.length - 1);
    }
    slots[slot] = this.#add(text.toString('latin1', start, end), hash, this.#keep(text, start, end));
    this.#inSlots += 1;
    if (this.#inSlots > slots.length * FULLEST) this.#grow();
  }

  #isWord(index: number, text: Buffer, start: number, end: number): boolean {
    if (this.#lengths[index] !== end - start) return false;
    const bytes = this.#bytes;
    let own = this.#starts[index]!;
    for (let at = start; at < end; at++, own++) if (bytes[own] !== text[at]) return false;
    return true;
  }

  #keep(text: Buffer, start: number, end: number): number {
    const own = this.#end;
    this.#end += end - start;
    if (this.#end > this.#bytes.length) {
      const more = Buffer.alloc(Math.max(this.#end, this.#bytes.length * 2));
      this.#bytes.copy(more);
      this.#bytes = more;
    }
    text.copy(this.#bytes, own, start, end);
    return own;
  }

  #grow(): void {
    const slots = new Int32Array(this.#slots.length * 2);
    const old = this.#slots;
    this.#slots = slots;
    for (const index of old) {
      if (index === 0) continue;
      let slot = this.#slotOf(this.#hashes[index - 1]!);
      while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1);
      slots[slot] = index;
    }
  }
}
