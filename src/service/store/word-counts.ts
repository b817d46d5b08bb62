/** Counts words over many texts; ASCII words are counted without creating a string for each. */

const FIRST_SLOTS = 1 << 14;
/** The table doubles when fewer than half of its slots are free. */
const FULLEST = 0.5;

const isWordByte = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 48 && code <= 57);

/** In folded texts, ASCII letters are lower case. */
export class WordCounts {
  readonly #longest: number;
  readonly #words: string[] = [];
  readonly #counts: number[] = [];
  /** Hash and offset in `#bytes` of each ASCII word; 0 for others. */
  readonly #hashes: number[] = [];
  readonly #starts: number[] = [];
  readonly #byWord = new Map<string, number>();
  /** Hash table of indexes of ASCII words plus one; 0: free. */
  #slots = new Int32Array(FIRST_SLOTS);
  #inSlots = 0;
  #bytes = Buffer.alloc(FIRST_SLOTS);
  #end = 0;

  /** `longest`: words with more characters are not counted. */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /** Adds the words of a folded ASCII text, as `wordsOf` finds them; true: one was too long. */
  addAscii(text: Buffer): boolean {
    let hasLong = false;
    let start = -1;
    let hash = 0;
    for (let at = 0; at <= text.length; at++) {
      const code = at < text.length ? text[at]! : 0;
      if (isWordByte(code)) {
        if (start < 0) {
          start = at;
          hash = 0;
        }
        hash = (Math.imul(hash, 31) + code) | 0;
      } else if (start >= 0) {
        if (at - start <= this.#longest) this.#countAscii(text, start, at, hash);
        else hasLong = true;
        start = -1;
      }
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
        if (known !== undefined) this.#counts[known]! += 1;
        else if (/^[a-z0-9]+$/.test(word)) this.addAscii(Buffer.from(word, 'latin1'));
        else this.#add(word, 0, 0);
      }
    }
    return hasLong;
  }

  /** Most frequent first; ties in order of first appearance. */
  sorted(): string[] {
    const counts = this.#counts;
    return counts
      .map((_, index) => index)
      .sort((a, b) => counts[b]! - counts[a]!)
      .map((index) => this.#words[index]!);
  }

  #add(word: string, hash: number, start: number): number {
    this.#byWord.set(word, this.#words.length);
    this.#counts.push(1);
    this.#hashes.push(hash);
    this.#starts.push(start);
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
        this.#counts[index - 1]! += 1;
        return;
      }
      slot = (slot + 1) & (slots.length - 1);
    }
    slots[slot] = this.#add(text.toString('latin1', start, end), hash, this.#keep(text, start, end));
    this.#inSlots += 1;
    if (this.#inSlots > slots.length * FULLEST) this.#grow();
  }

  #isWord(index: number, text: Buffer, start: number, end: number): boolean {
    if (this.#words[index]!.length !== end - start) return false;
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
