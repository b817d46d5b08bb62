const LETTERS = /\p{L}/gu;
const FROM_RIGHT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/gu;
/** Enough to tell, however long the text is. */
const LOOKED_AT = 200;

/**
 * 'rtl' for a text most of whose letters are read from the right, so that where it is cut off its beginning is visible.
 * The first letter alone does not tell: "Re:" before an Arabic subject is Latin.
 */
export function directionOf(text: string): 'rtl' | undefined {
  const looked = text.slice(0, LOOKED_AT);
  const fromRight = looked.match(FROM_RIGHT)?.length ?? 0;
  return fromRight > 0 && fromRight * 2 > (looked.match(LETTERS)?.length ?? 0) ? 'rtl' : undefined;
}
