import { type RefObject, useEffect, useRef } from 'react';
import { openDialogs } from './open-dialogs.ts';

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

const isConfirm = (event: KeyboardEvent) => event.key === 'Enter' && (event.ctrlKey || event.metaKey);

/** Ctrl Enter (or Cmd Enter) anywhere inside. */
export function useConfirmKey(ref: RefObject<HTMLElement | null>, onConfirm: (() => void) | undefined): void {
  useListeners(ref, {
    keydown: (event) => {
      if (!isConfirm(event) || !onConfirm) return;
      event.preventDefault();
      event.stopPropagation();
      onConfirm();
    },
  });
}

/**
 * Ctrl Enter in the topmost dialog, wherever the focus is: a closing menu or a removed control leaves the focus on the
 * overlay or the page for a moment, and the key must work then too.
 */
export function useDialogConfirmKey(
  ref: RefObject<HTMLElement | null>,
  onConfirm: (() => void) | undefined,
): void {
  const latest = useRef(onConfirm);
  latest.current = onConfirm;
  useEffect(() => {
    const run = (event: KeyboardEvent) => {
      if (!isConfirm(event) || !latest.current) return;
      const top = openDialogs().at(-1);
      if (!top || !ref.current || !top.contains(ref.current)) return;
      event.preventDefault();
      event.stopPropagation();
      latest.current();
    };
    document.addEventListener('keydown', run, true);
    return () => document.removeEventListener('keydown', run, true);
  }, [ref]);
}
