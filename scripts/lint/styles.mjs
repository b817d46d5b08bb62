// Colours and sizes belong in tokens.css only; reports literals elsewhere that have a token, and rules for classes that
// nothing has.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../node.mjs';
import { sources } from './files.mjs';

const ROOM = 'src/renderer';
const TOKENS = `${ROOM}/ui/styles/tokens.css`;
/** The frame of a mail's body is a separate document and cannot use the tokens. */
const OWN_DOCUMENT = [`${ROOM}/features/email/body-safe.ts`, `${ROOM}/features/email/body-matches.tsx`];

/** The tokens for a property, by prefix. */
const SCALES = [
  [/^(gap|row-gap|column-gap|padding|margin)(-[a-z]+)*$/, /^space-/],
  [/^(min-|max-)?(height|width)$/, /^h-/],
  [/^font-size$/, /^fs-/],
  [/^line-height$/, /^lh-/],
  [/^border(-(top|bottom)-(left|right))?-radius$/, /^r-/],
  [/^(border|outline)(-(top|right|bottom|left))?$/, /^(edge|focus)/],
  [/^font$/, /^type-/],
];
const COLOUR = /#[0-9a-f]{3,8}\b|\b(?:rgba?|hsla?|oklch|lab)\(/i;
const DECLARATION = /(?<![\w-])([a-z][a-z-]*):\s*([^;{}]*);/g;

/** The value of each token, with type sizes and line heights resolved. */
function tokens() {
  const found = new Map();
  for (const [, name, value] of readFileSync(path.join(root, TOKENS), 'utf8').matchAll(
    /--([\w-]+):\s*([^;]+);/g,
  ))
    if (!found.has(name))
      found.set(
        name,
        value.replace(/var\(--([fl][sh]-\w+)\)/g, (_, size) => found.get(size)),
      );
  return found;
}

/** The value with literals replaced by tokens. */
function withTokens(property, value, all) {
  let text = value;
  for (const [properties, names] of SCALES) {
    if (!properties.test(property)) continue;
    for (const [name, literal] of all) {
      if (!names.test(name)) continue;
      // A control's height counts only as the whole value: inside calc() the number means something else.
      if (name.startsWith('h-')) {
        if (text === literal) text = `var(--${name})`;
        continue;
      }
      const exact = literal.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
      // A negative length stays a literal: calc() would be less clear.
      text = text.replace(new RegExp(`(?<![\\w.-])${exact}(?![\\w%-])`, 'g'), `var(--${name})`);
    }
  }
  return text;
}

/** Whether the code names a class, as a whole or from its beginning, as in `pp-verdict-${…}`. */
function classesNamedIn(code) {
  const words = new Set(code.match(/[\w-]+/g));
  const starts = Array.from(code.matchAll(/([a-z]+-[\w-]*)\$\{/g), ([, start]) => start).filter(
    (start) => start !== 'pp-',
  );
  return (name) => words.has(name) || starts.some((start) => name.startsWith(start));
}

export function brokenStyles() {
  const broken = [];
  const all = tokens();
  const isNamed = classesNamedIn(
    [...sources(ROOM)].map((file) => readFileSync(path.join(root, file), 'utf8')).join('\n'),
  );
  for (const file of sources(ROOM, /\.(css|tsx?)$/)) {
    if (file === TOKENS || OWN_DOCUMENT.includes(file)) continue;
    const text = readFileSync(path.join(root, file), 'utf8');
    text.split('\n').forEach((line, index) => {
      if (COLOUR.test(line.replace(/\/\*.*?\*\/|\/\/.*|#(?:shared|renderer)\//g, '')))
        broken.push(`${file}:${index + 1} has a literal colour; use a token of tokens.css`);
    });
    if (!file.endsWith('.css')) continue;
    for (const [, name] of text.matchAll(/\.((?!bp6-|ag-)[a-z][\w-]*)(?=[^{};]*\{)/g))
      if (!isNamed(name)) broken.push(`${file}: no element has the class ${name}`);
    for (const [, property, value] of text.matchAll(DECLARATION)) {
      const better = withTokens(property, value, all);
      if (better !== value) broken.push(`${file}: ${property}: ${value}; is ${better}`);
    }
  }
  return broken;
}
