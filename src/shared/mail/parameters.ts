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
}

/** A longer value holds nothing a reader would act on. */
const MAX_LENGTH = 65_536;
const QUOTE = 0x22;
const SEMICOLON = 0x3b;

interface Section {
  index: number;
  text: string;
  escaped: boolean;
}

/** Splits at semicolons that are not between quotes. */
function unquotedParts(text: string): string[] {
  if (!text.includes('"')) return text.split(';');
  const out: string[] = [];
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) {
      const close = text.indexOf('"', at + 1);
      at = close < 0 ? text.length : close;
    } else if (char === SEMICOLON) {
      out.push(text.slice(from, at));
      from = at + 1;
    }
  }
  out.push(text.slice(from));
  return out;
}

/** Splits at unquoted semicolons; drops comments where white space is allowed. Linear. */
function segments(text: string): string[] {
  // Fast path: hardly any value has comments or quoted pairs, which need parsing.
  if (!text.includes('(') && !text.includes('\\')) return unquotedParts(text);
  const out: string[] = [];
  let piece = '';
  let quoted = false;
  let depth = 0;
  const lastClose = text.lastIndexOf(')');
  for (let i = 0; i < text.length; i++) {
    const char = text[i] ?? '';
    if (quoted || depth > 0) {
      if (char === '\\' && i + 1 < text.length) {
        if (quoted) piece += char + text[i + 1];
        i++;
      } else if (quoted) {
        if (char === '"') quoted = false;
        piece += char;
      } else if (char === '(') depth++;
      else if (char === ')') depth--;
    } else if (char === '"') {
      quoted = true;
      piece += char;
    } else if (
      char === '(' &&
      (piece === '' || /\s$/.test(piece.slice(-1)) || !piece.includes('=')) &&
      lastClose > i
    ) {
      depth = 1;
    } else if (char === ';') {
      out.push(piece);
      piece = '';
    } else piece += char;
  }
  out.push(piece);
  return out;
}

/** A token or a quoted string; anything after the closing quote is ignored. */
function unquote(text: string): string {
  const trimmed = text.trim();
  if (!trimmed.startsWith('"')) return trimmed;
  if (!trimmed.includes('\\')) {
    const close = trimmed.indexOf('"', 1);
    return close < 0 ? trimmed.slice(1) : trimmed.slice(1, close);
  }
  let out = '';
  for (let i = 1; i < trimmed.length; i++) {
    const char = trimmed[i];
    if (char === '"') return out;
    if (char === '\\' && (trimmed[i + 1] === '"' || trimmed[i + 1] === '\\')) i++;
    out += trimmed[i];
  }
  return out;
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
  const pieces = segments(text.slice(0, MAX_LENGTH));
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
  for (const [name, value] of plain) parameters.set(name, decodeWords(value, decode));
  // RFC 2231 forms take precedence over the plain one, which senders add for old readers.
  for (const [name, list] of sections) parameters.set(name, decodeWords(joined(list, decode), decode));
  return { value: unquote(pieces[0] ?? '').toLowerCase(), parameters, repeated };
}
