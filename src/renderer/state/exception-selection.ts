/** Rows chosen in a result that exceptions are to be made of: the exceptions screen takes them when it comes to the front. */
import { create } from 'zustand';
import { openTab } from './tabs.ts';

export interface ExceptionSelection {
  /** null: the service makes no entries of such entities, only of their values. */
  entityType: 'email' | 'file' | null;
  /** The rows' entities, each once. */
  entityIds: readonly string[];
  /** Values of the rows by the query field they stand in, each once, in the order of the rows. */
  values: Readonly<Record<string, readonly string[]>>;
}

const useStore = create<{ selection: ExceptionSelection | null }>(() => ({ selection: null }));

/** The selection that waits; the screen calls `takeExceptionSelection` when it has it. */
export const useExceptionSelection = (): ExceptionSelection | null => useStore(({ selection }) => selection);

export function takeExceptionSelection(): ExceptionSelection | null {
  const { selection } = useStore.getState();
  useStore.setState({ selection: null });
  return selection;
}

/** Opens the exceptions with new ones of this selection begun. */
export function openExceptionsForSelection(selection: ExceptionSelection): void {
  useStore.setState({ selection });
  openTab({ screen: 'exceptions' });
}
