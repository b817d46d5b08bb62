/** The state of result sets as main announces it, by id. */
import { create } from 'zustand';
import type { ResultSet } from '#shared/bridge/operations.ts';
import { onAppEvent } from './app-events.ts';
import { windowBridge } from './window-bridge.ts';
import { onWireBack } from './wire-health.ts';

const useStore = create<{ sets: ReadonlyMap<string, ResultSet> }>(() => ({ sets: new Map() }));

/** More than a window shows; an older one is requested again if it is shown after all. */
const MOST_KNOWN = 200;

export function putResultSet(result: ResultSet): void {
  useStore.setState(({ sets: before }) => {
    const sets = new Map(before);
    // Deleted first, so that the latest come last.
    sets.delete(result.id);
    sets.set(result.id, result);
    for (const oldest of sets.keys()) {
      if (sets.size <= MOST_KNOWN) break;
      sets.delete(oldest);
    }
    return { sets };
  });
}

export function startResults(): void {
  onAppEvent('result', ({ result }) => putResultSet(result));
  onWireBack(() => {
    for (const resultId of useStore.getState().sets.keys())
      windowBridge()
        .call('results.get', { resultId })
        .then((set) => set && putResultSet(set))
        .catch(() => undefined);
  });
}

/** The latest known state of a result set, or null if this window received none. */
export const useResultSet = (id: string | null): ResultSet | null =>
  useStore(({ sets }) => (id === null ? null : (sets.get(id) ?? null)));
