import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { useAnswer } from '#renderer/ui/use-answer.ts';
import type { OutputOf } from '#shared/bridge/operations.ts';
import type { RuleKind } from '#shared/rules/rule.ts';

const DEBOUNCE_MS = 400;

export interface TextCheck {
  /** Null while it is not checked. */
  result: OutputOf<'rules.check'> | null;
  /** Why it could not be checked, in words. */
  failure: string | null;
}

/** What saving would say about a text, once it has not changed for a while. An empty one is not checked. */
export function useTextCheck(kind: RuleKind, text: string): TextCheck {
  const bridge = useBridge();
  const isAsked = kind !== 'conditions' && text.trim() !== '';
  const { data, error } = useAnswer(
    isAsked ? [kind, text] : null,
    (signal) => bridge.call('rules.check', { kind, text }, { signal }),
    DEBOUNCE_MS,
  );
  return { result: data, failure: error?.message ?? null };
}
