// XML 1.0 has no form for these, not even an escape.
const NOT_XML = /[^\t\n\r\u{20}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** Escapes text content of an SVG; characters that would make the whole file unreadable become U+FFFD. */
export const xmlText = (text: string): string =>
  text
    .toWellFormed()
    .replace(NOT_XML, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
