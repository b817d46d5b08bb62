/** Reads a rule in MQL as a tree. */
import { MqlError, type Place, type Token, type TokenKind, tokensOf } from './tokens.ts';

export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>=' | '=~' | '!~';

export type Expression = Place &
  (
    | { kind: 'value'; value: string | number | boolean | null }
    /** `(a, b)` after `in`, and `[a, b]`. */
    | { kind: 'items'; items: Expression[] }
    /** `$org_domains`, with its sign. */
    | { kind: 'list'; name: string }
    /** What a rule starts from: 0 the mail, 1 `.`, the element that a function is at, 2 `..`, that of the function around it. */
    | { kind: 'scope'; depth: number }
    | { kind: 'member'; of: Expression; name: string }
    | { kind: 'index'; of: Expression; index: Expression }
    | { kind: 'call'; name: string; arguments: Expression[]; options: Map<string, Expression> }
    | { kind: 'not'; of: Expression }
    | { kind: 'and' | 'or'; parts: Expression[] }
    /** `2 of (…)`: at least so many of the parts. */
    | { kind: 'of'; count: number; parts: Expression[] }
    /** `0 < a <= 3`: one more operand than comparisons. */
    | { kind: 'compare'; operands: Expression[]; comparisons: Comparison[] }
    | { kind: 'in'; left: Expression; right: Expression; ignoresCase: boolean }
    | { kind: 'is null'; of: Expression }
    | { kind: 'arithmetic'; sign: string; left: Expression; right: Expression }
    | { kind: 'negative'; of: Expression }
  );

const COMPARISONS: ReadonlySet<string> = new Set<Comparison>(['==', '!=', '<', '<=', '>', '>=', '=~', '!~']);
const RESERVED = new Set(['and', 'or', 'not', 'in', 'is', 'of', 'null', 'true', 'false']);
/** Nested brackets of a rule: the stack of the reader is bounded. */
const MAX_NESTING = 60;

