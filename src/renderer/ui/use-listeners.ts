import { type RefObject, useEffect, useRef } from 'react';

type Listeners = Partial<{ [K in keyof HTMLElementEventMap]: (event: HTMLElementEventMap[K]) => void }>;

/** Native listeners on an element that only contains others: what bubbles up from the controls inside it. */
export function useListeners(ref: RefObject<HTMLElement | null>, listeners: Listeners, active = true): void {
  const latest = useRef(listeners);
  latest.current = listeners;
  useEffect(() => {
    const node = ref.current;
    if (!node || !active) return undefined;
    const types = Object.keys(latest.current) as (keyof HTMLElementEventMap)[];
    const run = (event: Event) => {
      const listener = latest.current[event.type as keyof HTMLElementEventMap] as
        | ((event: Event) => void)
        | undefined;
      listener?.(event);
    };
    for (const type of types) node.addEventListener(type, run);
    return () => {
      for (const type of types) node.removeEventListener(type, run);
    };
  }, [ref, active]);
}

/** Ctrl Enter (or Cmd Enter) anywhere inside. */
export function useConfirmKey(ref: RefObject<HTMLElement | null>, onConfirm: (() => void) | undefined): void {
  useListeners(ref, {
    keydown: (event) => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || !onConfirm) return;
      event.preventDefault();
      event.stopPropagation();
      onConfirm();
    },
  });
}
