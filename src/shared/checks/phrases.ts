/** Phrases looked for in the words of a mail. */

interface Phrase {
  kind: string;
  text: string;
  tokens: Token[];
}
type Token = { kind: 'words'; words: ReadonlySet<string> } | { kind: 'gap' | 'number' };

/** Words that `..` can stand for. */
const MAX_GAP = 4;
const NUMBER = /^[$€£¥]?\d[\d.,]*[%$€£¥kmb]?$/;
const LETTER = /^[a-z]/;
const isNumber = (word: string): boolean => !LETTER.test(word) && NUMBER.test(word);
/** Scripts that write no spaces between words. */
const JOINED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

const tokenOf = (text: string): Token => {
  if (text === '..') return { kind: 'gap' };
  if (text === '#') return { kind: 'number' };
  return { kind: 'words', words: new Set(text.split('|')) };
};

const matches = (token: Token, word: string): boolean =>
  token.kind === 'words' ? token.words.has(word) : token.kind === 'number' && isNumber(word);

/** The index after the phrase's last word, if the tokens from `next` on match the words from `index` on; otherwise -1. */
function endOf(tokens: readonly Token[], next: number, words: readonly string[], index: number): number {
  for (let token = next; token < tokens.length; token++) {
    const { kind } = tokens[token]!;
    if (kind === 'gap') {
      for (let skipped = 0; skipped <= MAX_GAP; skipped++) {
        const end = endOf(tokens, token + 1, words, index + skipped);
        if (end >= 0) return end;
      }
      return -1;
    }
    const word = words[index];
    if (word === undefined || !matches(tokens[token]!, word)) return -1;
    index++;
  }
  return index;
}

/** Phrases with the same first word: those like “i” and “your” begin hundreds, of which few go on like the text. */
class Continuations {
  readonly #bySecond = new Map<string, Phrase[]>();
  /** Those of one word, or with a gap or number behind it. */
  readonly #others: Phrase[] = [];

  add(phrase: Phrase): void {
    const [second] = phrase.tokens;
    if (second?.kind !== 'words') this.#others.push(phrase);
    else
      for (const word of second.words) {
        const list = this.#bySecond.get(word);
        if (list === undefined) this.#bySecond.set(word, [phrase]);
        else list.push(phrase);
      }
  }

  before(next: string | undefined): readonly Phrase[] {
    const some = next === undefined ? undefined : this.#bySecond.get(next);
    if (some === undefined) return this.#others;
    return this.#others.length === 0 ? some : [...some, ...this.#others];
  }
}

/**
 * Phrases of several kinds: words separated by spaces. `a|b`: either; `..`: up to four words; `#`: a number. A phrase of Han
 * or kana is looked for as it stands. Linear in the words, but for the phrases that begin alike.
 */
export class PhraseIndex {
  readonly #byFirst = new Map<string, Continuations>();
  /** Those that begin with a number. */
  readonly #byNumber = new Continuations();
  readonly #joined: { kind: string; text: string }[] = [];

  add(kind: string, text: string): void {
    if (JOINED.test(text)) {
      this.#joined.push({ kind, text });
      return;
    }
    const [first = '', ...rest] = text.split(' ');
    const phrase = { kind, text, tokens: rest.map(tokenOf) };
    if (first === '#') this.#byNumber.add(phrase);
    for (const word of first.split('|')) {
      const others = this.#byFirst.get(word) ?? new Continuations();
      this.#byFirst.set(word, others);
      others.add(phrase);
    }
  }

  /** By kind, the different phrases in the text as they stand there, at most `most`. `joined`: the text without spaces. */
  find(words: readonly string[], joined: string, most = 8): Map<string, string[]> {
    const out = new Map<string, string[]>();
    const seen = new Set<string>();
    const add = (kind: string, text: string, shown: string) => {
      const list = out.get(kind) ?? [];
      // Words that are part of a phrase of the same kind say nothing more.
      if (list.length >= most || list.some((other) => other.includes(shown))) return;
      seen.add(kind + text);
      out.set(kind, list);
      list.push(shown);
    };
    for (let index = 0; index < words.length; index++) {
      const word = words[index]!;
      const phrases = isNumber(word) ? this.#byNumber : this.#byFirst.get(word);
      if (phrases === undefined) continue;
      for (const { kind, text, tokens } of phrases.before(words[index + 1])) {
        const end = endOf(tokens, 0, words, index + 1);
        if (end >= 0 && !seen.has(kind + text)) add(kind, text, words.slice(index, end).join(' '));
      }
    }
    if (joined !== '')
      for (const { kind, text } of this.#joined) if (joined.includes(text)) add(kind, text, text);
    return out;
  }
}
