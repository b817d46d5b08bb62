/**
 * Removes everything from a mail's styles that would load something. The browser's own parser reads them, so that
 * escapes and odd spellings are normalised before anything is judged; the frame's policy is a second line of defence.
 */
import { isRasterData } from './body-blocked.ts';

/** Finds the imports of a style sheet in one pass, skipping comments and strings that only look like imports. */

/** Index after the string that the quote at `start` opens; a string ends at its line end at the latest. */
function afterString(css: string, start: number): number {
  const quote = css[start];
  let end = start + 1;
  while (end < css.length && css[end] !== quote && css[end] !== '\n') end += css[end] === '\\' ? 2 : 1;
  return Math.min(css.length, end + 1);
}

/** Index after the import whose keyword ends at `from`: after its semicolon, or at the next rule. */
function afterImport(css: string, from: number): number {
  let end = from;
  while (end < css.length) {
    const char = css[end];
    if (char === ';') return end + 1;
    if (char === '{' || char === '}') return end;
    if (char === '"' || char === "'") end = afterString(css, end);
    else if (char === '(' && !/["']/.test(css.slice(end + 1).match(/\S/)?.[0] ?? '')) {
      const close = css.indexOf(')', end);
      end = close === -1 ? css.length : close + 1;
    } else end += 1;
  }
  return end;
}

/** Decodes a keyword as the browser does: `@\69mport` is an import, too. */
const unescapeCss = (word: string): string =>
  word.replace(/\\(?:([0-9a-f]{1,6})\s?|(.))/gi, (_, hex: string | undefined, char: string | undefined) =>
    hex === undefined ? (char ?? '') : String.fromCodePoint(Math.min(Number.parseInt(hex, 16), 0x10ffff)),
  );

/** Removes imports and comments from a sheet and counts the imports. */
export function withoutImports(css: string): { text: string; imports: number } {
  if (!css.includes('@')) return { text: css, imports: 0 };
  const parts: string[] = [];
  const mark = /\/\*|["']|@(?:\\[0-9a-f]{1,6}\s?|\\?[-\w])+/gi;
  let imports = 0;
  let from = 0;
  for (let match = mark.exec(css); match !== null; match = mark.exec(css)) {
    const start = match.index;
    if (match[0].startsWith('@') && unescapeCss(match[0]).toLowerCase() !== '@import') continue;
    if (match[0] === '"' || match[0] === "'") {
      mark.lastIndex = afterString(css, start);
      continue;
    }
    parts.push(css.slice(from, start));
    if (match[0] === '/*') {
      const close = css.indexOf('*/', start + 2);
      from = close === -1 ? css.length : close + 2;
    } else {
      imports += 1;
      from = afterImport(css, start + match[0].length);
    }
    mark.lastIndex = from;
  }
  parts.push(css.slice(from));
  return { text: parts.join(' '), imports };
}

/** What a url() may become: a data URL to draw, or null to remove it. Called once per url(). */
type ResolveImage = (url: string) => string | null;

const URL_TOKEN = /url\(\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^)"']*))\s*\)/gi;
const LOADS = /url\(|image-set\(|src\(|image\(|cross-fade\(|element\(/i;
const MAX_CSS = 512 * 1024;

/** A value with its URLs resolved; null if one of them is blocked. */
function safeValue(value: string, resolve: ResolveImage): string | null {
  let blocked = false;
  const out = value.replace(URL_TOKEN, (_, double?: string, single?: string, bare?: string) => {
    const url = resolve(unescapeCss(double ?? single ?? bare ?? '').trim());
    if (url !== null && isRasterData(url)) return `url("${url.replace(/\s/g, '')}")`;
    blocked = true;
    return 'none';
  });
  return blocked ? null : out;
}

/** Removes, in place, the values of a declaration that would load something. */
export function cleanDeclaration(style: CSSStyleDeclaration, resolve: ResolveImage): void {
  for (const name of Array.from(style)) {
    const value = style.getPropertyValue(name);
    // Custom properties keep raw tokens, where an escape can still hide a function's name.
    if (name.startsWith('--') || value === '') {
      if (name.startsWith('--') && !/\\/.test(value) && !LOADS.test(value)) continue;
      style.removeProperty(name);
      continue;
    }
    if (!LOADS.test(value)) continue;
    const safe = safeValue(value, resolve);
    if (safe === null) style.removeProperty(name);
    else style.setProperty(name, safe, style.getPropertyPriority(name));
  }
}

function ruleText(rule: CSSRule, resolve: ResolveImage, onFont: () => void): string {
  if (rule instanceof CSSStyleRule) {
    // Generated content could imitate our own marks.
    if (/:{1,2}(?:before|after|marker|first-l|placeholder|backdrop)|::/i.test(rule.selectorText)) return '';
    cleanDeclaration(rule.style, resolve);
    return `${rule.selectorText}{${rule.style.cssText}}\n`;
  }
  if (rule instanceof CSSMediaRule)
    return `@media ${rule.conditionText}{${rulesText(rule.cssRules, resolve, onFont)}}\n`;
  if (rule instanceof CSSSupportsRule) {
    return `@supports ${rule.conditionText}{${rulesText(rule.cssRules, resolve, onFont)}}\n`;
  }
  if (rule instanceof CSSFontFaceRule) onFont();
  return '';
}

const rulesText = (rules: CSSRuleList, resolve: ResolveImage, onFont: () => void): string =>
  Array.from(rules, (rule) => ruleText(rule, resolve, onFont)).join('');

/** A style sheet as safe text for a style element. `onRemote` is called for each import and font that was removed. */
export function cleanSheet(css: string, resolve: ResolveImage, onRemote: () => void): string {
  // A constructed sheet ignores imports and logs a warning for each.
  const { text, imports } = withoutImports(css.slice(0, MAX_CSS));
  for (let remaining = imports; remaining > 0; remaining -= 1) onRemote();
  const sheet = new CSSStyleSheet();
  try {
    sheet.replaceSync(text);
  } catch {
    return '';
  }
  return rulesText(sheet.cssRules, resolve, onRemote).replaceAll('</', '\\3c /');
}
