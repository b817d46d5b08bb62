// A table with any text as its key is a dictionary(): a key from outside, such as "constructor", must find nothing.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../node.mjs';
import { sources } from './files.mjs';

/** A constant that is written out as an object; an empty one is filled by code, a copy of others has its own keys. */
const TABLE = /const (\w+): (?:Readonly<)?Record<string, [^=]*?(?:=>[^=]*?)*> = \{(?!\}| ?\.\.\.)/g;

/** One line for each table that is none. */
export function brokenDictionaries() {
  const broken = [];
  for (const file of sources('src'))
    for (const [text, name] of readFileSync(path.join(root, file), 'utf8').matchAll(TABLE))
      if (!text.includes(';') && !/SqlValue/.test(text))
        broken.push(`${file}: ${name} is looked up with any text: write dictionary({ … })`);
  return broken;
}
