/**
 * Restores focus when the focused element disappears. Focus never falls back to the page: a closing menu, dialog or
 * palette returns it at once; a removed element passes it to its neighbour or to the previous place; a screen that
 * comes to the front focuses its grid, its first control or its heading.
 */
import { type RefObject, useLayoutEffect, useRef } from 'react';
import { needsFocus } from './grid/scroll-stop.ts';

const CONTROL =
  'button:not(:disabled), a[href], input:not(:disabled), select:not(:disabled), textarea:not(:disabled), [tabindex]:not([aria-hidden="true"])';
/** Focus traps of the component library, which do not count as a place of the focus. */
const OVERLAY_TRAP = '.bp6-overlay-start-focus-trap, .bp6-overlay-end-focus-trap';
const TRAP = `${OVERLAY_TRAP}, .ag-tab-guard`;
/** Open layers that contain the focus, excluding closing ones. */
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

/** Grids by their wrapper element: refocuses the last focused row. False if there is none. */
const grids = new WeakMap<Element, () => boolean>();

/** `isReady` says that it has rows; asked first, because checking visibility forces a layout of the whole window. */
export const setGridFocus = (element: Element, isReady: () => boolean, focus: () => boolean): void =>
  void grids.set(element, () => isReady() && isShown(element) && focus());

export const screenInFront = (): HTMLElement | null =>
  document.querySelector<HTMLElement>(`${SCREEN}[data-front]`);

/** `closing` is a layer to ignore although it may still be rendered. */
const topLayer = (closing: Element | null = null): HTMLElement | null =>
  [...document.querySelectorAll<HTMLElement>(LAYER)].findLast((layer) => !layer.contains(closing)) ?? null;

let isMoving = false;

/** Whether the window itself moves the focus, to a place where it stays only until something better is drawn. */
export const isFocusMoving = (): boolean => isMoving;

function focusOn(node: HTMLElement): boolean {
  isMoving = true;
  node.focus({ preventScroll: true });
  isMoving = false;
  return document.activeElement === node;
}

const lastGrids = new WeakMap<Element, WeakRef<Element>>();

function focusGrid(within: Element): boolean {
  const before = lastGrids.get(within)?.deref();
  const all = [
    ...(before && within.contains(before) ? [before] : []),
    ...within.querySelectorAll('.pp-grid'),
  ];
  return all.some((grid) => grids.get(grid)?.() ?? false);
}

/** The first focusable control inside; for a grid, its row. */
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

/** Moves the focus from the screen to its heading or grid once rendered; stops if the focus moves elsewhere. */
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
 * Focuses the main control of a screen: its grid; else `[data-first-focus]` or the heading; else the screen
 * itself until one of these is rendered. `within` is a part of the screen.
 */
export function focusWork(within: HTMLElement | null = screenInFront()): void {
  stopWaiting();
  if (within === null || focusGrid(within)) return;
  if (!focusHeading(within)) focusOn(within);
  whenDrawn(within, true);
}

export function focusRows(): void {
  stopWaiting();
  const within = screenInFront();
  if (within === null || focusGrid(within)) return;
  focusOn(within);
  whenDrawn(within, false);
}

/** Moves from a search box to its results: the grid's rows, else the first card. False if there are no results. */
export function focusFound(): boolean {
  stopWaiting();
  const within = screenInFront();
  if (within === null) return false;
  if (focusGrid(within)) return true;
  const item = within.querySelector<HTMLElement>('[data-item]');
  return canFocus(item) && focusOn(item);
}

/** Focus history, the newest last, each with its grid, which may redraw its rows. */
const MOST_PLACES = 16;
let trail: { place: WeakRef<HTMLElement>; grid: WeakRef<Element> | null }[] = [];

interface Place {
  element: HTMLElement;
  /** Ancestors up to the page, each with the index of the child that contained the element. */
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
  // A screen holds the focus only until its content is rendered; it is not a place to return to.
  if (element.matches(SCREEN)) return;
  trail = [
    ...trail.filter(({ place }) => place.deref() !== element),
    { place: new WeakRef(element), grid: grid && new WeakRef(grid) },
  ].slice(-MOST_PLACES);
}

const NEAR = 5;

/** The element now at the position of the lost one, at most a few levels up. */
function focusNeighbour({ above }: Place, within: Element): boolean {
  const near = above.findIndex(({ element }) => element.isConnected && isShown(element));
  const place = above[near];
  if (place === undefined || near > NEAR || !within.contains(place.element) || place.element === within)
    return false;
  const { children } = place.element;
  const instead = children[Math.min(place.at, children.length - 1)];
  return (instead !== undefined && focusInside(instead)) || focusInside(place.element);
}

