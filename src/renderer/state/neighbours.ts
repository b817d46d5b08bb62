/** The list that a profile was opened from, so that J and K work inside the profile. */
import { create } from 'zustand';
import type { ProfileRef } from '#shared/api/profile-pages.ts';

export interface Neighbour extends ProfileRef {
  title: string | undefined;
}

export interface NeighbourSource {
  /** Name of the list, for the status bar. */
  label: string;
  /** The tab it was opened in, while that exists. */
  tabId?: string | undefined;
  /** Folded search terms for bodies of its query, to highlight in the profile. */
  sought?: readonly string[];
  /** Rows of the list when the profile was opened. */
  count: number;
  /** The rows from start to end (exclusive) that are on this machine, or null for a row without a profile. */
  rows: (start: number, end: number) => Promise<(Neighbour | null)[]>;
}

export interface ListPlace {
  source: NeighbourSource;
  /** 0-based. */
  index: number;
}

const useStore = create<{ places: ReadonlyMap<string, ListPlace> }>(() => ({ places: new Map() }));

/** Sets the list position of this tab's profile; null clears it. */
export function setListPlace(tabId: string, place: ListPlace | null): void {
  useStore.setState(({ places }) => {
    const next = new Map(places);
    if (place === null) next.delete(tabId);
    else next.set(tabId, place);
    return { places: next };
  });
}

export const listPlace = (tabId: string): ListPlace | null => useStore.getState().places.get(tabId) ?? null;

export const useListPlace = (tabId: string): ListPlace | null =>
  useStore(({ places }) => places.get(tabId) ?? null);
