/** What draws letters in another order than they are written: `<bdo>`, and `unicode-bidi` in CSS. */

const COMMENT = /\/\*[\s\S]*?(?:\*\/|$)/g;
/** Longer ones are cut, and longer declarations are not read. */
const MAX_SELECTOR = 2_000;
const MAX_DECLARATIONS = 10_000;
const OVERRIDE = /unicode-bidi\s*:\s*(?:bidi|isolate)-override/i;
const DIRECTION = /(?:^|[\s;])direction\s*:\s*(rtl|ltr)/i;

/** Ends an override in a text. */
export const OVERRIDE_END = '\u202c';

export interface OverrideRule {
  selector: string;
  /** The direction that it sets with it, or null. */
  direction: string | null;
}

export const MAX_OVERRIDES = 300;

/** The rules of a style sheet that draw letters in another order. Linear. */
export function overrideRules(css: string): OverrideRule[] {
  if (!/-override/i.test(css)) return [];
  const blocks = css.replace(COMMENT, '').split('}').slice(0, -1);
  return blocks.flatMap((block) => {
    const [declarations = '', selector = ''] = block.split('{').reverse();
    return selector !== '' && declarations.length <= MAX_DECLARATIONS && OVERRIDE.test(declarations)
      ? [{ selector: selector.slice(-MAX_SELECTOR).trim(), direction: declaredDirection(declarations) }]
      : [];
  });
}

/** What decides how the text of one element is drawn, besides its name. */
interface Order {
  dir: string | null | undefined;
  style: string;
  /** The direction that the rules for it set together, or undefined if no rule is for it. */
  byRules: string | null | undefined;
}

/**
 * The character that overrides the order of a text as this element does; '' if it does not. `inherited` is the
 * direction of its parent.
 */
export function overrideOf(name: string, order: Order, inherited: string): string {
  if (name !== 'bdo' && order.byRules === undefined && !OVERRIDE.test(order.style.replace(COMMENT, '')))
    return '';
  return (directionOf(order) ?? inherited) === 'rtl' ? '\u202e' : '\u202d';
}

/** The direction that an element sets, or null. */
export const directionOf = ({ dir, style, byRules }: Order): string | null =>
  byRules ??
  declaredDirection(style.replace(COMMENT, '')) ??
  (/^(?:rtl|ltr)$/i.exec(dir ?? '')?.[0].toLowerCase() || null);

function declaredDirection(declarations: string): string | null {
  return DIRECTION.exec(declarations)?.[1]?.toLowerCase() ?? null;
}
