import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { useAnswer } from '#renderer/ui/use-answer.ts';
import type { BridgeError } from '#shared/bridge/errors.ts';
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

/** Groups of the loaded rows, recounted in steps while rows are fetched, or null if inactive. */
export function useGroups(result: ResultSet, question: GroupsQuestion | null): GroupsRead {
  const bridge = useBridge();
  const step = `${growthStep(result.loaded)} ${result.state === 'filling'}`;
  const { last, error, isAsking, again } = useAnswer(
    question && [result.id, question, step],
    async (signal) => {
      if (question === null) throw new TypeError('There is no question');
      await afterFirstRows(result.id);
      const groups = await bridge.call('results.groups', { resultId: result.id, ...question }, { signal });
      return { of: result.id, groups };
    },
  );
  const isShown = question !== null && error === null && last?.of === result.id;
  return { groups: isShown ? last.groups : null, error, busy: isAsking, retry: again };
}
