/** The state of result sets as main announces it, by id. */
import { create } from 'zustand';
import type { ResultSet } from '#shared/bridge/operations.ts';
import { onAppEvent } from './app-events.ts';

const useStore = create<{ sets: ReadonlyMap<string, ResultSet> }>(() => ({ sets: new Map() }));

export function putResultSet(result: ResultSet): void {
  useStore.setState(({ sets }) => ({ sets: new Map(sets).set(result.id, result) }));
}

export function startResults(): void {
  onAppEvent('result', ({ result }) => putResultSet(result));
}

/** The newest state heard of a result set; null when none was heard in this window. */
export const useResultSet = (id: string | null): ResultSet | null =>
  useStore(({ sets }) => (id === null ? null : (sets.get(id) ?? null)));
