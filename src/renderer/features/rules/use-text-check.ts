import { useEffect, useState } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { afterPause } from '#renderer/ui/after-pause.ts';
import { toBridgeError } from '#shared/bridge/errors.ts';
import type { OutputOf } from '#shared/bridge/operations.ts';
import type { RuleKind } from '#shared/rules/rule.ts';

const DEBOUNCE_MS = 400;

export interface TextCheck {
  /** Null: not checked yet. */
  result: OutputOf<'rules.check'> | null;
  /** Why it could not be checked, in words. */
  failure: string | null;
}

const UNCHECKED: TextCheck = { result: null, failure: null };

/** What saving would say about a text, once it has not changed for a while. An empty one is not checked. */
export function useTextCheck(kind: RuleKind, text: string): TextCheck {
  const bridge = useBridge();
  const [check, setCheck] = useState<TextCheck & { text: string }>({ ...UNCHECKED, text: '' });
  useEffect(() => {
    if (kind === 'conditions' || text.trim() === '') return undefined;
    return afterPause(DEBOUNCE_MS, (signal) => {
      bridge.call('rules.check', { kind, text }, { signal }).then(
        (result) => setCheck({ result, failure: null, text }),
        (error: unknown) =>
          signal.aborted || setCheck({ result: null, failure: toBridgeError(error).message, text }),
      );
    });
  }, [bridge, kind, text]);
  return check.text === text ? check : UNCHECKED;
}
