/** The structure of a page of HTML: its elements with what styles them, without texts and addresses. */

/** Bounds for hostile mail; the head of a page tells templates apart. */
const MAX_CHARACTERS = 100_000;
const MAX_ELEMENTS = 300;
const ELEMENT = /<([a-z][a-z0-9:]{0,20})([^<>]{0,2000})/gi;
const STYLE = /\b(?:class|style|width|bgcolor|align)\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+)/gi;

export function structureOf(html: string): string[] {
  const elements: string[] = [];
  for (const [, name = '', attributes = ''] of html.slice(0, MAX_CHARACTERS).matchAll(ELEMENT)) {
    elements.push(
      `${name}${attributes.includes('=') ? (attributes.match(STYLE)?.join(' ') ?? '') : ''}`.toLowerCase(),
    );
    if (elements.length === MAX_ELEMENTS) break;
  }
  return elements;
}
