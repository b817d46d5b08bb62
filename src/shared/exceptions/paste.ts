/** A pasted column of values as exceptions. Rows are independent, so one mistake does not block the others. */
import { foldText } from '../query/text.ts';
import type { ExceptionRule } from './rule.ts';
import type { Matching } from './types.ts';
import { type ExceptionError, enteredValue, validateRule } from './validate.ts';

export interface PastedRow {
  /** Line of the paste, from 1. */
  line: number;
  /** As pasted. */
  text: string;
  value: string;
  comment: string | null;
  /** null: invalid, for the reasons in `errors`. */
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
  const seen = new Map<string, number>();
  let count = 0;
  for (const [index, raw] of text.split(/\r\n|\r|\n/).entries()) {
    if (raw.trim() === '') continue;
    const line = index + 1;
    const tab = raw.indexOf('\t', raw.length - raw.trimStart().length);
    const cell = unquoted(tab < 0 ? raw : raw.slice(0, tab));
    const comment = tab < 0 ? '' : unquoted(raw.slice(tab + 1));
    const value = enteredValue(field, cell);
    const rule: ExceptionRule = { tool, type, list, conditions: [{ field, matching, value }] };
    const errors: PastedRow['errors'] = validateRule(rule, flags, comment).map(({ code, message }) => ({
      code,
      message,
    }));
    const key = foldText(value);
    const before = seen.get(key);
    if (before !== undefined) errors.push({ code: 'duplicate', message: `Duplicate of line ${before}.` });
    else seen.set(key, line);
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

/** The same as an array. */
export const readPaste = (
  text: string,
  defaults: PasteDefaults,
  flags: Readonly<Record<string, boolean>>,
): PastedRow[] => [...pastedRows(text, defaults, flags)];
