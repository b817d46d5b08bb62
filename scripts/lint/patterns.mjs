// A pattern that begins with a repeated class is tried from each character of a run: a sender's million spaces take hours.
// A lookbehind, as in /(?<!\s)\s+$/, lets it begin where the run does.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../node.mjs';
import { sources } from './files.mjs';

const START = String.raw`(?:[(=,:?!&|>[]|return)\s*`;
const CLASS = String.raw`(?:\\[sSdDwW]|\\p\{\w+\}|\[(?:\\.|[^\]\\\n])+\])(?:[+*]|\{\d+,\})`;
/** Alone or in an alternative, the class is no beginning of something else. */
const REST = String.raw`(?!\)*[/|])((?:\\.|\[(?:\\.|[^\]\\\n])+\]|[^/\\[\n])+)\/([a-z]*)`;
const PATTERN = new RegExp(String.raw`${START}\/(?:\((?:\?:)?)*${CLASS}${REST}`, 'g');

/** One line for each such pattern. One that is tried at a single place, or ends at the end of the text too, is none. */
export function brokenPatterns() {
  const broken = [];
  for (const file of sources('src'))
    for (const [text, rest, flags] of readFileSync(path.join(root, file), 'utf8').matchAll(PATTERN))
      if (!flags.includes('y') && !rest.includes('|$)'))
        broken.push(`${file}: ${text.trim()} takes quadratic time on a long run: begin with a lookbehind`);
  return broken;
}
