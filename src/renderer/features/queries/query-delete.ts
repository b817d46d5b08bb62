/**
 * Deleting saved queries: hidden from the library at once. The main process logs the request and sends it when the
 * time for Undo is over, to the connection where it was confirmed, even if this window is closed.
 */

import { create } from 'zustand';
import { openActionOutcome } from '#renderer/state/action-order.ts';
import { removeDraftsOf } from '#renderer/state/drafts.ts';
import { controlJob, whenJobEnds } from '#renderer/state/jobs.ts';
import { inDoubt } from '#renderer/state/respond.ts';
import { attempt, showFailure } from '#renderer/state/show-failure.ts';
import { useTabs } from '#renderer/state/tabs.ts';
import { windowBridge } from '#renderer/state/window-bridge.ts';
import { closeToast, showToast } from '#renderer/ui/toaster.ts';
import type { Job } from '#shared/bridge/operations.ts';
import type { Query } from '#shared/model/entities.ts';
import { exact, plural } from '#shared/model/format.ts';
import { connectionId } from './query-send.ts';

/** Matches the lifetime of a toast. */
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
  queries.length === 1 ? `“${queries[0]?.name ?? ''}”` : plural(queries.length, 'query', 'queries');

/** Hides the queries and requests their deletion, which is sent unless it is undone in time. */
export async function deleteQueries(queries: readonly Query[]): Promise<void> {
  mark(queries, true);
  await attempt(`Not deleted: ${named(queries)}`, async () => {
    const { job, journalId } = await windowBridge().call('queries.delete', {
      connectionId: connectionId(),
      queries: queries.map(({ id, name, status, scheduledExport }) => ({
        id,
        name,
        status,
        scheduledExport,
      })),
      undoMs: UNDO_MS,
    });
    let undone = false;
    const toast = showToast({
      intent: 'info',
      title: `Deleting ${named(queries)}`,
      action: {
        label: 'Undo',
        run: () => {
          undone = true;
          // The outcome is reported below: the request may have been sent already.
          controlJob(job.id, 'cancel').catch((error: unknown) => showFailure('Undo failed', error));
        },
      },
    });
    showOutcome(queries, await whenJobEnds(job), journalId, undone);
    closeToast(toast);
  });
  mark(queries, false);
}

function showOutcome(queries: readonly Query[], job: Job, journalId: number, undone: boolean): void {
  const count = Number(job.outcome?.['done'] ?? 0);
  const unknown = Number(job.outcome?.['unknown'] ?? 0);
  const action = { label: 'View outcome', run: () => openActionOutcome(journalId) };
  if (job.state === 'done') {
    showToast({ intent: 'success', title: `Deleted ${named(queries)}` });
    const open = useTabs
      .getState()
      .tabs.flatMap(({ route }) => (route.screen === 'query' ? [route.draftId] : []));
    void removeDraftsOf(new Set(queries.map(({ id }) => id)), new Set(open)).catch(() => undefined);
  } else if (undone && job.state === 'cancelled')
    showToast({ intent: 'success', title: `Deletion undone: ${named(queries)}` });
  else
    showToast({
      intent: unknown > 0 ? 'caution' : 'error',
      stays: true,
      title:
        count > 0
          ? `Deleted ${exact(count)} of ${exact(queries.length)} queries`
          : unknown > 0
            ? inDoubt(`Delete ${named(queries)}`)
            : `Not deleted: ${named(queries)}`,
      ...(job.note ? { detail: job.note } : {}),
      action,
    });
}
