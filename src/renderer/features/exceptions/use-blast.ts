import { useEffect, useState } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { afterPause } from '#renderer/ui/after-pause.ts';
import { type BridgeError, toBridgeError } from '#shared/bridge/errors.ts';
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

interface Answer {
  of: string;
  radius: BlastRadius | null;
  error: BridgeError | null;
}

/** What a rule would match among the emails of the last six months on this machine; null asks nothing. */
export function useBlast(connectionId: string | null, rule: ExceptionRule | null): Blast {
  const bridge = useBridge();
  const [turn, setTurn] = useState(0);
  const [answer, setAnswer] = useState<Answer | null>(null);
  const key = rule === null || connectionId === null ? null : JSON.stringify([connectionId, rule, turn]);
  useEffect(() => {
    if (key === null) return undefined;
    const [id, rule] = JSON.parse(key) as [string, ExceptionRule];
    return afterPause(TYPING_MS, (signal) => {
      const input = {
        connectionId: id,
        rule: { ...rule, conditions: [...rule.conditions] },
        since: windowStart('6M', Date.now()),
        sample: SAMPLE,
      };
      const { sample: _, ...question } = input;
      const mailboxes = async (radius: BlastRadius) => {
        if (radius.mailboxes !== null || radius.matches === 0) return;
        // Omitted if it fails: the matches matter for the decision, not the mailboxes.
        const mailboxes = await bridge
          .call('exceptions.blast-mailboxes', question, { signal })
          .catch(() => null);
        if (mailboxes && !signal.aborted)
          setAnswer({ of: key, radius: { ...radius, ...mailboxes }, error: null });
      };
      bridge.call('exceptions.blast-radius', input, { signal }).then(
        (radius) => {
          setAnswer({ of: key, radius, error: null });
          void mailboxes(radius);
        },
        (reason: unknown) => {
          if (!signal.aborted) setAnswer({ of: key, radius: null, error: toBridgeError(reason) });
        },
      );
    });
  }, [bridge, key]);
  const current = key !== null && answer?.of === key;
  return {
    radius: key === null ? null : (answer?.radius ?? null),
    error: current ? (answer?.error ?? null) : null,
    loading: key !== null && !current,
    retry: () => setTurn((now) => now + 1),
  };
}
