import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { useAnswer } from '#renderer/ui/use-answer.ts';
import type { BridgeError } from '#shared/bridge/errors.ts';
import type { OutputOf } from '#shared/bridge/operations.ts';
import type { ExceptionRule } from '#shared/exceptions/rule.ts';
import { windowStart } from './search.ts';

export type BlastRadius = OutputOf<'exceptions.blast-radius'>;

export interface Blast {
  /** The result for the current rule, or for the previous one while `loading`. */
  radius: BlastRadius | null;
  error: BridgeError | null;
  loading: boolean;
  retry: () => void;
}

const TYPING_MS = 250;
const SAMPLE = 100;

/** What a rule would match among the emails of the last six months on this machine; null asks nothing. */
export function useBlast(connectionId: string | null, rule: ExceptionRule | null): Blast {
  const bridge = useBridge();
  const isAsked = rule !== null && connectionId !== null;
  const { last, error, isAsking, again } = useAnswer<BlastRadius>(
    isAsked ? [connectionId, rule] : null,
    async (signal, show) => {
      if (!isAsked) throw new TypeError('There is no rule');
      const question = {
        connectionId,
        rule: { ...rule, conditions: [...rule.conditions] },
        since: windowStart('6M', Date.now()),
      };
      const radius = await bridge.call(
        'exceptions.blast-radius',
        { ...question, sample: SAMPLE },
        { signal },
      );
      if (radius.mailboxes !== null || radius.matches === 0) return radius;
      show(radius);
      // Omitted if it fails: the matches matter for the decision, not the mailboxes.
      const mailboxes = await bridge
        .call('exceptions.blast-mailboxes', question, { signal })
        .catch(() => null);
      return { ...radius, ...mailboxes };
    },
    TYPING_MS,
  );
  return { radius: isAsked && error === null ? last : null, error, loading: isAsking, retry: again };
}
