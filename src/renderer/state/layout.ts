/** A grid's personal layout: kept per query or screen, over what the query itself says. */
import { useEffect } from 'react';
import { create } from 'zustand';
import type { GridLayout } from '#shared/bridge/workspace.ts';
import { loadValue, saveValue } from './workspace.ts';

const useStore = create<{ layouts: ReadonlyMap<string, GridLayout | null> }>(() => ({ layouts: new Map() }));

const store = (key: string, layout: GridLayout | null) =>
  useStore.setState(({ layouts }) => ({ layouts: new Map(layouts).set(key, layout) }));

/** undefined while loading, null when there is none. Setting null forgets it. */
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

/** Keeps the layout of one key under another one as well, at once where it is here: what is on screen does not change. */
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
