/**
 * The rule for double clicks: the second click belongs to the control that got the first. A button of a dialog, a menu or
 * a notification often closes it, and what is then under the pointer (a row, Undo, Cancel remaining) was not meant.
 */

/** What may close at the first click. Elsewhere controls may take each other's place, as the tabs that one closes do. */
const OVER_THE_SCREEN = '.pp-dialog, .bp6-overlay, .bp6-popover, [data-toasts]';
const CONTROL = 'button, a, [role="button"], [role^="menuitem"], [role="option"], [role="tab"]';

const controlOf = (target: EventTarget | null): Element | null =>
  target instanceof Element ? target.closest(CONTROL) : null;

/** Swallows second clicks on anything else before another listener sees them. Returns the unlisten. */
export function guardSecondClicks(): () => void {
  /** The control over the screen that got the first click. */
  let first: Element | null = null;
  let isMeant = true;
  const filter = (event: MouseEvent) => {
    const { type, target, detail } = event;
    if (type === 'mousedown') {
      const control = controlOf(target);
      if (detail < 2) first = control?.closest(OVER_THE_SCREEN) ? control : null;
      isMeant = detail < 2 || first === null || first === control;
    }
    if (isMeant) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  const types = ['mousedown', 'mouseup', 'click', 'dblclick'] as const;
  for (const type of types) window.addEventListener(type, filter, true);
  return () => {
    for (const type of types) window.removeEventListener(type, filter, true);
  };
}
