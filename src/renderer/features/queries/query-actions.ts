/** Actions on queries: save, rename, copy, revert. Each reports its outcome in a toast. */

import { createDraft, currentDraft, updateDraft } from '#renderer/state/drafts.ts';
import { copyLayout } from '#renderer/state/layout.ts';
import { openQuery } from '#renderer/state/navigation.ts';
import { sendChange } from '#renderer/state/send-change.ts';
import { useTabs } from '#renderer/state/tabs.ts';
import { closeToast, readToasts, showToast } from '#renderer/ui/toaster.ts';
import { toBridgeError } from '#shared/bridge/errors.ts';
import type { Draft } from '#shared/bridge/workspace.ts';
import type { NewQuery, Query } from '#shared/model/entities.ts';
import { wasEdited } from './draft-edit.ts';
import { NAME_NEEDED, NEW_QUERY, NOT_SAVED } from './labels.ts';
import { layoutKeysOf } from './query-run.ts';
import { showNotDone } from './query-send.ts';
import { nothingSent, overTheirs, replaceQuery, tellSaved } from './replace-query.ts';
import { saveProblemOf, setSaveProblem } from './save-problems.ts';
import { saveUnderway, startSave } from './saves-underway.ts';

let watching = false;

/** Reports tabs that are closed with unsaved changes, with a way to reopen them; the draft stays in the workspace. */
export function guardUnsaved(): void {
  if (watching) return;
  watching = true;
  useTabs.subscribe((now, before) => {
    // Each connection has its own tabs: switching closes none.
    if (now.connectionId !== before.connectionId || now.tabs === before.tabs) return;
    const closed = before.tabs.flatMap(({ id, route }) => {
      if (route.screen !== 'query' || !before.dirty.has(id) || now.tabs.some((tab) => tab.id === id))
        return [];
      const draft = currentDraft(route.draftId);
      return draft && isWorthKeeping(draft) ? [draft] : [];
    });
    offerReopen(closed);
  });
}

/** Queries opened from a value, such as "who clicked", are easily opened again, so their drafts are not reported. */
const isWorthKeeping = ({ id, origin }: Draft): boolean => origin === undefined || wasEdited(id);

/** What the toast on screen offers to reopen. */
let offered: { toast: number; drafts: readonly Draft[] } | null = null;

function offerReopen(closed: readonly Draft[]): void {
  if (closed.length === 0) return;
  const isShown = readToasts().some(({ id }) => id === offered?.toast);
  const isSameTenant = offered?.drafts[0]?.connectionId === closed[0]?.connectionId;
  const earlier = isShown && isSameTenant ? offered : null;
  if (earlier) closeToast(earlier.toast);
  // A draft that was reopened and closed again counts once.
  const drafts = [
    ...new Map([...(earlier?.drafts ?? []), ...closed].map((draft) => [draft.id, draft])).values(),
  ];
  const [first, ...others] = drafts as [Draft, ...Draft[]];
  const what = others.length === 0 ? `“${first.query.name || NEW_QUERY}”` : `${drafts.length} queries`;
  const toast = showToast({
    intent: 'caution',
    title: `Closed ${what} with unsaved changes`,
    detail: 'Your changes are kept on this machine.',
    action: {
      label: others.length === 0 ? 'Reopen' : 'Reopen all',
      run: () => {
        for (const draft of drafts) openQuery(currentDraft(draft.id) ?? draft);
      },
    },
  });
  offered = { toast, drafts };
}

/**
 * Saves a draft: over the query it came from, or as a new one. Answers whether it was saved. Joins a save that is under
 * way.
 */
export const saveDraft = (draftId: string): Promise<boolean> =>
  saveUnderway(draftId) ?? startSave(draftId, () => saveOnce(draftId), Boolean);

async function saveOnce(draftId: string): Promise<boolean> {
  const draft = currentDraft(draftId);
  if (!draft) return false;
  const name = draft.query.name.trim();
  if (name === '') {
    setSaveProblem(draftId, draft.query, { field: 'name', message: NAME_NEEDED });
    return false;
  }
  const body: NewQuery = { ...draft.query, name };
  try {
    const replaced =
      draft.savedId === null
        ? {
            query: await sendChange(draft.connectionId, 'query.save', { body: { ...body, id: undefined } }),
            isSent: true,
          }
        : await replaceQuery(draft.savedId, draft.saved ?? body, body, draft.connectionId);
    // The user chose not to save: nothing to report.
    if (replaced === null) return false;
    const saved = replaced.query;
    setSaveProblem(draftId, draft.query, null);
    if (draft.savedId === null) copyLayouts(draftId, saved.id);
    updateDraft(draftId, (now) => ({
      ...now,
      savedId: saved.id,
      saved: structuredClone(saved),
      // Edits made during saving are kept as changes to the newly saved query.
      query: now.query === draft.query ? saved : overTheirs(draft.query, saved, now.query),
    }));
    tellSaved(replaced);
    return true;
  } catch (error) {
    const problem = saveProblemOf(error);
    setSaveProblem(draftId, draft.query, problem);
    if (problem) showToast({ intent: 'caution', title: NOT_SAVED, detail: problem.message });
    else if (toBridgeError(error).code === 'not-found' && draft.savedId !== null)
      offerSaveAsNew(draftId, draft.savedId);
    else showNotDone(NOT_SAVED, error, `Save “${name}”`);
    return false;
  }
}

/** Copies the layouts of a draft and its report, which are stored under the id of the query. */
function copyLayouts(from: string, to: string): void {
  const before = layoutKeysOf(from);
  const after = layoutKeysOf(to);
  copyLayout(before.query, after.query);
  copyLayout(before.report, after.report);
}

/** The saved query was deleted by someone else: the edits can be saved as a new query. */
function offerSaveAsNew(draftId: string, savedId: string): void {
  showToast({
    intent: 'error',
    title: NOT_SAVED,
    detail: 'It is no longer on the service. Your edits are kept here.',
    action: {
      label: 'Save as new',
      run: () => {
        copyLayouts(savedId, draftId);
        updateDraft(draftId, { savedId: null, saved: null });
        void saveDraft(draftId);
      },
    },
  });
}

/**
 * Changes a saved query from the library; `onSaved` receives the query as saved. Returns the error, or null when it
 * was saved.
 */
export async function updateSaved(
  query: Query,
  change: Partial<NewQuery>,
  onSaved: (saved: Query) => void = () => undefined,
): Promise<unknown> {
  try {
    const replaced = await replaceQuery(query.id, query, { ...query, ...change });
    if (replaced === null) return nothingSent();
    onSaved(replaced.query);
    tellSaved(replaced);
    return null;
  } catch (error) {
    return error;
  }
}

/** Opens a copy of a draft as a new, unsaved query. */
export function saveAs(draftId: string): void {
  const draft = currentDraft(draftId);
  if (!draft) return;
  const copy = createDraft({ ...draft.query, name: `${draft.query.name || 'Query'} (copy)` }, { copy: true });
  openQuery(copy);
}

export const duplicateQuery = (query: Query): string =>
  openQuery({ ...query, name: `${query.name} (copy)` }, { copy: true });

/** Reverts to the saved query, or empties a new one; can be undone. */
export const revertedQuery = (draftId: string): NewQuery | null => {
  const saved = currentDraft(draftId)?.saved;
  return saved ? structuredClone(saved) : null;
};
