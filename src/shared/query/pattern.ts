/**
 * Regular expressions for conditions, linear in the text whatever the pattern: an automaton built lazily from the
 * pattern's state sets. Without look-around and back-references, which automata cannot express. Matches what RegExp
 * with the flags `i` and `u` would in the composed form of the text: ignoring case, `.` is any character but a line
 * end, `^` and `$` are the ends of the text.
 */
import { dictionary } from '#shared/dictionary.ts';

export class PatternError extends Error {
  readonly position: number;

  constructor(message: string, position: number) {
    super(message);
    this.name = 'PatternError';
    this.position = position;
  }
}

export const MAX_PATTERN_LENGTH = 500;
const MAX_STATES = 1500;
const MAX_REPEAT = 200;
const MAX_CACHED = 1000;
const MAX_STEPS_CACHED = 1000;
const MAX_NESTING = 50;

type Test = (code: number) => boolean;
type Node =
  | { kind: 'char'; test: Test }
  | { kind: 'assert'; what: 'start' | 'end' | 'word' | 'not-word' }
  | { kind: 'sequence'; parts: Node[] }
  | { kind: 'choice'; parts: Node[] }
  | { kind: 'repeat'; part: Node; min: number; max: number | null };

const isDigit: Test = (c) => c >= 48 && c <= 57;
const isWord: Test = (c) => isDigit(c) || (c >= 97 && c <= 122) || (c >= 65 && c <= 90) || c === 95;
/** White space and line ends of ECMAScript. */
const isSpace: Test = (c) =>
  c === 32 ||
  (c >= 9 && c <= 13) ||
  c === 0xa0 ||
  c === 0x1680 ||
  (c >= 0x2000 && c <= 0x200a) ||
  c === 0x2028 ||
  c === 0x2029 ||
  c === 0x202f ||
  c === 0x205f ||
  c === 0x3000 ||
  c === 0xfeff;
const not =
  (test: Test): Test =>
  (c) =>
    !test(c);
const ESCAPES: Readonly<Record<string, Test>> = dictionary({
  d: isDigit,
  D: not(isDigit),
  w: isWord,
  W: not(isWord),
  s: isSpace,
  S: not(isSpace),
});
const CONTROLS: Readonly<Record<string, number>> = dictionary({ n: 10, r: 13, t: 9, f: 12, v: 11, 0: 0 });

class Parser {
  private offset = 0;
  private nesting = 0;
  private readonly points: string[];

  constructor(source: string) {
    this.points = [...source.normalize('NFC')];
  }

  parse(): Node {
    const node = this.choice();
    if (this.offset < this.points.length) throw new PatternError('Unmatched )', this.offset);
    return node;
  }

  private peek(): string | undefined {
    return this.points[this.offset];
  }

  private choice(): Node {
    const parts = [this.sequence()];
    while (this.peek() === '|') {
      this.offset += 1;
      parts.push(this.sequence());
    }
    return parts.length === 1 && parts[0] ? parts[0] : { kind: 'choice', parts };
  }

  private sequence(): Node {
    const parts: Node[] = [];
    for (let next = this.peek(); next !== undefined && next !== '|' && next !== ')'; next = this.peek())
      parts.push(this.quantified());
    return { kind: 'sequence', parts };
  }

  private quantified(): Node {
    const start = this.offset;
    const part = this.atom();
    const bounds = this.bounds();
    if (bounds === null) return part;
    if (part.kind === 'assert') throw new PatternError('Nothing to repeat', start);
    if (this.peek() === '?') this.offset += 1;
    if (['*', '+'].includes(this.peek() ?? '') || this.bounds() !== null)
      throw new PatternError('Nothing to repeat', this.offset);
    return { kind: 'repeat', part, ...bounds };
  }

