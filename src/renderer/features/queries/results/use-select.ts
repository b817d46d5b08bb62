import { useEffect, useState } from 'react';
import { showToast } from '#renderer/ui/toaster.ts';
import type { ResultSet } from '#shared/bridge/operations.ts';
import { progressWords } from './fetch-words.ts';
import type { SelectWhat } from './select-menu.tsx';
import type { Browse } from './use-browse.ts';
import type { Run } from './use-run.ts';

/**
 * What "all that match" comes to now. `begun`: the fetch that it needs was asked for, and the state is no longer the
 * one before it.
 */
export const selectable = ({ state }: Pick<ResultSet, 'state'>, begun: boolean): 'wait' | 'all' | 'here' =>
  !begun || state === 'filling' || state === 'paused' ? 'wait' : state === 'complete' ? 'all' : 'here';

/** Selecting this page, all loaded, or all that match: the last fetches the rest first, and says so until it is done. */
export function useSelect(
  browse: Browse,
  run: Run | null,
): { waiting: boolean; select: (what: SelectWhat) => void } {
  const { result, selection } = browse;
  const [waitingFor, setWaitingFor] = useState<{ id: string; begun: boolean } | null>(null);
  const waiting = waitingFor?.id === result.id;
  const now = waitingFor?.id === result.id ? selectable(result, waitingFor.begun) : 'wait';
  useEffect(() => {
    if (now === 'wait') return;
    setWaitingFor(null);
    selection.select('all');
    if (now === 'here')
      showToast({
        intent: 'caution',
        stays: true,
        title: `Not all that match are selected: ${progressWords(result)} are here`,
        detail: `Selected are those. ${result.reason ?? 'The fetch stopped short.'}`,
      });
  }, [now, result, selection]);
  return {
    waiting,
    select(what) {
      const asked = { id: result.id, begun: false };
      setWaitingFor(what === 'matching' ? asked : null);
      if (what === 'matching')
        void run
          ?.fill('all')
          .then(() => setWaitingFor((one) => (one === asked ? { ...asked, begun: true } : one)));
      else if (what === 'page') browse.selectPage();
      else selection.select(what === 'loaded' ? 'all' : what);
    },
  };
}
