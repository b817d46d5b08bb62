/** Responses under way, each of the entity that it was confirmed for, whatever is on show when its answer comes. */
import { create } from 'zustand';
import { openScreen } from '#renderer/state/navigation.ts';
import { type ResponseTarget, respond } from '#renderer/state/respond.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import { type BridgeError, toBridgeError } from '#shared/bridge/errors.ts';
import { visibleText } from '#shared/model/format.ts';
import { RESPONSES, type ResponseKind, type ResponseOrder } from '#shared/model/responses.ts';

/** Failures after which nobody knows whether the service took it; after all others it did not. */
const IN_DOUBT: ReadonlySet<string> = new Set(['timeout', 'unreachable', 'truncated', 'cancelled']);

const keyOf = ({ type, entityId }: ResponseTarget, kind: ResponseKind) =>
  JSON.stringify([type, entityId, kind]);

const useStore = create<{ underway: ReadonlySet<string> }>(() => ({ underway: new Set() }));

function mark(key: string, on: boolean): void {
  const underway = new Set(useStore.getState().underway);
  if (on) underway.add(key);
  else underway.delete(key);
  useStore.setState({ underway });
}

/** Is this response to this entity on its way? */
export const isUnderway = (target: ResponseTarget, kind: ResponseKind): boolean =>
  useStore.getState().underway.has(keyOf(target, kind));

/** What is on its way to an entity, for a view. */
export function useUnderway(target: ResponseTarget): (kind: ResponseKind) => boolean {
  const underway = useStore((store) => store.underway);
  return (kind) => underway.has(keyOf(target, kind));
}

const journal = { label: 'Journal', run: () => openScreen('activity') };

/**
 * Sends one response and tells how it went, naming its entity. `isShown`: is the dialog that it was confirmed in
 * still open? Then a failure is the dialog's to tell. Answers null once the service took it, else what failed.
 */
export async function sendResponse(
  target: ResponseTarget,
  kind: ResponseKind,
  order: ResponseOrder,
  isShown: () => boolean,
): Promise<BridgeError | null> {
  const key = keyOf(target, kind);
  const name = visibleText(target.name).slice(0, 120);
  const { verb, done } = RESPONSES[kind];
  mark(key, true);
  try {
    await respond(kind, target, order);
    showToast({
      intent: 'success',
      title: order.at === null ? done : `Scheduled: ${verb.toLowerCase()}`,
      detail: `${name}. Logged in Activity.`,
      action: journal,
    });
    return null;
  } catch (reason) {
    const error = toBridgeError(reason);
    if (!isShown())
      showToast({
        intent: 'error',
        stays: true,
        title: IN_DOUBT.has(error.code)
          ? `${verb}: unknown, may have arrived`
          : `Not done: ${verb.toLowerCase()}`,
        detail: `${name}. ${error.message}`,
        action: journal,
      });
    return error;
  } finally {
    mark(key, false);
  }
}
