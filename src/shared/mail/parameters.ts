import type { DecodeBytes } from './charsets.ts';
import { decodeWords, escapedBytes } from './encoded-words.ts';

/** A structured value such as `text/plain; charset=utf-8`. */
export interface ParameterValue {
  /** The part before the first semicolon, lowercased, comments removed. */
  value: string;
  /** Parameters by lowercased name, RFC 2231 continuations joined and decoded; the first of a name wins. */
  parameters: Map<string, string>;
  /** Names that stand there more than once; programs differ in which value they take. */
  repeated: Set<string>;
  /** What was guessed, in words. */
  guesses: string[];
}

/** A longer value holds nothing a reader would act on. */
const MAX_LENGTH = 65_536;

interface Section {
  index: number;
  text: string;
  escaped: boolean;
}

/** Position behind a comment that begins at `start`, or of the end of the text. Quoted pairs hide brackets. */
function commentEnd(text: string, start: number): number {
  let depth = 0;
  for (let index = start; index < text.length; index++) {
    const char = text[index];
    if (char === '\\') index++;
    else if (char === '(') depth++;
    else if (char === ')' && --depth === 0) return index + 1;
  }
  return text.length;
}

/** Position behind a quoted string that begins at `start`, or of the end of the text. */
function quoteEnd(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index++) {
    const char = text[index];
    if (char === '\\') index++;
    else if (char === '"') return index + 1;
  }
  return text.length;
}

/** A comment begins where white space is allowed, before the value at any place, and ends somewhere. */
const beginsComment = (text: string, position: number, from: number, lastClose: number): boolean =>
  text[position] === '(' &&
  lastClose > position &&
  (position === from || /\s/.test(text[position - 1] ?? '') || !text.slice(from, position).includes('='));

