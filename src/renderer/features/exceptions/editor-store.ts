/** The exception being edited, one per connection. It survives closing the tab and a refusal by the service. */
import { create } from 'zustand';
import type { ExceptionForm } from './form.ts';
import type { SaveRefusal } from './save.ts';

export interface Editing {
  form: ExceptionForm;
  /** The initial form; differences from it are unsaved. */
  began: ExceptionForm;
  /** Saving was attempted, so empty required fields are marked too. */
  attempted: boolean;
  /** The service's refusal of this exact form. */
  refusal: SaveRefusal | null;
  /** The service has not answered yet: it would save the exception a second time. */
  isSending: boolean;
}

const useStore = create<{ editing: ReadonlyMap<string, Editing> }>(() => ({ editing: new Map() }));

const put = (connectionId: string, change: Editing | null) =>
  useStore.setState(({ editing }) => {
    const next = new Map(editing);
    if (change === null) next.delete(connectionId);
    else next.set(connectionId, change);
    return { editing: next };
  });

export const useEditing = (connectionId: string | null): Editing | null =>
  useStore(({ editing }) => (connectionId === null ? null : (editing.get(connectionId) ?? null)));

export const currentEditing = (connectionId: string): Editing | null =>
  useStore.getState().editing.get(connectionId) ?? null;

export const beginEditing = (connectionId: string, form: ExceptionForm): void =>
  put(connectionId, { form, began: form, attempted: false, refusal: null, isSending: false });

/** Any change of the form clears the service's refusal. */
export function editForm(connectionId: string, form: ExceptionForm): void {
  const editing = currentEditing(connectionId);
  if (editing) put(connectionId, { ...editing, form, refusal: null });
}

export function markEditing(
  connectionId: string,
  change: Partial<Pick<Editing, 'attempted' | 'refusal' | 'isSending'>>,
): void {
  const editing = currentEditing(connectionId);
  if (editing) put(connectionId, { ...editing, ...change });
}

/** A save has an answer. An exception that was begun since waits for its own. */
export function endSending(connectionId: string, began: ExceptionForm): void {
  if (currentEditing(connectionId)?.began === began) markEditing(connectionId, { isSending: false });
}

/**
 * Applies the outcome of saving this form: it is closed, or stays with its refusal. A form that was edited or started
 * since is left alone. Returns whether the form was still the current one.
 */
export function settleEditing(
  connectionId: string,
  sent: ExceptionForm,
  refusal: SaveRefusal | null,
): boolean {
  const editing = currentEditing(connectionId);
  if (editing?.form !== sent) return false;
  put(connectionId, refusal === null ? null : { ...editing, refusal, attempted: true });
  return true;
}

export const endEditing = (connectionId: string): void => put(connectionId, null);
