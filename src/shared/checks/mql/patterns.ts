/** Regular expressions of rules in the syntax of RE2, linear in the text; those that would be slow all the same are refused. */
import { RE2JS } from 're2js';

/** A pattern that is not one, or is too large, in words. */
export class MqlPatternError extends Error {
  override readonly name = 'MqlPatternError';
}

/** Characters of a pattern, and steps of its program: each may be taken at every character of a text. */
const MAX_PATTERN = 10_000;
const MAX_PROGRAM = 6_000;
/** Compiled patterns that are remembered. */
const MAX_REMEMBERED = 20_000;

const compiled = new Map<string, RE2JS>();

/** Throws `MqlPatternError`. */
export function mqlPattern(pattern: string, ignoresCase: boolean): RE2JS {
  const key = `${ignoresCase ? 'i' : 'c'}${pattern}`;
  const known = compiled.get(key);
  if (known !== undefined) return known;
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
  if (compiled.size >= MAX_REMEMBERED) compiled.clear();
  compiled.set(key, fresh);
  return fresh;
}

/** How much work a pattern is on a text, in characters compared. */
export const patternWork = (pattern: RE2JS, text: string): number =>
  text.length * (2 + pattern.programSize() / 100);
