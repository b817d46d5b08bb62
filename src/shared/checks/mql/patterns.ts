/** Regular expressions of rules in the syntax of RE2, linear in the text; those that would be slow all the same are refused. */
import { RE2JS } from 're2js';
import { remembering } from '../../remember.ts';

/** A pattern that is not one, or is too large, in words. */
export class MqlPatternError extends Error {
  override readonly name = 'MqlPatternError';
}

/** Characters of a pattern, and steps of its program: each may be taken at every character of a text. */
const MAX_PATTERN = 10_000;
const MAX_PROGRAM = 6_000;
const MAX_REMEMBERED = 20_000;

/** Throws `MqlPatternError`. */
export const mqlPattern = (pattern: string, ignoresCase: boolean): RE2JS =>
  compiled(`${ignoresCase ? 'i' : 'c'}${pattern}`);

const compiled = remembering(MAX_REMEMBERED, (key) => compile(key.slice(1), key.startsWith('i')));

function compile(pattern: string, ignoresCase: boolean): RE2JS {
  if (pattern.length > MAX_PATTERN)
    throw new MqlPatternError(`A pattern has at most ${MAX_PATTERN} characters`);
  let fresh: RE2JS;
  try {
    fresh = RE2JS.compile(pattern, ignoresCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (error) {
    throw new MqlPatternError(
      `This is not a pattern: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  if (fresh.programSize() > MAX_PROGRAM)
    throw new MqlPatternError(
      `This pattern repeats too much: it needs ${fresh.programSize()} steps, at most ${MAX_PROGRAM} are taken`,
    );
  return fresh;
}

/** How much work a pattern is on a text, in characters compared. */
export const patternWork = (pattern: RE2JS, text: string): number =>
  text.length * (2 + pattern.programSize() / 100);