  private bounds(): { min: number; max: number | null } | null {
    const next = this.peek();
    if (next === '*' || next === '+' || next === '?') {
      this.offset += 1;
      return { min: next === '+' ? 1 : 0, max: next === '?' ? 1 : null };
    }
    if (next !== '{') return null;
    const match = /^\{(\d{1,4})(,(\d{0,4}))?\}/.exec(
      this.points.slice(this.offset, this.offset + 12).join(''),
    );
    if (!match) return null;
    const min = Number(match[1]);
    const max = match[2] === undefined ? min : match[3] ? Number(match[3]) : null;
    if (min > MAX_REPEAT || (max ?? 0) > MAX_REPEAT)
      throw new PatternError(`Repetitions go up to ${MAX_REPEAT}`, this.offset);
    if (max !== null && max < min) throw new PatternError('Repetition out of order', this.offset);
    this.offset += match[0].length;
    return { min, max };
  }

  private atom(): Node {
    const start = this.offset;
    const next = this.points[this.offset++];
    switch (next) {
      case '(':
        return this.group(start);
      case '[':
        return { kind: 'char', test: this.characterClass(start) };
      case '.':
        return { kind: 'char', test: (c) => c !== 10 && c !== 13 && c !== 0x2028 && c !== 0x2029 };
      case '^':
        return { kind: 'assert', what: 'start' };
      case '$':
        return { kind: 'assert', what: 'end' };
      case '*':
      case '+':
      case '?':
        throw new PatternError('Nothing to repeat', start);
      case '\\':
        return this.escape(start);
      default:
        return literal(next ?? '');
    }
  }

  private group(start: number): Node {
    if (this.peek() === '?') {
      if (this.points[this.offset + 1] !== ':')
        throw new PatternError('Look-around and named groups are not supported', start);
      this.offset += 2;
    }
    this.nesting += 1;
    if (this.nesting > MAX_NESTING) throw new PatternError('Too many nested groups', start);
    const node = this.choice();
    if (this.peek() !== ')') throw new PatternError('Unmatched (', start);
    this.offset += 1;
    this.nesting -= 1;
    return node;
  }

  private escape(start: number): Node {
    const next = this.points[this.offset++];
    if (next === undefined) throw new PatternError('Trailing \\', start);
    if (next === 'b') return { kind: 'assert', what: 'word' };
    if (next === 'B') return { kind: 'assert', what: 'not-word' };
    const test = ESCAPES[next];
    if (test) return { kind: 'char', test };
    return literal(this.escapedCharacter(next, start));
  }

  private escapedCharacter(next: string, start: number): string {
    const control = CONTROLS[next];
    if (control !== undefined) return String.fromCodePoint(control);
    if (next === 'x' || next === 'u') {
      const rest = this.points.slice(this.offset, this.offset + 10).join('');
      const match = (next === 'x' ? /^([0-9a-f]{2})/i : /^(?:\{([0-9a-f]{1,6})\}|([0-9a-f]{4}))/i).exec(rest);
      const code = Number.parseInt(match?.[1] ?? match?.[2] ?? '', 16);
      if (!match || !(code <= 0x10ffff)) throw new PatternError(`\\${next} needs hexadecimal digits`, start);
      this.offset += match[0].length;
      return String.fromCodePoint(code);
    }
    if (/[1-9]/.test(next)) throw new PatternError('Backreferences are not supported', start);
    if (/[a-z]/i.test(next)) throw new PatternError(`\\${next} is not supported here`, start);
    return next;
  }

  private characterClass(start: number): Test {
    const tests: Test[] = [];
    const escapes: Test[] = [];
    const negated = this.peek() === '^';
    if (negated) this.offset += 1;
    for (;;) {
      const low = this.classMember(start);
      if (low === null) break;
      if (typeof low === 'function') {
        escapes.push(low);
        continue;
      }
      if (this.peek() !== '-' || this.points[this.offset + 1] === ']') {
        tests.push((c) => c === low);
        continue;
      }
      this.offset += 1;
      const high = this.classMember(start);
      if (typeof high !== 'number' || high < low)
        throw new PatternError('Character range out of order', start);
      tests.push((c) => c >= low && c <= high);
    }
    const any: Test = (c) =>
      escapes.some((test) => test(c)) ||
      spellings(c).some((spelling) => tests.some((test) => test(spelling)));
    return negated ? not(any) : any;
  }

