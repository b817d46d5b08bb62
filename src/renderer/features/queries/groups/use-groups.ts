import { useCallback, useEffect, useState } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { useStable } from '#renderer/ui/use-stable.ts';
import { type BridgeError, toBridgeError } from '#shared/bridge/errors.ts';
import type { Groups, InputOf, ResultSet } from '#shared/bridge/operations.ts';
import { afterFirstRows } from '../results/first-rows.ts';
import { growthStep } from '../results/use-rows.ts';

export type GroupsQuestion = Omit<InputOf<'results.groups'>, 'resultId'>;

export interface GroupsRead {
  /** The last answer, which stays while a newer request is running. */
  groups: Groups | null;
  error: BridgeError | null;
  busy: boolean;
  retry: () => void;
}
type Answer = Omit<GroupsRead, 'retry'>;
const NOTHING: Answer = { groups: null, error: null, busy: false };

/** Groups of the loaded rows, recounted in steps while rows are fetched, or null if inactive. */
export function useGroups(result: ResultSet, question: GroupsQuestion | null): GroupsRead {
  const bridge = useBridge();
  const [read, setRead] = useState<Answer & { of: string }>({ ...NOTHING, of: '' });
  const request = useStable(question);
  const step = `${growthStep(result.loaded)} ${result.state === 'filling'}`;
  const [again, setAgain] = useState(0);
  useEffect(() => {
    if (request === null || step === '' || again < 0) return undefined;
    const abort = new AbortController();
    setRead((before) => ({ ...(before.of === result.id ? before : NOTHING), of: result.id, busy: true }));
    const ask = async () => {
      await afterFirstRows(result.id);
      return bridge.call('results.groups', { resultId: result.id, ...request }, { signal: abort.signal });
    };
    ask().then(
      (groups) => setRead({ of: result.id, groups, error: null, busy: false }),
      (reason: unknown) => {
        const error = toBridgeError(reason);
        if (error.code !== 'cancelled') setRead({ of: result.id, groups: null, error, busy: false });
      },
    );
    return () => abort.abort();
  }, [bridge, result.id, request, step, again]);
  const retry = useCallback(() => setAgain((times) => times + 1), []);
  return { ...(read.of === result.id && question !== null ? read : NOTHING), retry };
}
