/** Splits a rule in MQL, Sublime Security's query language for mail, into tokens. */

import { dictionary } from '../../dictionary.ts';

/** Where in a rule something stands, both from 1. */
export interface Place {
  line: number;
  column: number;
}

/** Why a rule cannot be read, in words, and where. */
export class MqlError extends Error {
  readonly place: Place;

  constructor(message: string, { line, column }: Place) {
    super(message);
    this.name = 'MqlError';
    this.place = { line, column };
  }
}

export type TokenKind = 'text' | 'number' | 'word' | 'list' | 'sign' | 'end';

export interface Token extends Place {
  kind: TokenKind;
  /** Of a text its content; otherwise as written. */
  text: string;
}

/** Characters of a rule: far more than the largest public one has. */
const MAX_SOURCE = 400_000;

/** Longer signs first, since the first match applies; dots lead to an outer element. */
const SIGN = /\.+|in~|=~|!~|==|!=|<=|>=|[<>()[\],=+\-*/%]/y;
const SPACE = /(?:\s+|\/\/[^\n]*)+/y;
const NUMBER = /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /[A-Za-z_]\w*/y;
const LIST = /\$\w+/y;
/** An escape that is none is an error, so that a slip never becomes another pattern. */
const ESCAPE = /\\(?:([rnt'"\\])|u\{([0-9a-fA-F]{2,8})\})/y;
const ESCAPED: Readonly<Record<string, string>> = dictionary({ r: '\r', n: '\n', t: '\t' });

class Tokenizer {
  readonly #source: string;
  readonly #tokens: Token[] = [];
  #offset = 0;
  #line = 1;
  #lineStart = 0;

  constructor(source: string) {
    this.#source = source;
  }

  #place(): Place {
    return { line: this.#line, column: this.#offset - this.#lineStart + 1 };
  }

  /** The text that a sticky pattern matches here, passed over; or null. */
  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#offset;
    const match = pattern.exec(this.#source);
    if (match !== null) this.#advance(match[0].length);
    return match;
  }

  #advance(length: number): void {
    const end = this.#offset + length;
    for (let next = this.#source.indexOf('\n', this.#offset); next >= 0 && next < end; ) {
      this.#line += 1;
      this.#lineStart = next + 1;
      next = this.#source.indexOf('\n', next + 1);
    }
    this.#offset = end;
  }

  #skip(): void {
    for (;;) {
      this.#take(SPACE);
      if (!this.#source.startsWith('/*', this.#offset)) return;
      const place = this.#place();
      const end = this.#source.indexOf('*/', this.#offset + 2);
      if (end < 0) throw new MqlError('This comment is not closed', place);
      this.#advance(end + 2 - this.#offset);
    }
  }

  #raw(place: Place): string {
    const parts: string[] = [];
    for (;;) {
      const end = this.#source.indexOf("'", this.#offset + 1);
      if (end < 0) throw new MqlError('This text is not closed by a single quote', place);
      parts.push(this.#source.slice(this.#offset + 1, end));
      this.#advance(end + 1 - this.#offset);
      if (this.#source[this.#offset] !== "'") return parts.join("'");
    }
  }

  #escaped(place: Place): string {
    const parts: string[] = [];
    this.#advance(1);
    for (;;) {
      const plain = this.#take(/[^"\\]*/y)?.[0] ?? '';
      parts.push(plain);
      const char = this.#source[this.#offset];
      if (char === undefined) throw new MqlError('This text is not closed by a double quote', place);
      if (char === '"') {
        this.#advance(1);
        return parts.join('');
      }
      const start = this.#place();
      const escaped = this.#take(ESCAPE);
      const code = Number.parseInt(escaped?.[2] ?? '0', 16);
      if (escaped === null || code > 0x10ffff)
        throw new MqlError(
          'No such escape: \\r \\n \\t \\\' \\" \\\\ and \\u{…} exist; put a pattern in single quotes',
          start,
        );
      parts.push(
        escaped[2] === undefined ? (ESCAPED[escaped[1]!] ?? escaped[1]!) : String.fromCodePoint(code),
      );
    }
  }

  #next(): Token {
    this.#skip();
    const place = this.#place();
    const char = this.#source[this.#offset];
    if (char === undefined) return { kind: 'end', text: '', ...place };
    if (char === '"') return { kind: 'text', text: this.#escaped(place), ...place };
    if (char === "'") return { kind: 'text', text: this.#raw(place), ...place };
    const kinds: readonly (readonly [TokenKind, RegExp])[] = [
      ['sign', SIGN],
      ['number', NUMBER],
      ['list', LIST],
      ['word', WORD],
    ];
    for (const [kind, pattern] of kinds) {
      const match = this.#take(pattern);
      if (match !== null) return { kind, text: match[0], ...place };
    }
    throw new MqlError(
      `“${String.fromCodePoint(this.#source.codePointAt(this.#offset)!)}” means nothing here`,
      place,
    );
  }

  all(): Token[] {
    for (;;) {
      const token = this.#next();
      this.#tokens.push(token);
      if (token.kind === 'end') return this.#tokens;
    }
  }
}

/** Throws `MqlError`. Linear; the last token is the end. */
export function tokensOf(source: string): Token[] {
  if (source.length > MAX_SOURCE)
    throw new MqlError(`A rule has at most ${MAX_SOURCE} characters`, { line: 1, column: 1 });
  return new Tokenizer(source).all();
}
