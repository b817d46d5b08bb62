/** Limits the nesting of JSON from outside, checked before parsing, since its consumers are recursive. */

/** Maximum nesting of lists and objects. SQLite allows 1 000; no response of a service has more than a dozen. */
export const MOST_LEVELS = 200;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Whether JSON, as text or UTF-8, is nested more deeply than `most`. Never throws. */
export function isTooDeep(json: string | Uint8Array, most = MOST_LEVELS): boolean {
  let level = 0;
  let isText = false;
  for (let position = 0; position < json.length; position++) {
    const code = typeof json === 'string' ? json.charCodeAt(position) : json[position];
    if (isText) {
      if (code === BACKSLASH) position++;
      else if (code === QUOTE) isText = false;
    } else if (code === QUOTE) isText = true;
    else if (code === 0x5b || code === 0x7b) {
      level++;
      if (level > most) return true;
    } else if (code === 0x5d || code === 0x7d) level--;
  }
  return false;
}
