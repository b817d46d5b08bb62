/** Edits of a draft that can be undone: one history per draft, for as long as the window lives. */
import { create } from 'zustand';
import { currentDraft, updateDraft } from '#renderer/state/drafts.ts';
import type { NewQuery } from '#shared/model/entities.ts';
import { type ConditionGroup, emptyGroup } from '#shared/query/tree.ts';

interface History {
  past: readonly NewQuery[];
  future: readonly NewQuery[];
  /** Edits of the same field in quick succession are merged into one undo step. */
  merge: string | null;
  at: number;
}

const MOST = 100;
const MERGE_MS = 1000;
const NONE: History = { past: [], future: [], merge: null, at: 0 };
const useHistories = create<{ histories: ReadonlyMap<string, History> }>(() => ({ histories: new Map() }));

const historyOf = (id: string): History => useHistories.getState().histories.get(id) ?? NONE;
const keep = (id: string, history: History) =>
  useHistories.setState(({ histories }) => ({ histories: new Map(histories).set(id, history) }));

/** Whether anything was changed in this window, even if it was undone. */
export const wasEdited = (id: string): boolean => {
  const { past, future } = historyOf(id);
  return past.length > 0 || future.length > 0;
};

/** Changes the query of a draft. `merge` identifies the edited field, so that typing becomes a single undo step. */
export function editQuery(
  id: string,
  change: (query: NewQuery) => NewQuery,
  merge: string | null = null,
): void {
  const draft = currentDraft(id);
  if (!draft) return;
  const next = change(draft.query);
  if (next === draft.query) return;
  const history = historyOf(id);
  const now = Date.now();
  const joins = merge !== null && merge === history.merge && Math.abs(now - history.at) < MERGE_MS;
  const past = joins ? history.past : [...history.past, draft.query].slice(-MOST);
  keep(id, { past, future: [], merge, at: now });
  updateDraft(id, { query: next });
}

export function editTree(
  id: string,
  change: (tree: ConditionGroup) => ConditionGroup,
  merge: string | null = null,
): void {
  editQuery(
    id,
    (query) => {
      const tree = query.filter ?? emptyGroup();
      const next = change(tree);
      return next === tree ? query : { ...query, filter: next };
    },
    merge,
  );
}

/** An earlier query with the current schedule and status, which are saved by themselves and are no edits. */
const earlier = (query: NewQuery, { scheduledExport, status }: NewQuery): NewQuery => ({
  ...query,
  scheduledExport,
  status,
});

/** Undoes one step; false if there is none. */
export function undo(id: string): boolean {
  const history = historyOf(id);
  const draft = currentDraft(id);
  const query = history.past.at(-1);
  if (!draft || !query) return false;
  keep(id, { past: history.past.slice(0, -1), future: [draft.query, ...history.future], merge: null, at: 0 });
  updateDraft(id, { query: earlier(query, draft.query) });
  return true;
}

export function redo(id: string): boolean {
  const history = historyOf(id);
  const draft = currentDraft(id);
  const [query, ...future] = history.future;
  if (!draft || !query) return false;
  keep(id, { past: [...history.past, draft.query], future, merge: null, at: 0 });
  updateDraft(id, { query: earlier(query, draft.query) });
  return true;
}

export function useHistory(id: string): { canUndo: boolean; canRedo: boolean } {
  const history = useHistories(({ histories }) => histories.get(id)) ?? NONE;
  return { canUndo: history.past.length > 0, canRedo: history.future.length > 0 };
}
