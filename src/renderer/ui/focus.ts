/**
 * Where the focus goes when what had it is gone. It never falls to the page: a menu, dialog or palette that closes gives
 * it back at once; what vanished with the focus in it gives it to its neighbour, or to where it was before; a screen
 * that comes to the front takes it with its grid, its first control or its heading.
 */
import { type RefObject, useLayoutEffect, useRef } from 'react';
import { needsFocus } from './scroll-stop.ts';

const CONTROL =
  'button:not(:disabled), a[href], input:not(:disabled), select:not(:disabled), textarea:not(:disabled), [tabindex]:not([aria-hidden="true"])';
/** What the component library focuses so that Tab stays in a layer; nobody's place. */
const OVERLAY_TRAP = '.bp6-overlay-start-focus-trap, .bp6-overlay-end-focus-trap';
const TRAP = `${OVERLAY_TRAP}, .ag-tab-guard`;
/** Layers that hold the focus, closing ones left out. */
const LAYER =
  '.bp6-overlay-open .bp6-dialog, .bp6-overlay-open .pp-menu-box, .pp-portal-menu, .pp-palette, .pp-lost';
const CLOSING = '.bp6-overlay:not(.bp6-overlay-open)';
const SCREEN = '.pp-screen';

const isShown = (node: Element) => !('checkVisibility' in node) || node.checkVisibility();

const canFocus = (node: Element | null | undefined): node is HTMLElement =>
  node instanceof HTMLElement &&
  node.isConnected &&
  node !== document.body &&
  !node.matches(`:disabled, ${TRAP}`) &&
  node.closest(CLOSING) === null &&
  isShown(node);

const isNowhere = (): boolean => {
  const { activeElement } = document;
  return activeElement === null || activeElement === document.body || activeElement.matches(TRAP);
};

/** Grids, by the element around them: how the row that was last in focus gets it again. false: there is none. */
const grids = new WeakMap<Element, () => boolean>();

/** `isReady`: it has rows. Asked first, as whether it shows is known only when the whole window is laid out. */
export const setGridFocus = (element: Element, isReady: () => boolean, focus: () => boolean): void =>
  void grids.set(element, () => isReady() && isShown(element) && focus());

export const screenInFront = (): HTMLElement | null =>
  document.querySelector<HTMLElement>(`${SCREEN}[data-front]`);

/** `closing`: what is inside of a layer that counts no longer, though it may still be drawn. */
const topLayer = (closing: Element | null = null): HTMLElement | null =>
  [...document.querySelectorAll<HTMLElement>(LAYER)].findLast((layer) => !layer.contains(closing)) ?? null;

function focusOn(node: HTMLElement): boolean {
  node.focus({ preventScroll: true });
  return document.activeElement === node;
}

/** The grid of a screen that had the focus last, by the screen. */
const lastGrids = new WeakMap<Element, WeakRef<Element>>();

function focusGrid(within: Element): boolean {
  const before = lastGrids.get(within)?.deref();
  const all = [
    ...(before && within.contains(before) ? [before] : []),
    ...within.querySelectorAll('.pp-grid'),
  ];
  return all.some((grid) => grids.get(grid)?.() ?? false);
}

/** The first control inside that can have the focus; a grid gives it to its row. */
export function focusInside(within: Element): boolean {
  if (canFocus(within) && within.matches(CONTROL)) return focusOn(within);
  if (within.matches('.pp-grid')) return grids.get(within)?.() ?? false;
  for (const control of within.querySelectorAll(CONTROL)) {
    const grid = control.closest('.pp-grid');
    if (grid !== null && grids.get(grid)?.()) return true;
    if (canFocus(control) && control.matches(':not([tabindex="-1"])') && focusOn(control)) return true;
  }
  return false;
}

function focusHeading(within: Element): boolean {
  const heading = within.querySelector<HTMLElement>('[data-first-focus], h1');
  if (heading === null || !isShown(heading)) return false;
  if (!heading.matches(CONTROL)) heading.tabIndex = -1;
  return focusOn(heading);
}

const SOON_MS = 10_000;
let stopWaiting = () => {};

