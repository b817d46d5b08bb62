/** Undo of changes, from the toast that reports them, the journal and the dialog of an outcome. */
import { create } from 'zustand';
import { readKeyText, readState } from '#renderer/bridge/read-store.ts';
import { closeToast, showToast } from '#renderer/ui/toaster.ts';
import { callRefusal } from '#shared/api/access.ts';
import type { AnswerOf } from '#shared/api/catalogue.ts';
import { toBridgeError } from '#shared/bridge/errors.ts';
import type { Job, JournalEntry } from '#shared/bridge/operations.ts';
import { currentConnection } from './connection.ts';
import { windowBridge } from './window-bridge.ts';

/** Journal entries that are being undone, from this window or another, or have been. */
const useStore = create<{ ids: ReadonlySet<number> }>(() => ({ ids: new Set() }));
/** Toasts that offer Undo, by journal entry. */
const offered = new Map<number, number>();

function mark(id: number, isUndone: boolean): void {
  const ids = new Set(useStore.getState().ids);
  if (isUndone) ids.add(id);
  else ids.delete(id);
  useStore.setState({ ids });
  const toast = offered.get(id);
  if (isUndone && toast !== undefined) closeToast(toast);
}

/** Withdraws the Undo of an entry that a job undoes, which any window may have started. */
export function withdrawUndo({ outcome }: Job): void {
  const undoOf = outcome?.['undoOf'];
  if (typeof undoOf === 'number' && !useStore.getState().ids.has(undoOf)) mark(undoOf, true);
}

/** Whether the caller's role may undo an action, as far as the role is known. */
function mayDo(
  call: 'query.action' | 'manual-actions.create' | 'policies.operation',
  action: string,
): boolean {
  const connectionId = currentConnection()?.id ?? '';
  const list = readState(
    readKeyText({ connectionId, endpoint: 'query.list', request: { query: {} } as never }),
  );
  return callRefusal((list.data as AnswerOf<'query.list'> | undefined)?.caller, call, { action }) === null;
}

function undo(journalId: number): void {
  if (useStore.getState().ids.has(journalId)) return;
  mark(journalId, true);
  windowBridge()
    .call('actions.undo', { journalId })
    .catch((error: unknown) => {
      const { code, message } = toBridgeError(error);
      // What is refused stays so; anything else may be tried again.
      if (code !== 'not-allowed') mark(journalId, false);
      showToast({ intent: 'error', title: 'Not undone', detail: message });
    });
}

export type Undoable = Pick<JournalEntry, 'id' | 'connectionId' | 'endpoint' | 'inverse'>;

/** Undoes a journal entry, or null if it cannot be undone, the role may not, or it is undone. */
export function undoOf({ id, connectionId, endpoint, inverse }: Undoable): (() => void) | null {
  if (inverse === null || connectionId !== currentConnection()?.id || useStore.getState().ids.has(id))
    return null;
  const isOther = endpoint === 'manual-actions.create' || endpoint === 'policies.operation';
  const call = isOther ? endpoint : 'query.action';
  return mayDo(call, inverse) ? () => undo(id) : null;
}

/** Whether an entry is being undone, from any window, or has been since this one opened. */
export const useIsUndone = (entry: Undoable | null): boolean =>
  useStore(({ ids }) => entry !== null && ids.has(entry.id));

/** The same as `undoOf` for a view, which is drawn again when the entry is undone from elsewhere. */
export function useUndoOf(entry: Undoable | null): (() => void) | null {
  useIsUndone(entry);
  return entry === null ? null : undoOf(entry);
}

/** Shows a toast that offers to undo an entry, or `otherwise`; it closes when the entry is undone from elsewhere. */
export function showUndoable(
  toast: Omit<Parameters<typeof showToast>[0], 'action'>,
  entry: Undoable,
  otherwise: { label: string; run: () => void },
): void {
  const run = undoOf(entry);
  const id = showToast({ ...toast, action: run === null ? otherwise : { label: 'Undo', run } });
  if (run !== null) offered.set(entry.id, id);
}