/** Splits at semicolons that are neither between quotes nor in comments. Linear. */
function segments(text: string): string[] {
  if (!/["(]/.test(text)) return text.split(';');
  const out: string[] = [];
  const lastClose = text.lastIndexOf(')');
  let from = 0;
  for (let position = 0; position < text.length; ) {
    const char = text[position];
    if (char === ';') {
      out.push(text.slice(from, position));
      from = ++position;
    } else if (char === '"') position = quoteEnd(text, position);
    else if (beginsComment(text, position, from, lastClose)) position = commentEnd(text, position);
    else position++;
  }
  out.push(text.slice(from));
  return out;
}

const SIGN = String.raw`\*?(?:\d{1,5}\*?)?\s*=`;
/** A parameter that no semicolon precedes. Within an unquoted value only these count, as such values hold `=`. */
const NEXT = new RegExp(
  String.raw`[\s,](?=(?:boundary|charset|(?:file)?name|format|delsp|size|(?:report-|smime-)?type|protocol|micalg|method|start|(?:creation|modification|read)-date)${SIGN})`,
  'i',
);
const NEXT_AFTER_VALUE = new RegExp(String.raw`[\s,](?=[\w-]+${SIGN})`);
const NEXT_AFTER_QUOTES = new RegExp(String.raw`^[\s,]*(?=[\w-]+${SIGN})`);

/** Where the next parameter begins in a segment without a semicolon before it; -1 if there is none. */
function nextParameter(segment: string, isFirst: boolean): number {
  if (isFirst) return segment.search(NEXT_AFTER_VALUE);
  const value = segment.slice(segment.indexOf('=') + 1).trimStart();
  const start = segment.length - value.length;
  const end = value.startsWith('"') ? quoteEnd(value, 0) : 0;
  if (end > 0) return NEXT_AFTER_QUOTES.test(value.slice(end)) ? start + end : -1;
  const next = value.search(NEXT);
  return next < 0 ? -1 : start + next;
}

/** `utf-8''Rechnung%20M%C3%A4rz.pdf`, which needs a star after the name of its parameter. */
const EXTENDED = /^[\w.:-]{2,40}'[\w-]{0,40}'[^']*%[\da-f]{2}/i;

/** Without comments, except brackets within an unquoted value: `filename=Invoice (final) March.pdf`, which stay and make `hasBrackets` true. */
function uncommented(segment: string): { text: string; hasBrackets: boolean } {
  const lastClose = segment.lastIndexOf(')');
  if (lastClose < 0 || !segment.includes('(')) return { text: segment, hasBrackets: false };
  let text = '';
  let hasBrackets = false;
  /** White space and comments that may turn out to be within the value. */
  let held = '';
  for (let position = 0; position < segment.length; ) {
    const isComment = beginsComment(segment, position, 0, lastClose);
    const char = segment[position] ?? '';
    const end = isComment
      ? commentEnd(segment, position)
      : char === '"'
        ? quoteEnd(segment, position)
        : position + 1;
    const piece = segment.slice(position, end);
    if (isComment) held += /=[^="]/.test(text) ? piece : '';
    else if (/\s/.test(char)) held += piece;
    else {
      hasBrackets ||= held.includes('(');
      text += held + piece;
      held = '';
    }
    position = end;
  }
  return { text, hasBrackets };
}

/** A token or a quoted string; anything after the closing quote is ignored. */
function unquote(text: string): string {
  const trimmed = text.trim();
  if (!trimmed.startsWith('"')) return trimmed;
  const end = quoteEnd(trimmed, 0);
  const inner = trimmed.slice(1, trimmed[end - 1] === '"' && end > 1 ? end - 1 : end);
  return inner.replace(/\\(["\\])/g, '$1');
}

function joined(sections: Section[], decode: DecodeBytes): string {
  sections.sort((a, b) => a.index - b.index);
  let charset = '';
  let out = '';
  let run = '';
  const flush = () => {
    if (run !== '') out += decode(escapedBytes(run, '%', false), charset || 'utf-8');
    run = '';
  };
  for (const [position, section] of sections.entries()) {
    let text = section.text;
    if (position === 0 && section.escaped) {
      const mark = /^([^']*)'[^']*'/.exec(text);
      if (mark) {
        charset = mark[1] ?? '';
        text = text.slice(mark[0].length);
      }
    }
    if (section.escaped) run += text;
    else {
      flush();
      out += text;
    }
  }
  flush();
  return out;
}

/** Parses a Content-Type or Content-Disposition value (RFC 2045, RFC 2183, RFC 2231). Never throws. */
export function parseParameters(text: string, decode: DecodeBytes): ParameterValue {
  const guesses = new Set<string>();
  const pieces: string[] = [];
  for (const [index, segment] of segments(text.slice(0, MAX_LENGTH).trim()).entries()) {
    const add = (piece: string) => {
      const { text, hasBrackets } = uncommented(piece);
      if (hasBrackets) guesses.add('brackets in a value without quotes are read as part of it');
      pieces.push(text);
    };
    // Comments before the parameters may hold signs of one.
    let rest = index === 0 ? uncommented(segment).text : segment;
    for (let next = nextParameter(rest, index === 0); next >= 0; next = nextParameter(rest, false)) {
      guesses.add('a semicolon is missing before a parameter');
      add(rest.slice(0, next).trimEnd().replace(/,$/, ''));
      rest = rest.slice(next).replace(/^[\s,]+/, '');
    }
    add(rest);
  }
  const plain = new Map<string, string>();
  const sections = new Map<string, Section[]>();
  const repeated = new Set<string>();
  for (const piece of pieces.slice(1)) {
    const equals = piece.indexOf('=');
    if (equals <= 0) continue;
    const name = piece.slice(0, equals).trim().toLowerCase();
    const value = unquote(piece.slice(equals + 1));
    const mark = /^([^*]+)\*(?:(\d{1,5})(\*)?)?$/.exec(name);
    if (mark?.[1] === undefined) {
      if (plain.has(name)) repeated.add(name);
      else if (name !== '') plain.set(name, value);
      continue;
    }
    const list = sections.get(mark[1]) ?? [];
    list.push({
      index: Number(mark[2] ?? 0),
      text: value,
      escaped: mark[2] === undefined || mark[3] === '*',
    });
    sections.set(mark[1], list);
  }
  const parameters = new Map<string, string>();
  for (const [name, value] of plain) {
    // The form of `filename*=` under the name of the plain one.
    const isExtended = EXTENDED.test(value);
    if (isExtended) guesses.add('a parameter has the form of an extended one and is read as such');
    parameters.set(
      name,
      decodeWords(isExtended ? joined([{ index: 0, text: value, escaped: true }], decode) : value, decode),
    );
  }
  // RFC 2231 forms take precedence over the plain one, which senders add for old readers.
  for (const [name, list] of sections) parameters.set(name, decodeWords(joined(list, decode), decode));
  return { value: unquote(pieces[0] ?? '').toLowerCase(), parameters, repeated, guesses: [...guesses] };
}