/** Goes on from the screen to its heading, and to its grid, as they are drawn; ends when the focus is taken elsewhere. */
function whenDrawn(within: HTMLElement, headingToo: boolean): void {
  let from = document.activeElement;
  const observer = new MutationObserver(() => {
    const { activeElement } = document;
    if ((activeElement !== from && !isNowhere()) || !within.isConnected || focusGrid(within)) stopWaiting();
    else if (headingToo && activeElement === within && focusHeading(within)) from = document.activeElement;
  });
  const timer = setTimeout(() => stopWaiting(), SOON_MS);
  stopWaiting = () => {
    observer.disconnect();
    clearTimeout(timer);
  };
  observer.observe(within, { childList: true, subtree: true });
}

/**
 * Puts the focus where work goes on in a screen: its grid; else `[data-first-focus]` or the heading; else the screen
 * itself, until one of these is drawn. `within`: a part of it.
 */
export function focusWork(within: HTMLElement | null = screenInFront()): void {
  stopWaiting();
  if (within === null || focusGrid(within)) return;
  if (!focusHeading(within)) focusOn(within);
  whenDrawn(within, true);
}

/** Puts the focus into the rows that are being asked for, as soon as they are drawn. */
export function focusRows(within: HTMLElement | null = screenInFront()): void {
  stopWaiting();
  if (within === null || focusGrid(within)) return;
  focusOn(within);
  whenDrawn(within, false);
}

/** The last places of the focus, the newest last, with the grid that each was in: it may draw its rows anew. */
const MOST_PLACES = 16;
let trail: { place: WeakRef<HTMLElement>; grid: WeakRef<Element> | null }[] = [];

interface Place {
  element: HTMLElement;
  /** From its parent up to the page, each with which of its children the place was in. */
  above: { element: Element; at: number }[];
}
let last: Place | null = null;

function remember(element: HTMLElement): void {
  const above: Place['above'] = [];
  for (let node: Element = element; node.parentElement !== null; node = node.parentElement)
    above.push({ element: node.parentElement, at: [...node.parentElement.children].indexOf(node) });
  last = { element, above };
  const grid = element.closest('.pp-grid');
  const screen = element.closest(SCREEN);
  if (grid && screen) lastGrids.set(screen, new WeakRef(grid));
  // A screen has the focus until something in it is drawn; that is no place to come back to.
  if (element.matches(SCREEN)) return;
  trail = [
    ...trail.filter(({ place }) => place.deref() !== element),
    { place: new WeakRef(element), grid: grid && new WeakRef(grid) },
  ].slice(-MOST_PLACES);
}

const NEAR = 5;

/** What now stands where the lost element stood, a few floors up at most. */
function focusNeighbour({ above }: Place, within: Element): boolean {
  const near = above.findIndex(({ element }) => element.isConnected && isShown(element));
  const place = above[near];
  if (place === undefined || near > NEAR || !within.contains(place.element) || place.element === within)
    return false;
  const { children } = place.element;
  const instead = children[Math.min(place.at, children.length - 1)];
  return (instead !== undefined && focusInside(instead)) || focusInside(place.element);
}

/** Gives the focus a place again, when it has none. */
function restoreFocus(closing: Element | null = null): void {
  const layer = topLayer(closing);
  const front = screenInFront();
  const lost = last;
  // A grid whose rows were drawn anew knows which of them it was.
  const grid = lost?.above.find(({ element }) => element.matches('.pp-grid'))?.element;
  if (grid && (layer ?? front)?.contains(grid) && grids.get(grid)?.()) return;
  if (layer !== null) {
    if (!(lost && focusNeighbour(lost, layer))) focusInside(layer);
    return;
  }
  const screen = lost?.above.find(({ element }) => element.matches(SCREEN))?.element;
  if (front === null) return;
  // A screen that went takes its focus with it.
  if (screen !== undefined && screen !== front) {
    focusWork(front);
    return;
  }
  if (lost && screen === front && focusNeighbour(lost, front)) return;
  for (const before of trail.toReversed()) {
    const element = before.place.deref();
    const rows = before.grid?.deref();
    if (canFocus(element)) {
      const at = element.closest(SCREEN);
      if (!closing?.contains(element) && (at === null || at === front) && focusOn(element)) return;
    } else if (rows && front.contains(rows) && grids.get(rows)?.()) return;
  }
  focusWork(front);
}

/** The focus is nowhere, and not because somebody pressed beside the controls. */
const isLost = () => isNowhere() && document.hasFocus() && (last === null || !canFocus(last.element));
const restoreIfLost = () => {
  if (isLost()) restoreFocus();
};

