/** Locates the first error in malformed JSON, since engines report its position only in some messages. */

const SPACE = /[ \t\n\r]*/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** Offset of the first invalid character, or null if the text is valid JSON. Not recursive. */
export function jsonErrorAt(text: string): number | null {
  let position = 0;
  const open: ('{' | '[')[] = [];
  const match = (pattern: RegExp): boolean => {
    pattern.lastIndex = position;
    const match = pattern.exec(text);
    if (match === null || match[0] === '') return false;
    position += match[0].length;
    return true;
  };
  // By hand: a pattern would exhaust the stack on a string of megabytes.
  const string = (): boolean => {
    if (text[position] !== '"') return false;
    position += 1;
    while (position < text.length && text.charCodeAt(position) >= 32) {
      if (text[position] === '"') {
        position += 1;
        return true;
      }
      if (text[position] !== '\\') position += 1;
      else if (!match(ESCAPE)) return false;
    }
    return false;
  };
  const take = (character: string): boolean => {
    match(SPACE);
    if (text[position] !== character) return false;
    position += 1;
    return true;
  };
  const name = (): boolean => {
    match(SPACE);
    return string() && take(':');
  };
  /** A value, or the opening of a list or an object. */
  const value = (): 'opened' | 'ended' | 'wrong' => {
    match(SPACE);
    if (take('[')) {
      if (take(']')) return 'ended';
      open.push('[');
      return 'opened';
    }
    if (take('{')) {
      if (take('}')) return 'ended';
      open.push('{');
      return name() ? 'opened' : 'wrong';
    }
    return string() || match(SCALAR) ? 'ended' : 'wrong';
  };
  for (;;) {
    const what = value();
    if (what === 'wrong') return position;
    if (what === 'opened') continue;
    for (;;) {
      const inside = open.at(-1);
      if (inside === undefined) {
        match(SPACE);
        return position === text.length ? null : position;
      }
      if (take(',')) {
        if (inside === '{' && !name()) return position;
        break;
      }
      if (!take(inside === '{' ? '}' : ']')) return position;
      open.pop();
    }
  }
}

/** Line and column, from 1, of a character of a text. */
export function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const lines = before.split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}
