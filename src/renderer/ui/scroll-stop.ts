import { type RefCallback, type RefObject, useCallback } from 'react';

const CONTROL = 'button, a[href], input, select, textarea, [tabindex]';

/** Whether keys can scroll it only if it has the focus itself. */
export function needsFocus(box: HTMLElement): boolean {
  const overflows = box.scrollHeight > box.clientHeight + 1 || box.scrollWidth > box.clientWidth + 1;
  return overflows && box.querySelector(CONTROL) === null;
}

/**
 * As the `ref` of what scrolls: a stop for Tab while it overflows and holds no control, so that keys can scroll it.
 * Chromium and Firefox do so by themselves; other browsers, and those who read the page for somebody, need to be told.
 */
export function scrollStop(box: HTMLElement | null): (() => void) | undefined {
  if (box === null) return undefined;
  const sizes = new ResizeObserver(() => {
    if (needsFocus(box)) box.tabIndex = 0;
    else box.removeAttribute('tabindex');
  });
  const observeAll = () => {
    sizes.disconnect();
    for (const part of [box, ...box.children]) sizes.observe(part);
  };
  const parts = new MutationObserver(observeAll);
  // What the tests go by: no font makes each text overflow.
  box.dataset['scrollStop'] = '';
  observeAll();
  parts.observe(box, { childList: true });
  return () => {
    sizes.disconnect();
    parts.disconnect();
  };
}

/** The same for what has a ref of its own. */
export function useScrollStop(own: RefObject<HTMLDivElement | null>): RefCallback<HTMLDivElement> {
  return useCallback(
    (box) => {
      own.current = box;
      const stop = scrollStop(box);
      return () => {
        own.current = null;
        stop?.();
      };
    },
    [own],
  );
}
