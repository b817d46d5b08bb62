/** A value handed to the exceptions editor: it takes the prefill when it comes to the front. */
import { create } from 'zustand';
import type { EntityRef } from '#renderer/ui/entity-value.tsx';
import { openTab } from './tabs.ts';

export interface ExceptionPrefill {
  /** What kind of value, and the query field it stands in. */
  value: EntityRef;
  /** The entity it was taken from. */
  from: { type: 'email' | 'file'; entityId: string; title: string } | null;
}

const useStore = create<{ prefill: ExceptionPrefill | null }>(() => ({ prefill: null }));

/** The prefill that waits; the editor calls `takeExceptionPrefill` when it has it. */
export const useExceptionPrefill = (): ExceptionPrefill | null => useStore(({ prefill }) => prefill);

export function takeExceptionPrefill(): ExceptionPrefill | null {
  const { prefill } = useStore.getState();
  useStore.setState({ prefill: null });
  return prefill;
}

/** Opens the exceptions with a new one of this value begun. */
export function openExceptionFor(prefill: ExceptionPrefill): void {
  useStore.setState({ prefill });
  openTab({ screen: 'exceptions' });
}
