/** A grid's personal layout per query or screen, which overrides the query's own. */
import { useEffect } from 'react';
import { create } from 'zustand';
import type { GridLayout } from '#shared/bridge/workspace.ts';
import { onOtherWindow } from './other-windows.ts';
import { loadValue, saveValue } from './workspace.ts';

const useStore = create<{ layouts: ReadonlyMap<string, GridLayout | null> }>(() => ({ layouts: new Map() }));

const store = (key: string, layout: GridLayout | null) =>
  useStore.setState(({ layouts }) => ({ layouts: new Map(layouts).set(key, layout) }));

export function startLayouts(): void {
  onOtherWindow('layout', (key, layout) => {
    if (key !== null && useStore.getState().layouts.has(key)) store(key, layout);
  });
}

/** undefined while loading, null if there is none. Setting null removes it. */
export function useLayout(key: string): [GridLayout | null | undefined, (layout: GridLayout | null) => void] {
  const layout = useStore(({ layouts }) => layouts.get(key));
  useEffect(() => {
    if (layout !== undefined) return;
    loadValue('layout', key).then(
      (saved) => store(key, saved),
      () => store(key, null),
    );
  }, [key, layout]);
  return [layout, (next) => setLayout(key, next)];
}

/** Copies a layout to another key, synchronously if it is loaded, so that the screen does not change. */
export function copyLayout(from: string, to: string): void {
  const known = useStore.getState().layouts.get(from);
  if (known) setLayout(to, known);
  else if (known === null) store(to, null);
  else
    loadValue('layout', from).then(
      (saved) => {
        if (saved !== null && !useStore.getState().layouts.get(to)) setLayout(to, saved);
      },
      () => undefined,
    );
}

function setLayout(key: string, layout: GridLayout | null): void {
  store(key, layout);
  saveValue('layout', key, layout);
}
