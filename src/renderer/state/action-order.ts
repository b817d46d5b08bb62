/** The action being confirmed and the one whose outcome is shown: dialogs over every screen. */
import { create } from 'zustand';
import type { ActionScope } from '#shared/bridge/operations.ts';
import type { ActionConfig, QueryConfig } from '#shared/model/entities.ts';

/** One scope with its exact count, or null if unknown until all rows are loaded. */
export interface ActionChoice {
  scope: ActionScope;
  /** "Selected", "All loaded", "All matching". */
  label: string;
  count: number | null;
}

export interface ActionOrder {
  action: ActionConfig;
  /** Sent by this call instead of as an action of the config. */
  call?: 'exceptions.create';
  /** What the analyst must know before confirming. */
  caution?: string;
  resultId: string;
  /** Null if the query has not been saved. */
  queryId: string | null;
  queryLabel: string;
  domain: string;
  config: QueryConfig;
  choices: readonly ActionChoice[];
}

interface Store {
  order: ActionOrder | null;
  /** Entry of the journal. */
  outcome: number | null;
}

export const useActionOrder = create<Store>(() => ({ order: null, outcome: null }));

export const openAction = (order: ActionOrder): void => useActionOrder.setState({ order, outcome: null });
export const closeAction = (): void => useActionOrder.setState({ order: null });
export const openActionOutcome = (journalId: number): void =>
  useActionOrder.setState({ order: null, outcome: journalId });
export const closeActionOutcome = (): void => useActionOrder.setState({ outcome: null });
