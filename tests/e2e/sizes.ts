/** The supported window sizes, and a check that nothing is cut off or covered. */
import { expect, type Page } from '@playwright/test';

/** In CSS pixels; the last two are a window of 1280 x 800 at 150 % and 200 % zoom. */
export const SIZES = [
  [1024, 700],
  [1280, 800],
  [1920, 1080],
  [853, 533],
  [640, 400],
] as const;

/** Layout problems at the current window size, after the layout has settled. */
export async function wrongAt(page: Page): Promise<string[]> {
  let wrong: string[] = [];
  const look = async () => {
    wrong = await page.evaluate(wrongOnScreen);
    return wrong.length;
  };
  // Grids and maps redraw a moment after a resize.
  await expect
    .poll(look, { timeout: 15_000 })
    .toBe(0)
    .catch(() => undefined);
  return wrong;
}

/** Layout problems, found by geometry. Runs in the page, so it can't use anything of this module. */
function wrongOnScreen(): string[] {
  const problems = new Set<string>();
  const nameOf = (element: Element) =>
    `<${element.tagName.toLowerCase()} ${[...element.classList].slice(0, 3).join('.')}> “${(
      (element as HTMLInputElement).value ||
      element.getAttribute('aria-label') ||
      element.textContent ||
      ''
    )
      .trim()
      .slice(0, 50)}”`;
  const isSeen = (element: Element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
    element.closest(
      '.pp-visually-hidden, .ag-aria-description-container, [inert], .ag-hidden, svg, .bp6-overlay-backdrop',
    ) === null;
  interface Edge {
    around: Element;
    /** Fixed: only the window cuts it off. Scrolls: its content can be reached by scrolling. */
    kind: 'fixed' | 'scrolls' | 'cuts';
    clip: DOMRect;
  }
  const edges = new Map<Element, Edge | null>();
  /** The element or its nearest ancestor that is fixed or doesn't show horizontal overflow. */
  const edgeAt = (around: Element | null): Edge | null => {
    if (around === null) return null;
    const cached = edges.get(around);
    if (cached !== undefined) return cached;
    const { overflowX, position } = getComputedStyle(around);
    const kind: Edge['kind'] =
      position === 'fixed' ? 'fixed' : ['auto', 'scroll'].includes(overflowX) ? 'scrolls' : 'cuts';
    const edge =
      kind === 'cuts' && overflowX === 'visible'
        ? edgeAt(around.parentElement)
        : { around, kind, clip: around.getBoundingClientRect() };
    edges.set(around, edge);
    return edge;
  };
  /** The nearest ancestor that cuts the element off horizontally and doesn't scroll. */
  const cutBy = (element: Element, box: DOMRect): Element | null => {
    let edge = edgeAt(element.parentElement);
    for (; edge !== null && edge.kind !== 'fixed'; edge = edgeAt(edge.around.parentElement)) {
      const { around, kind, clip } = edge;
      if (kind === 'scrolls' || clip.width < 2 || clip.height < 2) return null;
      if (box.left < clip.left - 2 || box.right > clip.right + 2) return around;
    }
    return box.left < -2 || box.right > innerWidth + 2 ? document.body : null;
  };
  const hasWords = (element: Element) =>
    [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim());
  const hasTooltip = (element: Element) => {
    element.dispatchEvent(new PointerEvent('pointerover', { bubbles: true }));
    return element.closest('[title]:not([title=""])') !== null;
  };

  scrollTo(50, 50);
  if (scrollX > 0 || scrollY > 0) problems.add('the page scrolls');

  const bars =
    '.pp-title-bar, .pp-tab-bar, .pp-status-bar, .pp-page-header, .pp-page-header-lead, .pp-page-header-actions, .pp-results-bar, .pp-panel-header, .pp-dialog-header, .pp-dialog-footer, .pp-title-start, .pp-title-end, .en-head, .pp-banners > *';
  for (const bar of document.querySelectorAll(bars)) {
    if (!isSeen(bar)) continue;
    const parts = [...bar.children]
      .filter((part) => isSeen(part) && !['absolute', 'fixed'].includes(getComputedStyle(part).position))
      .map((part) => ({ part, box: part.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0 && box.height > 0);
    for (const [index, part] of parts.entries())
      for (const other of parts.slice(index + 1)) {
        const wide = Math.min(part.box.right, other.box.right) - Math.max(part.box.left, other.box.left);
        const high = Math.min(part.box.bottom, other.box.bottom) - Math.max(part.box.top, other.box.top);
        if (wide > 1 && high > 1) problems.add(`${nameOf(part.part)} overlaps ${nameOf(other.part)}`);
      }
  }

  for (const element of document.querySelectorAll('body *:not(.pp-screen[hidden] *)')) {
    if (!isSeen(element)) continue;
    const box = element.getBoundingClientRect();
    if (box.width === 0 || box.height === 0) continue;
    const style = getComputedStyle(element);
    const isResult =
      element.matches('.pp-verdict-word, .em-auth *, .en-verdict *') && !element.matches('.pp-verdict-code');
    const control = element.matches(
      'button, input, select, textarea, a[href], [role="tab"], [role="switch"]',
    );
    if (control || hasWords(element)) {
      const cut = element.closest('.ag-root') === null ? cutBy(element, box) : null;
      const ellipsis = cut !== null && getComputedStyle(cut).textOverflow === 'ellipsis' && !control;
      if (cut !== null && !(ellipsis && hasTooltip(element)))
        problems.add(`${nameOf(element)} is cut off by ${nameOf(cut).slice(0, 60)}`);
    }
    const cell = isResult ? element.closest('.ag-cell') : null;
    if (cell && box.right > cell.getBoundingClientRect().right + 1)
      problems.add(`the result ${nameOf(element)} is cut off by its cell`);
    const cutsItself =
      (style.overflowX !== 'visible' &&
        !['auto', 'scroll'].includes(style.overflowX) &&
        element.scrollWidth > element.clientWidth + 1) ||
      (style.webkitLineClamp !== 'none' && element.scrollHeight > element.clientHeight + 2);
    if (!cutsItself || (!hasWords(element) && style.textOverflow !== 'ellipsis' && !control)) continue;
    if (isResult) problems.add(`the result ${nameOf(element)} is cut`);
    else if (
      style.textOverflow !== 'ellipsis' &&
      style.webkitLineClamp === 'none' &&
      !element.matches('input')
    )
      problems.add(`${nameOf(element)} is cut without a mark`);
    else if (!hasTooltip(element))
      problems.add(`${nameOf(element)} is cut, and no tooltip has the full text`);
  }
  return [...problems];
}
