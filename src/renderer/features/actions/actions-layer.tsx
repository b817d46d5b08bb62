import type { JSX } from 'react';
import { useActionOrder } from '#renderer/state/action-order.ts';
import { ActionDialog } from './action-dialog.tsx';
import { OutcomeDialog } from './outcome-dialog.tsx';

/** The dialogs of actions, over every screen. */
export function ActionsLayer(): JSX.Element | null {
  const { order, outcome } = useActionOrder();
  if (order) return <ActionDialog key={`${order.resultId} ${order.action.id}`} order={order} />;
  if (outcome !== null) return <OutcomeDialog key={outcome} journalId={outcome} />;
  return null;
}
