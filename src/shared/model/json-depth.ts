/** How deep JSON from elsewhere may be nested. Looked at before it is parsed: what walks such values walks by calls. */

/** Levels of lists and objects in one another. SQLite reads 1 000; no answer of a service has more than a dozen. */
export const MOST_LEVELS = 200;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Whether JSON in UTF-8 opens more levels than that. Reads what is no JSON to its end as well; never throws. */
export function isTooDeep(bytes: Uint8Array, most = MOST_LEVELS): boolean {
  let level = 0;
  let isText = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (isText) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) isText = true;
    else if (byte === 0x5b || byte === 0x7b) {
      level++;
      if (level > most) return true;
    } else if (byte === 0x5d || byte === 0x7d) level--;
  }
  return false;
}
