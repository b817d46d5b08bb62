const LETTERS = /\p{L}/gu;
const FROM_RIGHT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/gu;
/** Number of characters that decide, however long the text is. */
const LOOKED_AT = 200;

/**
 * 'rtl' for a text most of whose letters are right-to-left, so that truncation keeps its beginning visible. The first
 * letter is not enough: "Re:" before an Arabic subject is Latin.
 */
export function directionOf(text: string): 'rtl' | undefined {
  const looked = text.slice(0, LOOKED_AT);
  const fromRight = looked.match(FROM_RIGHT)?.length ?? 0;
  return fromRight > 0 && fromRight * 2 > (looked.match(LETTERS)?.length ?? 0) ? 'rtl' : undefined;
}