/** Restores the focus if it is lost. */
function restoreFocus(closing: Element | null = null): void {
  const layer = topLayer(closing);
  const front = screenInFront();
  const lost = last;
  // A grid that redrew its rows knows which one was focused.
  const grid = lost?.above.find(({ element }) => element.matches('.pp-grid'))?.element;
  if (grid && (layer ?? front)?.contains(grid) && grids.get(grid)?.()) return;
  if (layer !== null) {
    if (!(lost && focusNeighbour(lost, layer))) focusInside(layer);
    return;
  }
  const screen = lost?.above.find(({ element }) => element.matches(SCREEN))?.element;
  if (front === null) return;
  // If the screen that had the focus is no longer in front, the new front screen takes it.
  if (screen !== undefined && screen !== front) {
    focusWork(front);
    return;
  }
  if (lost && screen === front && focusNeighbour(lost, front)) return;
  for (const before of trail.toReversed()) {
    const element = before.place.deref();
    const rows = before.grid?.deref();
    if (canFocus(element)) {
      const screen = element.closest(SCREEN);
      if (!closing?.contains(element) && (screen === null || screen === front) && focusOn(element)) return;
    } else if (rows && front.contains(rows) && grids.get(rows)?.()) return;
  }
  focusWork(front);
}

/** Whether the focus was lost other than by clicking beside the controls. */
const isLost = () => isNowhere() && document.hasFocus() && (last === null || !canFocus(last.element));
const restoreIfLost = () => {
  if (isLost()) restoreFocus();
};

/** For content redrawn without React: removing a focused element fires no event. */
export const restoreWhenDrawn = (): void => void requestAnimationFrame(restoreIfLost);

/** Wraps Tab inside a layer: the library would leave the focus on invisible elements for two more presses. */
function stepOver(trap: HTMLElement, from: EventTarget | null): void {
  if (!(from instanceof HTMLElement) || !from.matches(OVERLAY_TRAP)) return;
  const controls = [...(trap.parentElement?.querySelectorAll<HTMLElement>(CONTROL) ?? [])].filter(
    (element) => element.tabIndex >= 0 && canFocus(element) && !element.matches('.bp6-dialog-container'),
  );
  controls.at(trap.matches('.bp6-overlay-start-focus-trap') ? 0 : -1)?.focus();
}

/** Prevents the focus from falling back to the page; once per window. Returns the unlisten. */
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
  // A dialog opened by the layer, or a field that the user moved to, keeps the focus.
  if (!isNowhere() && !box?.contains(activeElement) && activeElement?.closest(CLOSING) === null) return;
  const layer = topLayer(box);
  if (canFocus(from) && (layer === null || layer.contains(from))) from.focus({ preventScroll: true });
  else restoreFocus(box);
}

const placeNow = (): HTMLElement | null =>
  !isNowhere() && document.activeElement instanceof HTMLElement ? document.activeElement : null;

/**
 * Returns the focus to the previous element when a layer closes: synchronously, not
 * at the end of its animation, so that the next keystroke arrives there. `box` is the layer, if rendered.
 */
export function useFocusReturn(isOpen: boolean, box: RefObject<HTMLElement | null>): void {
  const from = useRef<HTMLElement | null>(null);
  const was = useRef(false);
  // On mount, before anything inside takes the focus.
  if (isOpen && !was.current) from.current = placeNow();
  was.current = isOpen;
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    const { current: place } = from;
    return () => {
      const layer = box.current;
      queueMicrotask(() => giveBack(place, layer));
      // In the next frame, the component library may pull the focus back into the layer it is about to remove.
      requestAnimationFrame(() => requestAnimationFrame(() => giveBack(place, layer)));
    };
  }, [isOpen, box]);
}

/**
 * Focuses the first field in the body of a dialog or drawer, else the match of `otherwise`, else the body if it must be
 * scrolled, else the close button. An element inside that is already focused keeps the focus, so that fast typing does
 * not end up in another field. `box` is the prefix of the class names of its parts.
 */
export const focusFirst =
  (box: 'pp-dialog' | 'pp-drawer', otherwise?: string) =>
  (root: HTMLElement): void => {
    // The library puts the layer itself into the tab order.
    if (root.tabIndex === 0) root.tabIndex = -1;
    // A closing menu may have passed the focus to the close button.
    const held = document.activeElement?.closest(`.${box}-body, .${box}-footer, .${box}-header input`);
    if (held && root.contains(held)) return;
    const field = root.querySelector<HTMLElement>(`.${box}-body :is(input, textarea, select):not(:disabled)`);
    const other = otherwise === undefined ? null : root.querySelector<HTMLElement>(otherwise);
    const body = root.querySelector<HTMLElement>(`.${box}-body`);
    const scrolls = body !== null && needsFocus(body);
    // As scrollStop does.
    if (scrolls) body.tabIndex = 0;
    (field ?? other ?? (scrolls ? body : root.querySelector<HTMLElement>(`.${box}-header button`)))?.focus();
  };
