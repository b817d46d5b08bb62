/** Responses being sent. The answer is reported for the entity it was confirmed for, whatever the tab shows by then. */
import { create } from 'zustand';
import { markChanged } from '#renderer/state/changed-rows.ts';
import { currentConnection } from '#renderer/state/connection.ts';
import { openScreen } from '#renderer/state/navigation.ts';
import { inDoubt, type ResponseTarget, respond, targetName } from '#renderer/state/respond.ts';
import { showUndoable } from '#renderer/state/undo.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import { type BridgeError, mayBeDone, toBridgeError } from '#shared/bridge/errors.ts';
import { visibleText } from '#shared/model/format.ts';
import { RESPONSES, type ResponseKind, type ResponseOrder, reportWords } from '#shared/model/responses.ts';

const keyOf = ({ type, entityId }: ResponseTarget, kind: ResponseKind) =>
  JSON.stringify([type, entityId, kind]);

const useStore = create<{ underway: ReadonlySet<string> }>(() => ({ underway: new Set() }));

function mark(key: string, on: boolean): void {
  const underway = new Set(useStore.getState().underway);
  if (on) underway.add(key);
  else underway.delete(key);
  useStore.setState({ underway });
}

export const isUnderway = (target: ResponseTarget, kind: ResponseKind): boolean =>
  useStore.getState().underway.has(keyOf(target, kind));

export function useUnderway(target: ResponseTarget): (kind: ResponseKind) => boolean {
  const underway = useStore((store) => store.underway);
  return (kind) => underway.has(keyOf(target, kind));
}

const journal = { label: 'Journal', run: () => openScreen('activity') };

/**
 * Sends one response and notifies of the outcome, naming its entity. `isShown` says whether the dialog it was
 * confirmed in is still open; then the dialog shows the failure. Resolves with null on success, else with the error.
 */
export async function sendResponse(
  target: ResponseTarget,
  kind: ResponseKind,
  order: ResponseOrder,
  isShown: () => boolean,
): Promise<BridgeError | null> {
  const key = keyOf(target, kind);
  const name = visibleText(targetName(target)).slice(0, 200);
  const { verb, done } = RESPONSES[kind];
  mark(key, true);
  try {
    const entry = await respond(kind, target, order);
    if (order.at === null) markChanged(currentConnection()?.id ?? '', [target.entityId], `${done}: ${name}`);
    const title =
      order.at === null ? `${done}${reportWords(kind, order.report)}` : `Scheduled: ${verb.toLowerCase()}`;
    showUndoable({ intent: 'success', title, detail: `${name}. Logged in Activity.` }, entry, journal);
    return null;
  } catch (reason) {
    const error = toBridgeError(reason);
    if (!isShown())
      showToast({
        intent: 'error',
        stays: true,
        title: mayBeDone(error) ? inDoubt(verb) : `Not done: ${verb.toLowerCase()}`,
        detail: `${name}. ${error.message}`,
        action: journal,
      });
    return error;
  } finally {
    mark(key, false);
  }
}
