/** Keys inside an open menu: arrows, Home, End, Enter, Space, the keys that items show, and their first letters. */
import { chordOf } from '../chord.ts';

const ITEM = '[role="menuitem"], [role="menuitemradio"], [role="menuitemcheckbox"], .bp6-menu-item';
const CONTROL = 'input:not(:disabled), button:not(:disabled), [tabindex="0"]';

export const isOnItem = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest(ITEM) !== null;

const itemsOf = (root: HTMLElement): HTMLElement[] =>
  [...root.querySelectorAll<HTMLElement>(ITEM)].filter(
    (item) => !item.matches('.bp6-disabled, [aria-disabled="true"]'),
  );

/** Focuses the selected or first item of a menu, or its first field or button if it has no items. */
export function focusFirstItem(root: HTMLElement): boolean {
  if (root.contains(document.activeElement)) return true;
  const items = itemsOf(root);
  const first =
    items.find((item) => item.matches('.bp6-selected, [aria-checked="true"]')) ??
    items[0] ??
    root.querySelector<HTMLElement>(CONTROL);
  first?.focus({ preventScroll: true });
  return first != null && document.activeElement === first;
}

const beginsWith = (item: HTMLElement, letter: string) =>
  (item.textContent ?? '').trim().toLowerCase().startsWith(letter);

/** The item that shows this key (kbd.tsx). */
const withKey = (items: readonly HTMLElement[], event: KeyboardEvent) => {
  const keys = chordOf(event).replaceAll('+', ' ');
  return items.find((item) => item.querySelector('kbd')?.getAttribute('aria-label') === keys);
};

export function menuKey(root: HTMLElement, event: KeyboardEvent): boolean {
  const { target, key } = event;
  if (!(target instanceof HTMLElement) || event.ctrlKey || event.metaKey || event.altKey) return false;
  const item = target.closest<HTMLElement>(ITEM);
  const items = itemsOf(root);
  // From a field above the items, arrow down moves to them.
  if (item === null) {
    if (key !== 'ArrowDown' || !target.matches('input') || items.length === 0) return false;
    items[0]?.focus();
    return true;
  }
  if (key === 'Enter' || key === ' ') {
    item.click();
    return true;
  }
  const position = items.indexOf(item);
  const to = { ArrowDown: position + 1, ArrowUp: position - 1, Home: 0, End: items.length - 1 }[key];
  if (to !== undefined) {
    items.at(to % items.length)?.focus();
    return true;
  }
  if (key.length !== 1) return false;
  const named = withKey(items, event);
  if (named !== undefined) {
    named.click();
    return true;
  }
  const letter = key.toLowerCase();
  const next = [...items.slice(position + 1), ...items.slice(0, position + 1)].find((candidate) =>
    beginsWith(candidate, letter),
  );
  next?.focus();
  return true;
}

/**
 * The pointer moves the focus from item to item, as arrows do, so that only one item is highlighted and Enter chooses
 * it. One that merely rests where the menu opened moves nothing.
 */
export function followPointer(event: MouseEvent): void {
  const item = event.target instanceof Element ? event.target.closest<HTMLElement>(ITEM) : null;
  if ((event.movementX === 0 && event.movementY === 0) || !item || !isOnItem(document.activeElement)) return;
  if (!item.matches('.bp6-disabled, [aria-disabled="true"]')) item.focus({ preventScroll: true });
}