class Parser {
  readonly #tokens: readonly Token[];
  #index = 0;
  #nesting = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get #token(): Token {
    return this.#tokens[this.#index]!;
  }

  #is(kind: TokenKind, text: string, ahead = 0): boolean {
    const token = this.#tokens[this.#index + ahead];
    return token?.kind === kind && token.text === text;
  }

  #accept(kind: TokenKind, text: string): boolean {
    const isNext = this.#is(kind, text);
    if (isNext) this.#index += 1;
    return isNext;
  }

  #fail(expected: string): never {
    const { kind, text } = this.#token;
    const met = kind === 'end' ? 'the rule ends' : `“${text.slice(0, 40)}” stands`;
    throw new MqlError(`${expected} is missing: ${met} here`, this.#token);
  }

  #expect(kind: TokenKind, text: string): void {
    if (!this.#accept(kind, text)) this.#fail(`“${text}”`);
  }

  #place(): Place {
    const { line, column } = this.#token;
    return { line, column };
  }

  whole(): Expression {
    const rule = this.#or();
    if (this.#token.kind !== 'end') this.#fail('“and” or “or”');
    return rule;
  }

  #nested<T>(read: () => T): T {
    this.#nesting += 1;
    if (this.#nesting > MAX_NESTING)
      throw new MqlError(`Brackets are nested more than ${MAX_NESTING} deep`, this.#token);
    const result = read();
    this.#nesting -= 1;
    return result;
  }

  #joined(kind: 'and' | 'or', part: () => Expression): Expression {
    const place = this.#place();
    const parts = [part()];
    while (this.#accept('word', kind)) parts.push(part());
    return parts.length === 1 ? parts[0]! : { kind, parts, ...place };
  }

  #or(): Expression {
    return this.#nested(() => this.#joined('or', () => this.#joined('and', () => this.#not())));
  }

  #not(): Expression {
    const place = this.#place();
    if (!this.#accept('word', 'not')) return this.#comparison();
    return { kind: 'not', of: this.#nested(() => this.#not()), ...place };
  }

  #comparison(): Expression {
    const place = this.#place();
    const left = this.#sum();
    if (this.#accept('word', 'is')) {
      const isNegated = this.#accept('word', 'not');
      this.#expect('word', 'null');
      return negated({ kind: 'is null', of: left, ...place }, isNegated);
    }
    const isNegated = this.#is('word', 'not') && this.#isIn(1);
    if (isNegated) this.#index += 1;
    if (this.#isIn(0)) {
      const ignoresCase = this.#token.text === 'in~';
      this.#index += 1;
      return negated({ kind: 'in', left, right: this.#members(), ignoresCase, ...place }, isNegated);
    }
    const operands = [left];
    const comparisons: Comparison[] = [];
    while (this.#token.kind === 'sign' && COMPARISONS.has(this.#token.text)) {
      comparisons.push(this.#token.text as Comparison);
      this.#index += 1;
      operands.push(this.#sum());
    }
    return comparisons.length === 0 ? left : { kind: 'compare', operands, comparisons, ...place };
  }

  #isIn(ahead: number): boolean {
    return this.#is('word', 'in', ahead) || this.#is('sign', 'in~', ahead);
  }

  /** What stands after `in`: a list in brackets, a list with a name, or a field that is a list. */
  #members(): Expression {
    const place = this.#place();
    if (!this.#accept('sign', '(')) return this.#sum();
    return { kind: 'items', items: this.#until(')'), ...place };
  }

  #sum(): Expression {
    let left = this.#product();
    while (this.#is('sign', '+') || this.#is('sign', '-'))
      left = this.#arithmetic(left, () => this.#product());
    return left;
  }

  #product(): Expression {
    let left = this.#unary();
    while (this.#is('sign', '*') || this.#is('sign', '/') || this.#is('sign', '%'))
      left = this.#arithmetic(left, () => this.#unary());
    return left;
  }

  #arithmetic(left: Expression, right: () => Expression): Expression {
    const place = this.#place();
    const sign = this.#token.text;
    this.#index += 1;
    return { kind: 'arithmetic', sign, left, right: right(), ...place };
  }

  #unary(): Expression {
    const place = this.#place();
    if (!this.#accept('sign', '-')) return this.#postfix();
    return { kind: 'negative', of: this.#nested(() => this.#unary()), ...place };
  }

  #postfix(): Expression {
    let left = this.#primary();
    for (;;) {
      const place = this.#place();
      if (this.#accept('sign', '.')) left = { kind: 'member', of: left, name: this.#name(), ...place };
      else if (this.#accept('sign', '[')) {
        const index = this.#or();
        this.#expect('sign', ']');
        left = { kind: 'index', of: left, index, ...place };
      } else return left;
    }
  }

  #name(): string {
    const { kind, text } = this.#token;
    if (kind !== 'word') this.#fail('The name of a field');
    this.#index += 1;
    return text;
  }

  #primary(): Expression {
    const token = this.#token;
    const place = this.#place();
    if (token.kind === 'text') return this.#value(token.text, place);
    if (token.kind === 'number') {
      if (this.#is('word', 'of', 1)) return this.#of(place);
      return this.#value(Number(token.text), place);
    }
    if (token.kind === 'list') {
      this.#index += 1;
      return { kind: 'list', name: token.text, ...place };
    }
    if (token.kind === 'sign' && /^\.+$/.test(token.text)) return this.#scoped(token.text.length, place);
    if (this.#accept('sign', '(')) {
      const inner = this.#or();
      this.#expect('sign', ')');
      return inner;
    }
    if (this.#accept('sign', '[')) return { kind: 'items', items: this.#until(']'), ...place };
    if (token.kind !== 'word') this.#fail('A value, a field or a function');
    if (token.text === 'null') return this.#value(null, place);
    if (token.text === 'true' || token.text === 'false') return this.#value(token.text === 'true', place);
    if (RESERVED.has(token.text)) this.#fail('A value, a field or a function');
    return this.#named(place);
  }

  #value(value: string | number | boolean | null, place: Place): Expression {
    this.#index += 1;
    return { kind: 'value', value, ...place };
  }

  /** `.name`, `..name` and so on, or the element itself. */
  #scoped(depth: number, place: Place): Expression {
    const dots = this.#token;
    this.#index += 1;
    const scope: Expression = { kind: 'scope', depth, ...place };
    const next = this.#token;
    const isJoined = next.line === dots.line && next.column === dots.column + dots.text.length;
    if (!isJoined || next.kind !== 'word' || RESERVED.has(next.text)) return scope;
    return { kind: 'member', of: scope, name: this.#name(), ...place };
  }

  #of(place: Place): Expression {
    const count = Number(this.#token.text);
    this.#index += 2;
    this.#expect('sign', '(');
    return { kind: 'of', count, parts: this.#until(')'), ...place };
  }

  /** A field of the mail, or the call of a function, whose name may have dots as well. */
  #named(place: Place): Expression {
    const start = this.#index;
    const parts = [this.#name()];
    while (this.#is('sign', '.') && this.#tokens[this.#index + 1]?.kind === 'word') {
      this.#index += 1;
      parts.push(this.#name());
    }
    if (this.#is('sign', '(')) return this.#call(parts.join('.'), place);
    this.#index = start;
    return { kind: 'member', of: { kind: 'scope', depth: 0, ...place }, name: this.#name(), ...place };
  }

  #call(name: string, place: Place): Expression {
    this.#expect('sign', '(');
    const options = new Map<string, Expression>();
    const positional = this.#until(')', () => {
      if (this.#token.kind !== 'word' || !this.#is('sign', '=', 1)) return this.#or();
      const option = this.#name();
      this.#index += 1;
      options.set(option, this.#or());
      return null;
    });
    return { kind: 'call', name, arguments: positional, options, ...place };
  }

  /** Expressions between commas up to a closing bracket; a last comma may precede it. */
  #until(closing: string, read: () => Expression | null = () => this.#or()): Expression[] {
    return this.#nested(() => {
      const items: Expression[] = [];
      while (!this.#accept('sign', closing)) {
        const item = read();
        if (item !== null) items.push(item);
        if (!this.#is('sign', closing)) this.#expect('sign', ',');
      }
      return items;
    });
  }
}

const negated = (expression: Expression, isNegated: boolean): Expression =>
  isNegated ? { kind: 'not', of: expression, line: expression.line, column: expression.column } : expression;

/** Throws `MqlError` with the line and column of what cannot be read. Linear. */
export const parseMql = (source: string): Expression => new Parser(tokensOf(source)).whole();