/** For what draws itself anew without React: an element that goes with the focus does not tell. */
export const restoreWhenDrawn = (): void => void requestAnimationFrame(restoreIfLost);

/** Tab past an end of a layer goes on at its other end: the library leaves it on what nobody sees for two more. */
function stepOver(trap: HTMLElement, from: EventTarget | null): void {
  if (!(from instanceof HTMLElement) || !from.matches(OVERLAY_TRAP)) return;
  const controls = [...(trap.parentElement?.querySelectorAll<HTMLElement>(CONTROL) ?? [])].filter(
    (one) => one.tabIndex >= 0 && canFocus(one) && !one.matches('.bp6-dialog-container'),
  );
  controls.at(trap.matches('.bp6-overlay-start-focus-trap') ? 0 : -1)?.focus();
}

/** Keeps the focus from falling to the page; once per window. Returns the unlisten. */
export function keepFocus(): () => void {
  const onFocus = ({ target, relatedTarget }: FocusEvent) => {
    if (target instanceof HTMLElement && target.matches(OVERLAY_TRAP)) stepOver(target, relatedTarget);
    if (target instanceof HTMLElement && !target.matches(TRAP) && target !== document.body) remember(target);
  };
  const onBlur = ({ relatedTarget }: FocusEvent) => {
    if (relatedTarget === null) requestAnimationFrame(restoreIfLost);
  };
  const onKey = () => {
    restoreIfLost();
    requestAnimationFrame(restoreIfLost);
  };
  document.addEventListener('focusin', onFocus);
  document.addEventListener('focusout', onBlur);
  window.addEventListener('keydown', onKey, true);
  return () => {
    document.removeEventListener('focusin', onFocus);
    document.removeEventListener('focusout', onBlur);
    window.removeEventListener('keydown', onKey, true);
  };
}

function giveBack(from: HTMLElement | null, box: Element | null): void {
  const { activeElement } = document;
  // A dialog that the layer opened, or a field that somebody went on to, keeps it.
  if (!isNowhere() && !box?.contains(activeElement) && activeElement?.closest(CLOSING) === null) return;
  const layer = topLayer(box);
  if (canFocus(from) && (layer === null || layer.contains(from))) focusOn(from);
  else restoreFocus(box);
}

/**
 * While a layer is open it may have the focus; as it closes, what had it before has it again, in the same moment and not
 * at the end of its animation: what is typed next goes where work goes on. `box`: the layer, as far as it is drawn.
 */
export function useFocusReturn(isOpen: boolean, box: RefObject<HTMLElement | null>): void {
  const from = useRef<HTMLElement | null>(null);
  const was = useRef(false);
  // As it is drawn, before anything inside takes the focus.
  if (isOpen && !was.current) from.current = isNowhere() ? null : (document.activeElement as HTMLElement);
  was.current = isOpen;
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    const { current: place } = from;
    return () => {
      const layer = box.current;
      queueMicrotask(() => giveBack(place, layer));
      // In the next frame the component library may pull it back into what it is about to remove.
      requestAnimationFrame(() => requestAnimationFrame(() => giveBack(place, layer)));
    };
  }, [isOpen, box]);
}

/**
 * Focuses the first field in the body of a dialog or drawer, else what `otherwise` finds there, else what can only be
 * scrolled, else what closes it. What has the focus in it already keeps it: whoever types fast must not go on in another
 * field. `box`: the start of its parts' class names.
 */
export const focusFirst =
  (box: 'pp-dialog' | 'pp-drawer', otherwise?: string) =>
  (root: HTMLElement): void => {
    // The library makes a stop for Tab of the layer itself.
    if (root.tabIndex === 0) root.tabIndex = -1;
    const held = document.activeElement?.closest(`.${box}-body, .${box}-footer, .${box}-header`);
    if (held && root.contains(held)) return;
    const field = root.querySelector<HTMLElement>(`.${box}-body :is(input, textarea, select):not(:disabled)`);
    const other = otherwise === undefined ? null : root.querySelector<HTMLElement>(otherwise);
    const body = root.querySelector<HTMLElement>(`.${box}-body`);
    const scrolls = body !== null && needsFocus(body);
    // As scrollStop would when it comes to it.
    if (scrolls) body.tabIndex = 0;
    (field ?? other ?? (scrolls ? body : root.querySelector<HTMLElement>(`.${box}-header button`)))?.focus();
  };
