/** Elements that end by themselves, or that mail leaves open as a matter of course. */
const OPEN_ENDED =
  /^(?:area|base|br|col|colgroup|dd|dt|embed|frame|hr|img|input|li|link|meta|option|p|param|source|tbody|td|tfoot|th|thead|tr|track|wbr|html|body|head)$/i;
/** The parser takes the square of the time for elements left open within each other. */
const MAX_OPEN = 2000;

/** Whether so many elements stay open that parsing would hold up the window. Linear. */
export function isTooNested(html: string): boolean {
  let open = 0;
  for (const [, slash, name = ''] of html.matchAll(/<(\/?)([a-z][a-z0-9]*)/gi)) {
    if (slash === '/') open = Math.max(0, open - 1);
    else if (!OPEN_ENDED.test(name)) open += 1;
    if (open > MAX_OPEN) return true;
  }
  return false;
}
