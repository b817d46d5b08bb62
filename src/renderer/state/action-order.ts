/** The action that is being asked for, and the one whose outcome is looked at: dialogs over every screen. */
import { create } from 'zustand';
import type { ActionScope } from '#shared/bridge/operations.ts';
import type { ActionConfig, QueryConfig } from '#shared/model/entities.ts';

/** One way to say which rows are meant, with its exact count; null: known once all rows are here. */
export interface ActionChoice {
  scope: ActionScope;
  /** "Selected", "All loaded", "All matching". */
  label: string;
  count: number | null;
}

export interface ActionOrder {
  action: ActionConfig;
  resultId: string;
  /** null: the query has not been saved. */
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
/** Shows what became of the targets of an action that was sent. */
export const openActionOutcome = (journalId: number): void =>
  useActionOrder.setState({ order: null, outcome: journalId });
export const closeActionOutcome = (): void => useActionOrder.setState({ outcome: null });
