/** Entities changed by this window's own actions, which are marked in all rows and explain outdated rows. */
import { create } from 'zustand';

/** What an action did, in words: "Quarantined 6 emails". */
export interface Change {
  /** Increases with each change. */
  turn: number;
  connectionId: string;
  ids: readonly string[];
  words: string;
  /** Milliseconds since 1970. */
  at: number;
}

/** Maximum number of marks; the oldest are dropped first. */
const MOST = 20_000;

interface Store {
  /** The last change, or null if there is none yet. */
  last: Change | null;
  /** Words of the last change of each entity. */
  marks: ReadonlyMap<string, string>;
}

const useStore = create<Store>(() => ({ last: null, marks: new Map() }));

export function markChanged(connectionId: string, ids: readonly string[], words: string): void {
  if (ids.length === 0) return;
  const { last, marks: before } = useStore.getState();
  const marks = new Map(before);
  for (const id of ids) {
    marks.delete(id);
    marks.set(id, words);
  }
  for (const id of marks.keys()) {
    if (marks.size <= MOST) break;
    marks.delete(id);
  }
  const change = { turn: (last?.turn ?? 0) + 1, connectionId, ids, words, at: Date.now() };
  useStore.setState({ last: change, marks });
}

export const useLastChange = (): Change | null => useStore(({ last }) => last);
export const useChangedMarks = (): ReadonlyMap<string, string> => useStore(({ marks }) => marks);
