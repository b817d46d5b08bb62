/** Counts what the text of a rule would find, on request: it may take minutes. */
import { useEffect, useRef, useState } from 'react';
import { useActiveConnectionId } from '#renderer/bridge/active-connection.ts';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { toBridgeError } from '#shared/bridge/errors.ts';
import type { EventOf } from '#shared/bridge/operations.ts';
import type { RuleEffect, RuleKind } from '#shared/rules/rule.ts';

type Trial =
  | { state: 'idle' }
  | { state: 'counting'; progress: EventOf<'rules.effect'> | null }
  | { state: 'counted'; effect: RuleEffect }
  | { state: 'failed'; reason: string };

const IDLE: Trial = { state: 'idle' };

export interface TextOfRule {
  kind: Exclude<RuleKind, 'conditions'>;
  text: string;
  /** The rule that is edited, or null for a new one. */
  ruleId: string | null;
}

/** A count ends, and is gone, when the text changes. */
export function useTrial({ kind, text, ruleId }: TextOfRule): {
  trial: Trial;
  begin(): void;
  cancel(): void;
} {
  const bridge = useBridge();
  const connectionId = useActiveConnectionId();
  const request = useRef<AbortController | null>(null);
  const [trial, setTrial] = useState<Trial>(IDLE);
  const cancel = (): void => {
    request.current?.abort();
    setTrial(IDLE);
  };
  const subject = JSON.stringify([connectionId, kind, text, ruleId]);
  useEffect(() => {
    // Another subject was counted before.
    void subject;
    setTrial(IDLE);
    return () => request.current?.abort();
  }, [subject]);
  const begin = (): void => {
    if (connectionId === null) return;
    request.current?.abort();
    const controller = new AbortController();
    const { signal } = controller;
    request.current = controller;
    const show = (next: Trial): void => {
      if (!signal.aborted) setTrial(next);
    };
    show({ state: 'counting', progress: null });
    bridge
      .stream(
        'rules.effect',
        { connectionId, id: ruleId, kind, text },
        (progress) => show({ state: 'counting', progress }),
        { signal },
      )
      .then(
        (effect) => show({ state: 'counted', effect }),
        (error: unknown) => show({ state: 'failed', reason: toBridgeError(error).message }),
      );
  };
  return { trial, begin, cancel };
}
