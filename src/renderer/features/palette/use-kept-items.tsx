/** Searches the profiles saved for offline use, online and offline. */
import { Pin } from '@blueprintjs/icons';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { useConnection } from '#renderer/state/connection.ts';
import { openWith } from '#renderer/state/tab-payload.ts';
import { useAnswer } from '#renderer/ui/use-answer.ts';
import { SEARCH_MOST } from '#shared/bridge/operations.ts';
import { exact } from '#shared/model/format.ts';
import type { PaletteItem } from './items.tsx';
import { savedWith } from './labels.ts';
import { ASK_AFTER_MS } from './use-answers.ts';

/** Shorter texts match nearly everything. */
const SHORTEST = 2;

/** One item with the count; none if nothing is saved, or if everything could be searched and nothing matches. */
export function useKeptItems(typed: string): PaletteItem[] {
  const bridge = useBridge();
  const { connection } = useConnection();
  const connectionId = connection && connection.kind !== 'evidence' ? connection.id : null;
  const text = typed.slice(0, SEARCH_MOST);
  const isAsked = connectionId !== null && text.length >= SHORTEST;
  const { data } = useAnswer(
    isAsked ? [connectionId, text] : null,
    (signal) =>
      bridge.call(
        'offline.search',
        { connectionId: connectionId ?? '', text, whole: false, fields: [], apart: false, most: 0 },
        { signal },
      ),
    ASK_AFTER_MS,
  );
  // The screen itself reports why the search failed.
  if (data === null) return [];
  const { matching, profiles, waiting, withoutBody, cut } = data;
  const notSearched = waiting + withoutBody + cut;
  if (profiles === 0 || (matching === 0 && notSearched === 0)) return [];
  return [
    {
      id: 'kept-search',
      group: 'Search',
      icon: <Pin size={14} />,
      text: savedWith(text),
      ...(notSearched > 0 ? { detail: `${exact(notSearched)} not fully searched` } : {}),
      count: exact(matching),
      run: () => openWith('kept', { text }),
    },
  ];
}
