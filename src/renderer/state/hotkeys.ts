/**
 * Hotkeys of the window and of the front screen. Single keys are disabled in inputs and under dialogs; what is
 * registered appears in the list of shortcuts.
 */
import { useLayoutEffect, useRef } from 'react';
import { flushSync } from 'react-dom';
import { create } from 'zustand';
import { chordOf, isAltTyping, isForControl, isTyping, pressedAgain } from '#renderer/ui/chord.ts';
import { screenInFront } from '#renderer/ui/focus.ts';
import { tellFrontChange } from '#renderer/ui/front-change.ts';
import { openDialogs } from '#renderer/ui/open-dialogs.ts';
import type { KeySpec } from './key-spec.ts';
import { useTab } from './tab-context.ts';

export interface Hotkey extends KeySpec {
  /** Return false to let the event propagate. */
  run: (event: KeyboardEvent) => unknown;
}

const useRegistry = create<{ sets: ReadonlyMap<symbol, readonly Hotkey[]> }>(() => ({ sets: new Map() }));
const running = new Map<symbol, { current: readonly Hotkey[] }>();

const underDialog = () => openDialogs().length > 0 || document.querySelector('.pp-palette') !== null;

/** The component library treats Ctrl Enter as a button press, but it is a hotkey of the screen. */
const isChordOnControl = (chord: string, target: EventTarget | null): boolean =>
  /^(?:Ctrl|Alt)\+(?:Shift\+)?(?:Enter|Space)$/.test(chord) &&
  target instanceof HTMLElement &&
  target.closest('button, a') !== null;

const isInMenu = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('[role="menu"]') !== null;

function handle(event: KeyboardEvent): void {
  if (event.isComposing) return;
  const chord = chordOf(event);
  if (event.defaultPrevented && !isChordOnControl(chord, event.target)) return;
  const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
  const typing = isTyping(event.target);
  if (isForControl(chord, event.target) || (typing && isAltTyping(event)) || underDialog()) return;
  for (const { current } of [...running.values()].reverse()) {
    for (const hotkey of current) {
      if (!hotkey.keys.includes(chord)) continue;
      if (typing && !hotkey.inInputs && (plain || event.altKey)) continue;
      // Menus are closed synchronously before the key acts, because they would take the focus back from what the key
      // opens.
      if (isInMenu(event.target)) flushSync(tellFrontChange);
      if (hotkey.run(event) === false) continue;
      event.preventDefault();
      return;
    }
  }
}

/**
 * Enter and Space activate a control only without modifiers. With Ctrl or Alt they are hotkeys; the component
 * library would still activate the focused control on keyup.
 */
function letChordsPressNothing(): () => void {
  let chorded = false;
  const presses = ({ key }: KeyboardEvent) => key === 'Enter' || key === ' ';
  const down = (event: KeyboardEvent) => {
    if (!presses(event)) return;
    chorded = event.ctrlKey || event.metaKey || event.altKey;
    // Menu items of the library react on keydown.
    if (!chorded || !isInMenu(event.target)) return;
    handle(event);
    event.stopImmediatePropagation();
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

/**
 * Registers hotkeys while this component is mounted and, inside a tab, while the tab is in front. Later ones take
 * precedence.
 */
export function useHotkeys(hotkeys: readonly Hotkey[], enabled = true): void {
  const { isActive } = useTab();
  const on = enabled && isActive;
  const latest = useRef(hotkeys);
  latest.current = hotkeys;
  const listed = hotkeys.map(({ keys, text, group }) => `${keys.join(' ')} ${text} ${group ?? ''}`).join('|');
  // A layout effect, so that keys work as soon as the screen is visible.
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

/** Most keys kept for a screen that is still loading. */
const MOST_AHEAD = 16;

/**
 * Keeps unhandled single keys while a screen is still loading, and presses them again once the screen replaces this
 * component. They are dropped if another tab or screen has come to the front by then, and do nothing if a dialog or a
 * field has the focus.
 */
export function useKeysAhead(): void {
  const { isActive } = useTab();
  useLayoutEffect(() => {
    if (!isActive) return undefined;
    const ahead: KeyboardEvent[] = [];
    const keep = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target } = event;
      if (event.defaultPrevented || event.isComposing || event.repeat || ctrlKey || metaKey || altKey) return;
      if (!/^\S$/u.test(key) || isForControl(chordOf(event), target) || isTyping(target) || underDialog())
        return;
      if (ahead.length < MOST_AHEAD) ahead.push(event);
    };
    const frontNow = () => {
      const screen = screenInFront();
      return { screen, name: screen?.dataset['screen'] };
    };
    const loading = frontNow();
    window.addEventListener('keydown', keep);
    return () => {
      window.removeEventListener('keydown', keep);
      // The hotkeys of the screen are registered in the same commit, after this.
      queueMicrotask(() => {
        for (const event of ahead) {
          const front = frontNow();
          if (front.screen !== loading.screen || front.name !== loading.name) return;
          (document.activeElement ?? document.body).dispatchEvent(pressedAgain(event));
        }
      });
    };
  }, [isActive]);
}

/** Named actions of the front screen, each with its first chord; a snapshot, not a subscription. */
export const commandsNow = (): { text: string; chord: string; run: () => void }[] =>
  [...running.values()].flatMap(({ current }) =>
    current.flatMap(({ isCommand, text, keys: [chord = ''], run }) =>
      isCommand ? [{ text, chord, run: () => void run(new KeyboardEvent('keydown')) }] : [],
    ),
  );

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
