/** Actions on schedules: save, send now, and operations on several policies. Passwords are passed on, never stored. */

import { currentDraft, updateDraft } from '#renderer/state/drafts.ts';
import { inDoubt } from '#renderer/state/respond.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import { IN_DOUBT, ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import type { Draft } from '#shared/bridge/workspace.ts';
import type { NewQuery, Query, ScheduledExport } from '#shared/model/entities.ts';
import { exact, plural } from '#shared/model/format.ts';
import { NAME_NEEDED } from './labels.ts';
import { send, showNotDone } from './query-send.ts';
import { nothingSent, overTheirs, type Replaced, replaceQuery, tellSaved } from './replace-query.ts';
import { type SaveProblem, saveProblemOf } from './save-problems.ts';
import { saveUnderway, startSave } from './saves-underway.ts';

type Schedule = ScheduledExport | null;
export const POLICY_OPERATORS = [
  { operator: 'enable', label: 'Enable', done: 'Enabled' },
  { operator: 'disable', label: 'Disable', done: 'Disabled' },
  { operator: 'pause', label: 'Pause', done: 'Paused' },
  { operator: 'resume', label: 'Resume', done: 'Resumed' },
  { operator: 'unschedule', label: 'Remove schedule', done: 'Schedule removed' },
] as const;
export type PolicyOperator = (typeof POLICY_OPERATORS)[number]['operator'];

const notDone = (said?: string | null): ParapetError =>
  new ParapetError('not-allowed', said || 'The service reported that it was not done.');

const CONTRADICTION = 'The service also reported that it was not done';

/** Applies an operation to several policies; rejected ones are listed with their reasons. */
export async function operate(
  operator: PolicyOperator,
  queries: readonly { id: string; name: string }[],
): Promise<void> {
  const { done, label } = POLICY_OPERATORS.find((one) => one.operator === operator) ?? POLICY_OPERATORS[0];
  try {
    const { success, outcomes } = await send('policies.operation', {
      body: { operator, policies_ids: queries.map(({ id }) => id) },
      ...(queries.length === 1 && queries[0] ? { about: queries[0].name } : {}),
    });
    const named = outcomes ?? [];
    if (!success && named.length === 0) throw notDone();
    const names = new Map(queries.map(({ id, name }) => [id, name]));
    const refused = named.filter((one) => !one.success);
    // A service may name only those that it rejected.
    const others = queries.length - named.length;
    const changed = named.length - refused.length + (success ? others : 0);
    const problems = refused
      .slice(0, 5)
      .map(({ id, error }) => `${names.get(id) ?? id}: ${error ?? 'rejected'}`)
      .concat(refused.length > 5 ? [`and ${exact(refused.length - 5)} more`] : [])
      .concat(!success && others > 0 ? [`For ${exact(others)}, the service gave no outcome`] : [])
      .concat(!success && others <= 0 && refused.length === 0 ? [CONTRADICTION] : []);
    showToast({
      intent: problems.length === 0 && changed > 0 ? 'success' : 'caution',
      title:
        problems.length === 0
          ? `${done}: ${plural(changed, 'query', 'queries')}`
          : `${done}: ${exact(changed)} of ${exact(queries.length)}`,
      ...(problems.length > 0 ? { detail: problems.join('. '), stays: true } : {}),
    });
  } catch (error) {
    showNotDone(`${label} failed`, error, label);
  }
}

/** Sends the scheduled result of a saved query now. */
export async function sendNow(query: { id: string; name: string }): Promise<void> {
  try {
    const { success, rows, recipients } = await send('policies.send-result', {
      params: { id: query.id },
      about: query.name,
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
  }
}

/** The refusal with its field, if the service names one. */
function problemOf(error: unknown): SaveProblem {
  const { code, message } = toBridgeError(error);
  return saveProblemOf(error) ?? { field: '', message, isInDoubt: IN_DOUBT.includes(code) };
}

const REMOVED_BY_OTHERS =
  'Somebody else removed this schedule, and you changed nothing in it, so it stays removed. Close this and open it again to set a new one.';

/** Reports that the schedule was saved, and enables the query if requested. Returns whether it is enabled. */
async function enableAfter(saved: Replaced, enable: boolean): Promise<boolean> {
  const { query, isSent } = saved;
  const title = query.scheduledExport
    ? `Saved the schedule of “${query.name}”`
    : `Removed the schedule of “${query.name}”`;
  if (!isSent || !enable || !query.scheduledExport) {
    tellSaved(saved, title);
    return false;
  }
  try {
    const { success, outcomes } = await send('policies.operation', {
      body: { operator: 'enable', policies_ids: [query.id] },
      about: query.name,
    });
    if (!success) throw notDone(outcomes?.[0]?.error);
    showToast({ intent: 'success', title, detail: 'The query is enabled and runs on this schedule.' });
    return true;
  } catch (error) {
    const { code, message } = toBridgeError(error);
    const outcome = IN_DOUBT.includes(code) ? inDoubt('Enable') : 'It could not be enabled';
    showToast({ intent: 'caution', title, detail: `${outcome}. ${message}`, stays: true });
    return false;
  }
}

/** A schedule that somebody else removed, and that was not changed here. */
const isStillRemoved = (wanted: Schedule, { query, isSent }: Replaced): boolean =>
  isSent && wanted !== null && query.scheduledExport == null;

/**
 * Saves the schedule of a saved query; `onSaved` receives the query as saved. Returns the refusal, or null.
 */
export async function saveSchedule(
  query: Query,
  scheduledExport: Schedule,
  enable: boolean,
  onSaved: (saved: Query) => void = () => undefined,
): Promise<SaveProblem | null> {
  try {
    const replaced = await replaceQuery(query.id, query, { ...query, scheduledExport });
    if (replaced === null) return problemOf(nothingSent());
    onSaved(replaced.query);
    if (isStillRemoved(scheduledExport, replaced)) return { field: '', message: REMOVED_BY_OTHERS };
    await enableAfter(replaced, enable);
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
  scheduledExport: Schedule,
  name: string,
  enable: boolean,
): Promise<SaveProblem | null> {
  await saveUnderway(draftId);
  const save = () => saveScheduleOnce(draftId, scheduledExport, name, enable);
  return startSave(draftId, save, (problem) => problem === null);
}

async function saveScheduleOnce(
  draftId: string,
  scheduledExport: Schedule,
  name: string,
  enable: boolean,
): Promise<SaveProblem | null> {
  const draft = currentDraft(draftId);
  if (!draft) return null;
  const base: NewQuery = draft.saved ?? { ...draft.query, name: name.trim() };
  if (base.name.trim() === '') return { field: 'name', message: NAME_NEEDED };
  try {
    const replaced =
      draft.savedId === null
        ? {
            query: await send('query.save', { body: { ...base, id: undefined, scheduledExport } }),
            isSent: true,
          }
        : await replaceQuery(draft.savedId, base, { ...base, scheduledExport });
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
    if (isStillRemoved(scheduledExport, replaced)) return { field: '', message: REMOVED_BY_OTHERS };
    if (await enableAfter(replaced, enable)) updateDraft(draftId, runsNow);
    return null;
  } catch (error) {
    return problemOf(error);
  }
}
