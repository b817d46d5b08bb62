/** Actions on schedules: save and send now. Passwords are passed on, never stored. */
import { create } from 'zustand';
import { currentDraft, updateDraft } from '#renderer/state/drafts.ts';
import { inDoubt } from '#renderer/state/respond.ts';
import { sendChange } from '#renderer/state/send-change.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import { mayBeDone, ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import type { Draft } from '#shared/bridge/workspace.ts';
import type { NewQuery, Query, ScheduledExport } from '#shared/model/entities.ts';
import { plural } from '#shared/model/format.ts';
import { parseQueryStatus } from '#shared/model/query-status.ts';
import { NAME_NEEDED } from './labels.ts';
import { connectionId, showNotDone } from './query-send.ts';
import { nothingSent, overTheirs, type Replaced, replaceQuery, tellSaved } from './replace-query.ts';
import { type SaveProblem, saveProblemOf } from './save-problems.ts';
import { saveUnderway, startSave } from './saves-underway.ts';

const notDone = (reason?: string | null): ParapetError =>
  new ParapetError('not-allowed', reason || 'The service reported that it was not done.');

/** Queries whose results are being sent: a second request would send them again. */
const useResultsSending = create<{ ids: ReadonlySet<string> }>(() => ({ ids: new Set() }));
export const useIsSending = (id: string): boolean => useResultsSending(({ ids }) => ids.has(id));

/** Sends the scheduled result of a saved query now. The journal keeps who got it. */
export async function sendNow(
  query: Pick<Query, 'id' | 'name' | 'scheduledExport'>,
  connection: string,
): Promise<void> {
  const to = query.scheduledExport?.emails.join(', ');
  if (useResultsSending.getState().ids.has(query.id)) return;
  useResultsSending.setState(({ ids }) => ({ ids: new Set(ids).add(query.id) }));
  try {
    const { success, rows, recipients } = await sendChange(connection, 'policies.send-result', {
      params: { id: query.id },
      about: (to ? `${query.name}, to ${to}` : query.name).slice(0, 300),
    });
    if (!success) throw notDone();
    const what = rows == null ? 'The result' : plural(rows, 'row');
    showToast({
      intent: 'success',
      title: `Sent: ${query.name}`,
      detail: `${what}${recipients ? ` to ${plural(recipients.length, 'recipient')}` : ''}.`,
    });
  } catch (error) {
    showNotDone(`“${query.name}” was not sent`, error, `Send “${query.name}”`);
  } finally {
    useResultsSending.setState(({ ids }) => ({ ids: new Set([...ids].filter((id) => id !== query.id)) }));
  }
}

/** The refusal with its field, if the service names one. */
function problemOf(error: unknown): SaveProblem {
  const failure = toBridgeError(error);
  return saveProblemOf(error) ?? { field: '', message: failure.message, isInDoubt: mayBeDone(failure) };
}

const REMOVED_BY_OTHERS =
  'Somebody else removed this schedule, and you changed nothing in it, so it stays removed. Close this and open it again to set a new one.';

const NOT_RUNNING = 'The query is not running: nothing is sent until it is enabled.';

/** Reports that the schedule was saved, and enables the query if requested. Returns whether it is enabled. */
async function enableAfter(saved: Replaced, enable: boolean, connection: string): Promise<boolean> {
  const { query, isSent } = saved;
  const title = `Saved the schedule of “${query.name}”`;
  if (!isSent || !enable || !query.scheduledExport) {
    // It may have been stopped since it was read.
    const runs = parseQueryStatus(query.status ?? '') === 'running';
    tellSaved(saved, title, query.scheduledExport && !runs ? NOT_RUNNING : undefined);
    return false;
  }
  try {
    const { success, outcomes } = await sendChange(connection, 'policies.operation', {
      body: { operator: 'enable', policies_ids: [query.id] },
      about: query.name,
    });
    if (!success) throw notDone(outcomes?.[0]?.error);
    showToast({ intent: 'success', title, detail: 'The query is enabled and runs on this schedule.' });
    return true;
  } catch (error) {
    const failure = toBridgeError(error);
    const outcome = mayBeDone(failure) ? inDoubt('Enable') : 'It could not be enabled';
    showToast({ intent: 'caution', title, detail: `${outcome}. ${failure.message}`, stays: true });
    return false;
  }
}

/** A schedule that somebody else removed, and that was not changed here. */
const isStillRemoved = ({ query, isSent }: Replaced): boolean => isSent && query.scheduledExport == null;

/**
 * Saves the schedule of a saved query; `onSaved` receives the query as saved. Returns the refusal, or null.
 */
export async function saveSchedule(
  query: Query,
  scheduledExport: ScheduledExport,
  enable: boolean,
  onSaved: (saved: Query) => void = () => undefined,
): Promise<SaveProblem | null> {
  try {
    const connection = connectionId();
    const replaced = await replaceQuery(query.id, query, { ...query, scheduledExport }, connection);
    if (replaced === null) return problemOf(nothingSent());
    onSaved(replaced.query);
    if (isStillRemoved(replaced)) return { field: '', message: REMOVED_BY_OTHERS };
    await enableAfter(replaced, enable, connection);
    return null;
  } catch (error) {
    return problemOf(error);
  }
}

/** Marks the draft as running; otherwise its next save would disable the query. */
const runsNow = (draft: Draft): Draft => ({
  ...draft,
  query: { ...draft.query, status: 'running' },
  saved: draft.saved && { ...draft.saved, status: 'running' },
});

/**
 * Saves the schedule of a draft: with the query as it was saved, so that edits stay edits; a new query is saved as
 * it is. The draft never contains the password.
 */
export async function saveDraftSchedule(
  draftId: string,
  scheduledExport: ScheduledExport,
  name: string,
  enable: boolean,
): Promise<SaveProblem | null> {
  await saveUnderway(draftId);
  const save = () => saveScheduleOnce(draftId, scheduledExport, name, enable);
  return startSave(draftId, save, (problem) => problem === null);
}

async function saveScheduleOnce(
  draftId: string,
  scheduledExport: ScheduledExport,
  name: string,
  enable: boolean,
): Promise<SaveProblem | null> {
  const draft = currentDraft(draftId);
  if (!draft) return null;
  const { connectionId: connection } = draft;
  const base: NewQuery = draft.saved ?? { ...draft.query, name: name.trim() };
  if (base.name.trim() === '') return { field: 'name', message: NAME_NEEDED };
  try {
    const replaced =
      draft.savedId === null
        ? {
            query: await sendChange(connection, 'query.save', {
              body: { ...base, id: undefined, scheduledExport },
            }),
            isSent: true,
          }
        : await replaceQuery(draft.savedId, base, { ...base, scheduledExport }, connection);
    if (replaced === null) return problemOf(nothingSent());
    const saved = replaced.query;
    const unchanged = currentDraft(draftId)?.query === draft.query && draft.savedId === null;
    updateDraft(draftId, (now) => ({
      ...now,
      savedId: saved.id,
      saved: structuredClone(saved),
      // Only edits stay edits: what someone else saved meanwhile in the other fields would be undone by the next save.
      query: unchanged
        ? saved
        : { ...overTheirs(base, saved, now.query), scheduledExport: saved.scheduledExport ?? null },
    }));
    if (isStillRemoved(replaced)) return { field: '', message: REMOVED_BY_OTHERS };
    if (await enableAfter(replaced, enable, connection)) updateDraft(draftId, runsNow);
    return null;
  } catch (error) {
    return problemOf(error);
  }
}
