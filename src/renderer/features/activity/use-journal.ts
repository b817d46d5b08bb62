/** The journal of changes, newest first: read when its tab comes to the front, when a job changes state, and on demand. */
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useConnection } from '#renderer/state/connection.ts';
import { isActiveJob, useJobs } from '#renderer/state/jobs.ts';
import { useTab } from '#renderer/state/tab-context.ts';
import { windowBridge } from '#renderer/state/window-bridge.ts';
import { type BridgeError, toBridgeError } from '#shared/bridge/errors.ts';
import { type JournalEntry, SEARCH_MOST } from '#shared/bridge/operations.ts';
import type { JournalSearch } from './save-journal.ts';

const PAGE = 200;

export interface JournalFilter {
  text: string;
  outcome: JournalEntry['outcome'] | '';
  kind: 'all' | 'action' | 'change';
  everywhere: boolean;
}
export const NO_FILTER: JournalFilter = { text: '', outcome: '', kind: 'all', everywhere: false };

export const isFiltered = ({ text, outcome, kind }: JournalFilter): boolean =>
  text.trim() !== '' || outcome !== '' || kind !== 'all';

interface Known {
  key: string;
  entries: JournalEntry[];
  count: number;
  next: number | null;
}

export function useJournal(filter: JournalFilter) {
  const { connection } = useConnection();
  const { isShown } = useTab();
  const jobs = useJobs().filter(({ kind }) => kind === 'action');
  const moved = `${jobs.length} ${jobs.filter(isActiveJob).length}`;
  const connectionId = filter.everywhere ? null : (connection?.id ?? null);
  const input = useMemo(
    (): JournalSearch => ({
      connectionId,
      ...(filter.text.trim() ? { text: filter.text.trim().slice(0, SEARCH_MOST) } : {}),
      ...(filter.outcome ? { outcome: filter.outcome } : {}),
      ...(filter.kind === 'all' ? {} : { kind: filter.kind }),
    }),
    [connectionId, filter],
  );
  const key = JSON.stringify(input);
  const [list, setList] = useState<Known | null>(null);
  const [error, setError] = useState<BridgeError | null>(null);
  const [times, setTimes] = useState(0);

  useEffect(() => {
    if (!isShown || times < 0 || moved === '') return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    windowBridge()
      .call('journal.list', { ...input, limit: PAGE }, { signal })
      .then(
        (page) => {
          if (signal.aborted) return;
          setError(null);
          setList({ key, ...page });
        },
        (reason: unknown) => signal.aborted || setError(toBridgeError(reason)),
      );
    return () => controller.abort();
  }, [isShown, times, moved, input, key]);

  const more = useCallback(() => {
    if (list?.next == null) return;
    windowBridge()
      .call('journal.list', { ...input, before: list.next, limit: PAGE })
      .then(
        (page) =>
          setList((now) =>
            now?.key === key && now.next === list.next
              ? { ...now, entries: [...now.entries, ...page.entries], next: page.next }
              : now,
          ),
        (reason: unknown) => setError(toBridgeError(reason)),
      );
  }, [list, input, key]);

  return {
    entries: list?.entries ?? null,
    /** Null if not known yet, or not read. */
    count: list?.count ?? null,
    /** What finds the entries shown, or null if they are still of another filter. */
    search: list?.key === key ? input : null,
    more: list?.next == null ? null : more,
    error,
    refresh: () => setTimes((before) => before + 1),
  };
}
