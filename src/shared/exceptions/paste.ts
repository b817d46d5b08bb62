/** A pasted column of values as exceptions. Rows are independent, so one mistake does not block the others. */
import { foldText } from '../query/text.ts';
import type { ExceptionRule } from './rule.ts';
import type { Matching } from './types.ts';
import { type ExceptionError, enteredValue, validateRule } from './validate.ts';

export interface PastedRow {
  /** Line of the paste, from 1. */
  line: number;
  text: string;
  value: string;
  comment: string | null;
  /** Null if invalid, for the reasons in `errors`. */
  rule: ExceptionRule | null;
  errors: { code: ExceptionError['code'] | 'duplicate'; message: string }[];
}

export interface PasteDefaults {
  tool: string;
  type: string;
  list: 'allow' | 'block';
  field: string;
  matching: Matching;
}

/** Rows per paste; further ones are reported as errors, none is dropped silently. */
export const PASTE_MAX = 100_000;

/** Unquotes a spreadsheet cell: removes surrounding quotes, and undoubles those inside. */
const unquoted = (cell: string): string => {
  const text = cell.trim();
  return text.length > 1 && text.startsWith('"') && text.endsWith('"')
    ? text.slice(1, -1).replaceAll('""', '"')
    : text;
};

interface RawRow {
  /** Its first line, from 1. */
  line: number;
  text: string;
  /** The first cell, and what follows it, or null if it is the only one. */
  cell: string;
  rest: string | null;
}

/** A cell in quotes, in which spreadsheets put line breaks and tabs, up to the end of the cell. */
const QUOTED = /[^\S\r\n\t]*"[^"]*(?:""[^"]*)*"[^\S\r\n\t]*(?=[\t\r\n]|$)/y;
const PLAIN = /[^\t\r\n]*/y;
const INDENT = /[^\S\r\n]*/y;
const LINE_END = /\r\n|\r|\n/g;

/** The end of the first of these patterns that matches at `from`. */
function endOf(text: string, from: number, ...patterns: readonly RegExp[]): number {
  for (const pattern of patterns) {
    pattern.lastIndex = from;
    if (pattern.test(text)) return pattern.lastIndex;
  }
  return from;
}

function* rowsOfPaste(text: string): Generator<RawRow, void> {
  let line = 1;
  for (let start = 0; start < text.length; ) {
    // If a row begins with empty cells, its value is in the first non-empty one.
    const from = endOf(text, start, INDENT);
    const first = endOf(text, from, QUOTED, PLAIN);
    let end = first;
    while (text[end] === '\t') end = endOf(text, end + 1, QUOTED, PLAIN);
    const row = text.slice(start, end);
    if (row.trim() !== '')
      yield {
        line,
        text: row,
        cell: text.slice(from, first),
        rest: first < end ? text.slice(first + 1, end) : null,
      };
    line += [...row.matchAll(LINE_END)].length + 1;
    start = end + (text.startsWith('\r\n', end) ? 2 : 1);
  }
}

/**
 * One row per non-empty line: the value and, after a tab, its comment. Values may be defanged. Linear in the length of
 * the text.
 */
export function* pastedRows(
  text: string,
  defaults: PasteDefaults,
  flags: Readonly<Record<string, boolean>>,
): Generator<PastedRow, void> {
  const { tool, type, list, field, matching } = defaults;
  const lines = new Map<string, number>();
  let count = 0;
  for (const { line, text: raw, cell, rest } of rowsOfPaste(text)) {
    const comment = unquoted(rest ?? '')
      .split(/[\r\n]/)
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .join(' ');
    const value = enteredValue(field, unquoted(cell));
    const rule: ExceptionRule = { tool, type, list, conditions: [{ field, matching, value }] };
    const errors: PastedRow['errors'] = validateRule(rule, flags, comment).map(({ code, message }) => ({
      code,
      message,
    }));
    const key = foldText(value);
    const before = lines.get(key);
    if (before !== undefined) errors.push({ code: 'duplicate', message: `Duplicate of line ${before}.` });
    else lines.set(key, line);
    if (count++ >= PASTE_MAX)
      errors.push({
        code: 'tooLong',
        message: `At most ${PASTE_MAX.toLocaleString('en-GB')} rows per paste.`,
      });
    yield {
      line,
      text: raw,
      value,
      comment: comment === '' ? null : comment,
      rule: errors.length === 0 ? rule : null,
      errors,
    };
  }
}
