// XML 1.0 has no form for these, not even an escape.
const NOT_XML = /[^\t\n\r\u{20}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** A text between tags of a picture (SVG): escaped, with U+FFFD for what would make the whole file unreadable. */
export const xmlText = (text: string): string =>
  text
    .toWellFormed()
    .replace(NOT_XML, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
