import { type RefCallback, type RefObject, useCallback } from 'react';

const CONTROL = 'button, a[href], input, select, textarea, [tabindex]';

/** Whether the element itself needs the focus to be scrollable by keys. */
export function needsFocus(box: HTMLElement): boolean {
  const overflows = box.scrollHeight > box.clientHeight + 1 || box.scrollWidth > box.clientWidth + 1;
  return overflows && box.querySelector(CONTROL) === null;
}

/**
 * A `ref` for scroll containers: adds a tab stop while they overflow and contain no control, so that keys can scroll
 * them. Chromium and Firefox do this by themselves; other browsers and assistive technology need the attribute.
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
  // Marks the element for the tests: whether it overflows depends on the fonts.
  box.dataset['scrollStop'] = '';
  observeAll();
  parts.observe(box, { childList: true });
  return () => {
    sizes.disconnect();
    parts.disconnect();
  };
}

/** The same for elements that already have a ref. */
export function useScrollStop(scroller: RefObject<HTMLDivElement | null>): RefCallback<HTMLDivElement> {
  return useCallback(
    (box) => {
      scroller.current = box;
      const stop = scrollStop(box);
      return () => {
        scroller.current = null;
        stop?.();
      };
    },
    [scroller],
  );
}
