/** Deleting saved queries: gone from the library at once, sent to the service when the time for Undo is over. */
import { create } from 'zustand';
import { currentConnection } from '#renderer/state/connection.ts';
import { closeToast, showToast } from '#renderer/ui/toaster.ts';
import type { Query } from '#shared/model/entities.ts';
import { exact } from '#shared/model/format.ts';
import { connectionId, send, tellFailure } from './query-send.ts';

/** As long as a toast stays. */
export const UNDO_MS = 5000;

const useStore = create<{ ids: ReadonlySet<string> }>(() => ({ ids: new Set() }));

/** Ids that are being deleted: hidden, though the service still has them. */
export const useDeleting = (): ReadonlySet<string> => useStore(({ ids }) => ids);

function mark(queries: readonly Query[], deleting: boolean): void {
  useStore.setState(({ ids }) => {
    const next = new Set(ids);
    for (const { id } of queries) {
      if (deleting) next.add(id);
      else next.delete(id);
    }
    return { ids: next };
  });
}

const named = (queries: readonly Query[]): string =>
  queries.length === 1 ? `“${queries[0]?.name ?? ''}”` : `${exact(queries.length)} queries`;

/** Hides the queries and deletes them on the service after a while, unless that is undone. */
export function deleteQueries(queries: readonly Query[]): void {
  const asked = connectionId();
  mark(queries, true);
  let sent = false;
  const timer = setTimeout(() => {
    sent = true;
    // Another connection has other queries, perhaps under the same ids.
    if (currentConnection()?.id === asked) void sendDeletes(queries).finally(() => mark(queries, false));
    else mark(queries, false);
    closeToast(toast);
  }, UNDO_MS);
  const toast = showToast({
    intent: 'info',
    title: `Deleting ${named(queries)}`,
    action: {
      label: 'Undo',
      run: () => {
        if (sent) return;
        clearTimeout(timer);
        mark(queries, false);
        showToast({ intent: 'success', title: `Kept ${named(queries)}` });
      },
    },
  });
}

async function sendDeletes(queries: readonly Query[]): Promise<void> {
  const gone: Query[] = [];
  try {
    for (const query of queries) {
      await send('query.delete', { params: { id: query.id } });
      gone.push(query);
    }
    showToast({ intent: 'success', title: `Deleted ${named(gone)}` });
  } catch (error) {
    tellFailure(`Deleted ${exact(gone.length)} of ${exact(queries.length)} queries`, error);
  }
}
