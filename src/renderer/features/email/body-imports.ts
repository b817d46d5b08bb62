/** The imports of a style sheet, found in one pass: comments and strings only look like them. */

/** Behind the string that a quote at `at` opens; a string ends with its line. */
function afterString(css: string, at: number): number {
  const quote = css[at];
  let end = at + 1;
  while (end < css.length && css[end] !== quote && css[end] !== '\n') end += css[end] === '\\' ? 2 : 1;
  return Math.min(css.length, end + 1);
}

/** Behind the import whose keyword ends at `from`: its semicolon, or what can belong to it no more. */
function afterImport(css: string, from: number): number {
  let end = from;
  while (end < css.length) {
    const char = css[end];
    if (char === ';') return end + 1;
    if (char === '{' || char === '}') return end;
    if (char === '"' || char === "'") end = afterString(css, end);
    else if (char === '(' && !/["']/.test(css.slice(end + 1).match(/\S/)?.[0] ?? '')) {
      const close = css.indexOf(')', end);
      end = close === -1 ? css.length : close + 1;
    } else end += 1;
  }
  return end;
}

/** A keyword as the browser reads it: `@\69mport` is an import, too. */
export const unescapeCss = (word: string): string =>
  word.replace(/\\(?:([0-9a-f]{1,6})\s?|(.))/gi, (_, hex: string | undefined, char: string | undefined) =>
    hex === undefined ? (char ?? '') : String.fromCodePoint(Math.min(Number.parseInt(hex, 16), 0x10ffff)),
  );

/** The sheet without its imports and comments, and how many imports there were. */
export function withoutImports(css: string): { text: string; imports: number } {
  if (!css.includes('@')) return { text: css, imports: 0 };
  const parts: string[] = [];
  const mark = /\/\*|["']|@(?:\\[0-9a-f]{1,6}\s?|\\?[-\w])+/gi;
  let imports = 0;
  let from = 0;
  for (let found = mark.exec(css); found !== null; found = mark.exec(css)) {
    const at = found.index;
    if (found[0].startsWith('@') && unescapeCss(found[0]).toLowerCase() !== '@import') continue;
    if (found[0] === '"' || found[0] === "'") {
      mark.lastIndex = afterString(css, at);
      continue;
    }
    parts.push(css.slice(from, at));
    if (found[0] === '/*') {
      const close = css.indexOf('*/', at + 2);
      from = close === -1 ? css.length : close + 2;
    } else {
      imports += 1;
      from = afterImport(css, at + found[0].length);
    }
    mark.lastIndex = from;
  }
  parts.push(css.slice(from));
  return { text: parts.join(' '), imports };
}
