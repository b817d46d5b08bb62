import { dictionary } from '#shared/dictionary.ts';

/**
 * Tooltips of controls marked with `tip(…)`, shown on hover and on keyboard focus. One
 * element serves the whole window: a component per button took a third of a screen's rendering time.
 */
const OPEN_AFTER_MS = 400;
const GAP = 4;
const EDGE = 8;

/** Keys whose names in `aria-keyshortcuts` differ from ours. */
const KEYS: Readonly<Record<string, string>> = dictionary({
  Ctrl: 'Control',
  Esc: 'Escape',
  '←': 'ArrowLeft',
  '↑': 'ArrowUp',
  '→': 'ArrowRight',
  '↓': 'ArrowDown',
});

/** The attributes of a control with a tooltip; the control also needs an accessible name. */
export const tip = (label: string, shortcut?: string, side: 'below' | 'right' = 'below') => ({
  'data-tip': shortcut ? `${label} (${shortcut})` : label,
  'aria-keyshortcuts': shortcut
    ?.split(' ')
    .map((key) => KEYS[key] ?? key)
    .join('+'),
  ...(side === 'right' ? { 'data-tip-side': side } : {}),
});

const anchorOf = ({ target }: Event): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>('[data-tip]:not(:disabled)') : null;

function place(box: HTMLElement, anchor: HTMLElement): void {
  const bounds = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = box;
  const isRight = anchor.dataset['tipSide'] === 'right';
  const below = bounds.bottom + GAP;
  const left = isRight ? bounds.right + GAP : bounds.left + (bounds.width - width) / 2;
  const top = isRight
    ? bounds.top + (bounds.height - height) / 2
    : below + height + EDGE <= innerHeight
      ? below
      : bounds.top - GAP - height;
  box.style.left = `${Math.max(EDGE, Math.min(left, innerWidth - width - EDGE))}px`;
  box.style.top = `${Math.max(EDGE, top)}px`;
}

/**
 * Starts showing tooltips; returns the cleanup. Escape closes one and propagates to the screen. Hidden from screen
 * readers: the text duplicates the control's accessible name and `aria-keyshortcuts`.
 */
export function showTips(): () => void {
  const box = Object.assign(document.createElement('div'), { className: 'pp-tip', ariaHidden: 'true' });
  box.popover = 'manual';
  let anchor: HTMLElement | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const hide = () => {
    clearTimeout(timer);
    anchor = null;
    gone.disconnect();
    box.remove();
  };
  // Removed, hidden behind another screen, or scrolled away.
  const gone = new IntersectionObserver((entries) => {
    if (entries.some(({ isIntersecting }) => !isIntersecting)) hide();
  });
  const show = (next: HTMLElement) => {
    if (!next.isConnected) return;
    box.textContent = next.dataset['tip'] ?? '';
    (document.querySelector('.pp') ?? document.body).append(box);
    box.showPopover?.();
    place(box, next);
    gone.observe(next);
  };
  const enter = (event: Event) => {
    const next = anchorOf(event);
    if (next === anchor) return;
    hide();
    if (next === null) return;
    anchor = next;
    timer = setTimeout(() => show(next), OPEN_AFTER_MS);
  };
  const stop = new AbortController();
  const on = <K extends keyof WindowEventMap>(type: K, listener: (event: WindowEventMap[K]) => void) =>
    window.addEventListener(type, listener, { capture: true, passive: true, signal: stop.signal });
  on('pointerover', (event) => {
    if (event.pointerType !== 'touch') enter(event);
  });
  on('pointerdown', () => {
    clearTimeout(timer);
    box.remove();
  });
  on('pointerout', ({ relatedTarget }) => {
    if (relatedTarget === null) hide();
  });
  on('focusin', (event) => {
    if (anchorOf(event)?.matches(':focus-visible')) enter(event);
  });
  on('focusout', hide);
  on('keydown', ({ key }) => {
    if (key === 'Escape') hide();
  });
  return () => {
    stop.abort();
    hide();
  };
}
