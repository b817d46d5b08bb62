/** A grid's personal layout per query or screen, which overrides the query's own. */
import { useEffect, useRef } from 'react';
import { create } from 'zustand';
import type { GridLayout } from '#shared/bridge/workspace.ts';
import { onOtherWindow } from './other-windows.ts';
import { loadValue, saveValue } from './workspace.ts';

const useStore = create<{ layouts: ReadonlyMap<string, GridLayout | null> }>(() => ({ layouts: new Map() }));

type Follow = (layout: GridLayout | null) => void;
/** What draws the layouts that another window sets, by key. */
const followers = new Map<string, Set<Follow>>();

const store = (key: string, layout: GridLayout | null) =>
  useStore.setState(({ layouts }) => ({ layouts: new Map(layouts).set(key, layout) }));

export function startLayouts(): void {
  onOtherWindow('layout', (key, layout) => {
    if (key === null || !useStore.getState().layouts.has(key)) return;
    store(key, layout);
    for (const follow of followers.get(key) ?? []) follow(layout);
  });
}

/** Draws a layout that another window has set: a grid reads its own only once. */
export function useFollowedLayout(key: string, follow: Follow): void {
  const latest = useRef(follow);
  latest.current = follow;
  useEffect(() => {
    const call: Follow = (layout) => latest.current(layout);
    const all = followers.get(key) ?? new Set();
    followers.set(key, all.add(call));
    return () => void all.delete(call);
  }, [key]);
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
  const layout = useStore.getState().layouts.get(from);
  if (layout) setLayout(to, layout);
  else if (layout === null) store(to, null);
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