  private classMember(start: number): number | Test | null {
    const next = this.points[this.offset++];
    if (next === undefined) throw new PatternError('Unmatched [', start);
    if (next === ']') return null;
    if (next !== '\\') return next.codePointAt(0) ?? 0;
    const escaped = this.points[this.offset++];
    if (escaped === undefined) throw new PatternError('Unmatched [', start);
    const test = ESCAPES[escaped];
    if (test) return test;
    return escaped === 'b' ? 8 : (this.escapedCharacter(escaped, start).codePointAt(0) ?? 0);
  }
}

/** The dotless i is a separate letter, not a case variant of i. */
const DOTLESS = 0x131;
/** The last code point with a case variant. */
const LAST_CASED = 0x1e943;

/** Folds case: Unicode's simple folding, one code point to one. */
function foldCode(c: number): number {
  if (c < 128) return c >= 65 && c <= 90 ? c + 32 : c;
  if (c > LAST_CASED) return c;
  let code = folded[c] ?? 0;
  if (code === 0) {
    code = foldOnce(c);
    folded[c] = code;
  }
  return code;
}

/** Cached results of foldCode; 0 if not computed. */
const folded = new Int32Array(LAST_CASED + 1);

function foldOnce(c: number): number {
  if (c === DOTLESS) return c;
  const letter = String.fromCodePoint(c);
  const upper = single(letter.toUpperCase()) ?? letter;
  return (single(upper.toLowerCase()) ?? single(letter.toLowerCase()) ?? letter).codePointAt(0) ?? c;
}

const single = (text: string): string | null => ([...text].length === 1 ? text : null);

let spelled: Map<number, number[]> | null = null;
/** Every folded character with more than one spelling. Built once: some 100 ms. */
function table(): ReadonlyMap<number, readonly number[]> {
  if (spelled !== null) return spelled;
  spelled = new Map();
  for (let c = 0; c <= LAST_CASED; c += 1) {
    const code = foldCode(c);
    if (code === c) continue;
    const list = spelled.get(code);
    if (list) list.push(c);
    else spelled.set(code, [code, c]);
  }
  return spelled;
}

/** All characters that fold to a folded character, at least itself. */
function spellings(c: number): readonly number[] {
  return table().get(c) ?? [c];
}

function literal(character: string): Node {
  const code = foldCode(character.codePointAt(0) ?? 0);
  return { kind: 'char', test: (c) => c === code };
}

/** A state of the automaton: what it accepts, and its empty transitions. */
interface State {
  test: Test | null;
  next: number;
  assert: 'start' | 'end' | 'word' | 'not-word' | null;
  also: number[];
}

class Builder {
  readonly states: State[] = [];

  add(state: State): number {
    if (this.states.length >= MAX_STATES) throw new PatternError('The pattern is too large', 0);
    return this.states.push(state) - 1;
  }

  /** The entry state of a node whose exit is `to`. */
  build(node: Node, to: number): number {
    switch (node.kind) {
      case 'char':
        return this.add({ test: node.test, next: to, assert: null, also: [] });
      case 'assert':
        return this.add({ test: null, next: to, assert: node.what, also: [to] });
      case 'sequence':
        return node.parts.reduceRight((exit, part) => this.build(part, exit), to);
      case 'choice':
        return this.add({
          test: null,
          next: to,
          assert: null,
          also: node.parts.map((part) => this.build(part, to)),
        });
      case 'repeat':
        return this.repeat(node.part, node.min, node.max, to);
    }
  }

