/**
 * Follows actions until they finish: marks changed entities, and shows a toast with the outcome unless a dialog shows
 * it.
 */
import { showToast } from '#renderer/ui/toaster.ts';
import type { Job, JournalEntry } from '#shared/bridge/operations.ts';
import { openActionOutcome, useActionOrder } from './action-order.ts';
import { onAppEvent } from './app-events.ts';
import { markChanged } from './changed-rows.ts';
import { isActiveJob } from './jobs.ts';
import { journalSentence, OUTCOME_LABELS, outcomeWords } from './journal-words.ts';
import { showUndoable, withdrawUndo } from './undo.ts';
import { windowBridge } from './window-bridge.ts';

const MOST_MARKED = 10_000;
/** The dialogs that send these show their outcome themselves. */
const SELF_REPORTED: ReadonlySet<string> = new Set(['query.delete', 'exceptions.create-external']);
const CHANGES_ROWS: ReadonlySet<string> = new Set(['query.action', 'manual-actions.create']);
const ids = new Set<number>();

async function entryOf(journalId: number): Promise<JournalEntry | null> {
  const page = await windowBridge().call('journal.list', {
    connectionId: null,
    kind: 'action',
    before: journalId + 1,
    limit: 1,
  });
  return page.entries.find(({ id }) => id === journalId) ?? null;
}

const countsOf = ({ outcome }: Job): string =>
  outcomeWords(
    Object.fromEntries(
      Object.entries(outcome ?? {}).filter(
        (entry): entry is [string, number] => typeof entry[1] === 'number',
      ),
    ),
  );

function tell(entry: JournalEntry, job: Job): void {
  const { outcome, id, message } = entry;
  if (useActionOrder.getState().outcome === id) return;
  const view = { label: 'Outcome', run: () => openActionOutcome(id) };
  if (outcome === 'done') {
    const title = journalSentence(entry);
    showUndoable({ intent: 'success', title, detail: message ?? 'Logged in Activity.' }, entry, view);
  } else
    showToast({
      intent: outcome === 'failed' ? 'error' : 'caution',
      title: `${journalSentence(entry)}: ${countsOf(job) || OUTCOME_LABELS[outcome].toLowerCase()}`,
      detail: message ?? 'Logged in Activity.',
      stays: true,
      action: view,
    });
}

async function ended(journalId: number, job: Job): Promise<void> {
  const entry = await entryOf(journalId);
  if (entry === null || SELF_REPORTED.has(entry.endpoint)) return;
  if (CHANGES_ROWS.has(entry.endpoint)) {
    const { targets } = await windowBridge().call('actions.targets', {
      journalId,
      // Targets without an answer may have been acted on.
      states: ['done', 'unknown'],
      start: 0,
      end: MOST_MARKED,
    });
    markChanged(
      entry.connectionId,
      targets.map(({ entityId }) => entityId),
      journalSentence(entry),
    );
  }
  tell(entry, job);
}

function heard(job: Job): void {
  const journalId = job.outcome?.['journalId'];
  if (job.kind !== 'action' || isActiveJob(job) || typeof journalId !== 'number' || ids.has(journalId))
    return;
  ids.add(journalId);
  void ended(journalId, job).catch(() => ids.delete(journalId));
}

export function startActionWatch(): void {
  onAppEvent('job', ({ job }) => {
    withdrawUndo(job);
    heard(job);
  });
}
