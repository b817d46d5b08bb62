import { type RefObject, useEffect, useRef } from 'react';
import { chordOf } from './chord.ts';
import { openDialogs } from './open-dialogs.ts';

type Listeners = Partial<{ [K in keyof HTMLElementEventMap]: (event: HTMLElementEventMap[K]) => void }>;

/** Native listeners on a container, for events that bubble up from its controls. */
export function useListeners(ref: RefObject<HTMLElement | null>, listeners: Listeners): void {
  const latest = useRef(listeners);
  latest.current = listeners;
  useEffect(() => {
    const node = ref.current;
    if (!node) return undefined;
    const types = Object.keys(latest.current);
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
  }, [ref]);
}

const isConfirm = (event: KeyboardEvent) => /^Ctrl\+(?:Shift\+)?Enter$/.test(chordOf(event));

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
 * Ctrl Enter and Escape in the topmost dialog, regardless of focus: a closing menu, a removed control or a busy button
 * leaves the focus on the overlay or the page, where the keys must still work.
 */
export function useDialogKeys(
  ref: RefObject<HTMLElement | null>,
  onConfirm: (() => void) | undefined,
  onClose: () => void,
): void {
  const latest = useRef({ onConfirm, onClose });
  latest.current = { onConfirm, onClose };
  useEffect(() => {
    const run = (event: KeyboardEvent) => {
      // Inside the dialog, the overlay handles Escape itself, after inner layers.
      const lost = event.target === document.body || event.target === document.documentElement;
      const act = isConfirm(event)
        ? latest.current.onConfirm
        : event.key === 'Escape' && lost
          ? latest.current.onClose
          : undefined;
      if (!act) return;
      const top = openDialogs().at(-1);
      if (!top || !ref.current || !top.contains(ref.current)) return;
      event.preventDefault();
      event.stopPropagation();
      act();
    };
    document.addEventListener('keydown', run, true);
    return () => document.removeEventListener('keydown', run, true);
  }, [ref]);
}