  private repeat(part: Node, min: number, max: number | null, to: number): number {
    let exit = to;
    if (max === null) {
      const loop: State = { test: null, next: to, assert: null, also: [to] };
      exit = this.add(loop);
      loop.also.push(this.build(part, exit));
    } else {
      for (let i = min; i < max; i += 1)
        exit = this.add({ test: null, next: to, assert: null, also: [to, this.build(part, exit)] });
    }
    for (let i = 0; i < min; i += 1) exit = this.build(part, exit);
    return exit;
  }
}

type Edge = 'end' | 'word' | 'other';

interface Position {
  states: number[];
  before: Edge;
  next: Map<number, Position | true>;
}

export interface Pattern {
  /**
   * Whether the pattern occurs anywhere in the text. `tick` is called every few milliseconds of work, across matches:
   * throwing ends the match.
   */
  test(text: string, tick?: () => void): boolean;
}

/** Steps between two ticks; a step takes well below a microsecond. */
const STEPS_A_TICK = 16_384;

/** Throws PatternError with a message for the analyst and the position in the pattern. */
export function compilePattern(source: string): Pattern {
  if (source.length > MAX_PATTERN_LENGTH)
    throw new PatternError(`A pattern can have at most ${MAX_PATTERN_LENGTH} characters`, MAX_PATTERN_LENGTH);
  const tree = new Parser(source).parse();
  const builder = new Builder();
  const accept = builder.add({ test: null, next: -1, assert: null, also: [] });
  const entry = builder.build(tree, accept);
  return new Automaton(builder.states, entry, accept);
}

class Automaton implements Pattern {
  private readonly states: readonly State[];
  private readonly entry: number;
  private readonly accept: number;
  private positions = new Map<string, Position>();
  /** Steps since the last tick. */
  private work = 0;

  constructor(states: readonly State[], entry: number, accept: number) {
    this.states = states;
    this.entry = entry;
    this.accept = accept;
  }

  test(text: string, tick?: () => void): boolean {
    let position = this.position([this.entry], 'end');
    this.work += 1;
    for (const character of text.normalize('NFC')) {
      const code = foldCode(character.codePointAt(0) ?? 0);
      let next = position.next.get(code);
      this.work += 1;
      if (next === undefined) {
        next = this.step(position, code);
        if (position.next.size >= MAX_STEPS_CACHED) position.next.clear();
        position.next.set(code, next);
      }
      if (this.work >= STEPS_A_TICK) {
        this.work = 0;
        tick?.();
      }
      if (next === true) return true;
      position = next;
    }
    return this.closure(position, 'end').has(this.accept);
  }

  private step(position: Position, code: number): Position | true {
    const kind: Edge = isWord(code) ? 'word' : 'other';
    const closure = this.closure(position, kind);
    if (closure.has(this.accept)) return true;
    const reached = new Set<number>([this.entry]);
    for (const index of closure) {
      const state = this.states[index];
      if (state?.test?.(code)) reached.add(state.next);
    }
    return this.position(
      [...reached].sort((a, b) => a - b),
      kind,
    );
  }

  private position(states: number[], before: Edge): Position {
    const key = `${before}${states.join(',')}`;
    let state = this.positions.get(key);
    if (state === undefined) {
      // Otherwise a hostile text could grow the table without limit.
      if (this.positions.size >= MAX_CACHED) this.positions = new Map();
      state = { states, before, next: new Map() };
      this.positions.set(key, state);
    }
    return state;
  }

  private closure(position: Position, after: Edge): Set<number> {
    const visited = new Set<number>();
    const stack = [...position.states];
    for (let index = stack.pop(); index !== undefined; index = stack.pop()) {
      if (visited.has(index)) continue;
      this.work += 1;
      const state = this.states[index];
      if (!state || !holds(state.assert, position.before, after)) continue;
      visited.add(index);
      stack.push(...state.also);
    }
    return visited;
  }
}

function holds(assert: State['assert'], before: Edge, after: Edge): boolean {
  switch (assert) {
    case null:
      return true;
    case 'start':
      return before === 'end';
    case 'end':
      return after === 'end';
    default:
      return ((before === 'word') !== (after === 'word')) === (assert === 'word');
  }
}
