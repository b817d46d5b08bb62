import { useEffect, useState } from 'react';
import { showToast } from '#renderer/ui/toaster.ts';
import type { SelectWhat } from './select-menu.tsx';
import type { Browse } from './use-browse.ts';
import type { Run } from './use-run.ts';

/** Selecting this page, all loaded, or all that match: the last fetches the rest first, and says so until it is done. */
export function useSelect(
  browse: Browse,
  run: Run | null,
): { waiting: boolean; select: (what: SelectWhat) => void } {
  const { result, selection } = browse;
  const [waitingFor, setWaitingFor] = useState<string | null>(null);
  const waiting = waitingFor === result.id;
  useEffect(() => {
    if (!waiting || result.state === 'filling') return;
    // The fetch begins a moment after it is asked for; until then the state is the one before.
    if (result.state === 'complete') {
      setWaitingFor(null);
      selection.select('all');
    } else if (result.state === 'partial') {
      setWaitingFor(null);
      showToast({
        intent: 'caution',
        title: 'Not everything that matches could be selected',
        detail: result.reason ?? 'The fetch stopped short.',
      });
    }
  }, [waiting, result, selection]);
  return {
    waiting,
    select(what) {
      setWaitingFor(what === 'matching' ? result.id : null);
      if (what === 'matching') run?.fill('all');
      else if (what === 'page') browse.selectPage();
      else selection.select(what === 'loaded' ? 'all' : what);
    },
  };
}
