/** Saves of drafts that the service has not answered yet: a second one would create the same query again. */
import { create } from 'zustand';

const useStore = create<{ saves: ReadonlyMap<string, Promise<boolean>> }>(() => ({ saves: new Map() }));

/** The save of this draft that is under way, with whether it succeeds, or undefined if there is none. */
export const saveUnderway = (draftId: string): Promise<boolean> | undefined =>
  useStore.getState().saves.get(draftId);

/** The same, for a view. */
export const useSaving = (draftId: string): boolean => useStore(({ saves }) => saves.has(draftId));

/** Starts a save of a draft that has none under way. `isSaved` says whether its answer is a success. */
export function startSave<T>(
  draftId: string,
  save: () => Promise<T>,
  isSaved: (answer: T) => boolean,
): Promise<T> {
  const answer = save().finally(() =>
    useStore.setState(({ saves }) => ({ saves: new Map([...saves].filter(([id]) => id !== draftId)) })),
  );
  useStore.setState(({ saves }) => ({ saves: new Map(saves).set(draftId, answer.then(isSaved)) }));
  return answer;
}
