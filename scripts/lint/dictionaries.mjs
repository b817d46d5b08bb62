// A table with arbitrary texts as keys must be a dictionary(): a key from outside, such as "constructor", finds nothing.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../node.mjs';
import { sources } from './files.mjs';

/** A constant with an object literal, except empty ones, which code fills, and copies, whose keys are their own. */
const TABLE = /const (\w+): (?:Readonly<)?Record<string, [^=]*?(?:=>[^=]*?)*> = \{(?!\}| ?\.\.\.)/g;

/** One line for each such table that is not a dictionary. */
export function brokenDictionaries() {
  const broken = [];
  for (const file of sources('src'))
    for (const [text, name] of readFileSync(path.join(root, file), 'utf8').matchAll(TABLE))
      if (!text.includes(';') && !/SqlValue/.test(text))
        broken.push(`${file}: ${name} has arbitrary texts as keys: write dictionary({ … })`);
  return broken;
}
