/** How deep JSON from elsewhere may be nested: checked before it is parsed, for whoever reads it recurses. */

/** Levels of lists and objects in one another. SQLite reads 1 000; no answer of a service has more than a dozen. */
export const MOST_LEVELS = 200;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Whether JSON, as text or in UTF-8, opens more levels than `most`. Never throws, whatever the text is. */
export function isTooDeep(json: string | Uint8Array, most = MOST_LEVELS): boolean {
  let level = 0;
  let isText = false;
  for (let at = 0; at < json.length; at++) {
    const code = typeof json === 'string' ? json.charCodeAt(at) : json[at];
    if (isText) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) isText = false;
    } else if (code === QUOTE) isText = true;
    else if (code === 0x5b || code === 0x7b) {
      level++;
      if (level > most) return true;
    } else if (code === 0x5d || code === 0x7d) level--;
  }
  return false;
}
