/**
 * Keys of the window and of the screen in front. Single keys are off in inputs and under dialogs; what is
 * registered is what the list of keys shows.
 */
import { useLayoutEffect, useRef } from 'react';
import { create } from 'zustand';
import { openDialogs } from '#renderer/ui/open-dialogs.ts';
import { useTab } from './tab-context.ts';

export interface Hotkey {
  /** Chords as "Ctrl+K", "Alt+1", "Shift+X", "J", "?", "Escape", "Space"; several share one action. */
  keys: readonly string[];
  /** For the list; '' keeps it out of the list. */
  text: string;
  group?: string;
  /** Also while typing: chords with Ctrl always are. */
  inInputs?: boolean;
  /** Return false to let the key go on. */
  run: (event: KeyboardEvent) => unknown;
}

const useRegistry = create<{ sets: ReadonlyMap<symbol, readonly Hotkey[]> }>(() => ({ sets: new Map() }));
const running = new Map<symbol, { current: readonly Hotkey[] }>();

/** A key event as a chord. Shift is named with letters and named keys only: "?" is "?", whatever the layout. */
export function chordOf(
  event: Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'> &
    Partial<Pick<KeyboardEvent, 'getModifierState'>>,
): string {
  // Alt changes what a digit types on some layouts; the key itself is meant.
  const digit = event.altKey ? /^Digit(\d)$/.exec(event.code)?.[1] : undefined;
  const key =
    digit ?? (event.key === ' ' ? 'Space' : event.key.length === 1 ? event.key.toUpperCase() : event.key);
  const named = key.length > 1 || /^\p{L}$/u.test(key);
  // Where "[" is typed with AltGr, some systems report it as Ctrl and Alt.
  const third = !named && event.getModifierState?.('AltGraph') === true;
  const parts = [
    ...((event.ctrlKey || event.metaKey) && !third ? ['Ctrl'] : []),
    ...(event.altKey && !third ? ['Alt'] : []),
    ...(event.shiftKey && named ? ['Shift'] : []),
    key,
  ];
  return parts.join('+');
}

const TYPING = 'input, textarea, select, [contenteditable="true"], [role="textbox"]';
const NOT_TYPING = new Set(['checkbox', 'radio', 'button', 'range']);

export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement) || !target.closest(TYPING)) return false;
  return !(target instanceof HTMLInputElement && NOT_TYPING.has(target.type));
}

const underDialog = () => openDialogs().length > 0 || document.querySelector('.pp-palette') !== null;

function handle(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const chord = chordOf(event);
  const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
  const typing = isTyping(event.target);
  // Enter and Space belong to the control that has the focus.
  const onControl =
    (chord === 'Enter' || chord === 'Space') &&
    event.target instanceof HTMLElement &&
    event.target.closest('button, a, [role="menuitem"], summary') !== null;
  if (onControl || underDialog()) return;
  for (const { current } of [...running.values()].reverse()) {
    for (const hotkey of current) {
      if (!hotkey.keys.includes(chord)) continue;
      if (typing && !hotkey.inInputs && (plain || event.altKey)) continue;
      if (hotkey.run(event) === false) continue;
      event.preventDefault();
      return;
    }
  }
}

/**
 * Enter and Space press a control only by themselves. With Ctrl or Alt they are keys of the screen; the component
 * library would press whatever control has the focus all the same, as the key comes up.
 */
function letChordsPressNothing(): () => void {
  let chorded = false;
  const presses = ({ key }: KeyboardEvent) => key === 'Enter' || key === ' ';
  const down = (event: KeyboardEvent) => {
    if (presses(event)) chorded = event.ctrlKey || event.metaKey || event.altKey;
  };
  const up = (event: KeyboardEvent) => {
    if (!presses(event) || !chorded) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  window.addEventListener('keydown', down, true);
  window.addEventListener('keyup', up, true);
  return () => {
    window.removeEventListener('keydown', down, true);
    window.removeEventListener('keyup', up, true);
  };
}

/** Listens for keys; once per window. Returns the unlisten. */
export function listenForKeys(): () => void {
  window.addEventListener('keydown', handle);
  const unlisten = letChordsPressNothing();
  return () => {
    window.removeEventListener('keydown', handle);
    unlisten();
  };
}

/** Keys while this component is shown, and, inside a tab, while the tab is in front. Newer ones come first. */
export function useHotkeys(hotkeys: readonly Hotkey[], enabled = true): void {
  const { isActive } = useTab();
  const on = enabled && isActive;
  const latest = useRef(hotkeys);
  latest.current = hotkeys;
  const listed = hotkeys.map(({ keys, text, group }) => `${keys.join(' ')} ${text} ${group ?? ''}`).join('|');
  // With the paint, not after it: a key pressed as soon as a screen is seen must work.
  useLayoutEffect(() => {
    if (!on) return undefined;
    const id = Symbol(listed);
    running.set(id, latest);
    useRegistry.setState(({ sets }) => ({ sets: new Map(sets).set(id, latest.current) }));
    return () => {
      running.delete(id);
      useRegistry.setState(({ sets }) => {
        const rest = new Map(sets);
        rest.delete(id);
        return { sets: rest };
      });
    };
  }, [on, listed]);
}

/** The keys that work now, by group. */
export function useHotkeyList(): Map<string, Hotkey[]> {
  const sets = useRegistry((store) => store.sets);
  const groups = new Map<string, Hotkey[]>();
  for (const set of sets.values()) {
    for (const hotkey of set) {
      if (!hotkey.text) continue;
      const group = hotkey.group ?? 'This screen';
      groups.set(group, [...(groups.get(group) ?? []), hotkey]);
    }
  }
  return groups;
}
