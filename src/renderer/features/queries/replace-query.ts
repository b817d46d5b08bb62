/** Replacing a saved query without overwriting what someone else changed since it was read. */
import { create } from 'zustand';
import { readOnce } from '#renderer/bridge/use-read.ts';
import { sendChange } from '#renderer/state/send-change.ts';
import { windowBridge } from '#renderer/state/window-bridge.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import { fromBridgeError, ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import type { NewQuery, Query } from '#shared/model/entities.ts';
import { hasPassword } from '#shared/model/query-status.ts';
import { changedFields, changesBetween, type PlannedChange } from '#shared/query/import-plan.ts';
import { connectionId } from './query-send.ts';

interface EditConflict {
  name: string;
  theirs: readonly PlannedChange[];
  mine: readonly PlannedChange[];
}
/** 'mine' sends my changes over theirs, 'theirs' keeps what the service has, 'neither' sends nothing. */
export type ConflictChoice = 'mine' | 'theirs' | 'neither';

interface Open {
  conflict: EditConflict;
  choose: (choice: ConflictChoice) => void;
}
/** The path of the schedule's password, as in a refusal of the service. */
const PASSWORD = 'scheduledExport.password';

export const useEditConflict = create<{ open: Open | null }>(() => ({ open: null }));

function ask(conflict: EditConflict): Promise<ConflictChoice> {
  // One at a time: an open one is closed without saving.
  useEditConflict.getState().open?.choose('neither');
  return new Promise((resolve) => {
    const choose = (choice: ConflictChoice) => {
      useEditConflict.setState({ open: null });
      resolve(choice);
    };
    useEditConflict.setState({ open: { conflict, choose } });
  });
}

/** Whether a form sets or removes the schedule's password. One that keeps it does not contain it. */
function changesPassword(read: NewQuery, { scheduledExport: mine }: NewQuery): boolean {
  const password = mine?.password;
  return password === '' ? hasPassword(read.scheduledExport) !== false : password != null;
}

/** What was changed here, as the dialog lists it. */
function changesHere(read: NewQuery, mine: NewQuery): PlannedChange[] {
  const changes = changesBetween(read, mine, null);
  if (!changesPassword(read, mine)) return changes;
  const before = { true: 'set', false: 'none', null: 'not listed' }[`${hasPassword(read.scheduledExport)}`];
  return [
    ...changes,
    { field: PASSWORD, before, after: mine.scheduledExport?.password === '' ? 'none' : 'a new one' },
  ];
}

/** The service's current version with the fields that were changed here. */
export function overTheirs(read: NewQuery, theirs: Query, mine: NewQuery): NewQuery {
  const changed = changedFields(read, mine);
  if (mine.status !== read.status) changed.push('status');
  if (changesPassword(read, mine)) changed.push('scheduledExport');
  return {
    ...theirs,
    ...Object.fromEntries(changed.map((field) => [field, mine[field]])),
    id: theirs.id,
    updateTime: theirs.updateTime,
  };
}

/** What somebody else changed since `read`; `mine` is the fields that were changed here. */
function changesThere(read: NewQuery, theirs: Query, mine: readonly PlannedChange[]): PlannedChange[] {
  const changes = changesBetween(read, theirs, null);
  const areTimed = theirs.updateTime != null && read.updateTime != null;
  if (areTimed && theirs.updateTime !== read.updateTime) return changes;
  // A list may omit fields, so one that was not read is no change. It stays as it is, unless it was changed here. Times
  // may be in whole seconds, in which a query can change twice.
  return changes.filter(
    ({ field }) => read[field] !== undefined || (!areTimed && mine.some((change) => change.field === field)),
  );
}

const LOST =
  'The password that you kept is no longer on the service, because somebody else changed the schedule. Enter it again, or choose None.';

/** A schedule must not lose its password unnoticed: its results would be sent without one. */
function requirePassword(read: NewQuery, theirs: Query, { scheduledExport: schedule }: NewQuery): void {
  const isLost = hasPassword(read.scheduledExport) && !hasPassword(theirs.scheduledExport);
  if (isLost && schedule != null && schedule !== theirs.scheduledExport && schedule.password === undefined)
    throw new ParapetError('bad-request', LOST, { data: { field: PASSWORD, serviceMessage: LOST } });
}

/** The service's current version of the query; a cached copy is not enough. Rejects with a ParapetError. */
export async function readNow(id: string, connection: string): Promise<Query> {
  const { data, error } = await readOnce(
    windowBridge(),
    connection,
    'query.get',
    { params: { id } },
    { refresh: true },
  );
  if (error) throw fromBridgeError(error);
  return data;
}

export interface Replaced {
  /** The service's version afterwards. */
  query: Query;
  /** False if the analyst chose the version of somebody else, and nothing was sent. */
  isSent: boolean;
}

/** Someone may save between the check and the update; after this many attempts the conflict is reported. */
const ROUNDS = 3;

/**
 * Saves `mine` over the version it is based on (`read`). If someone else changed the query meanwhile, both versions
 * are shown, and the analyst chooses. Null if the analyst cancelled, and nothing was sent. Everything goes to the
 * connection that it began on, as another one may be opened meanwhile.
 */
export async function replaceQuery(
  id: string,
  read: NewQuery,
  mine: NewQuery,
  connection = connectionId(),
): Promise<Replaced | null> {
  const here = changesHere(read, mine);
  for (let round = 1; ; round += 1) {
    const theirs = await readNow(id, connection);
    const there = changesThere(read, theirs, here);
    if (there.length > 0) {
      const choice = await ask({ name: theirs.name, theirs: there, mine: here });
      if (choice === 'neither') return null;
      if (choice === 'theirs') return { query: theirs, isSent: false };
    }
    const body = overTheirs(read, theirs, mine);
    requirePassword(read, theirs, body);
    try {
      return { query: await sendChange(connection, 'query.update', { params: { id }, body }), isSent: true };
    } catch (error) {
      if (toBridgeError(error).code !== 'conflict' || round >= ROUNDS) throw error;
    }
  }
}

/** Reports that a query was saved, or that somebody else's version was kept. */
export function tellSaved(
  { query, isSent }: Replaced,
  title = `Saved “${query.name}”`,
  detail: string | undefined = undefined,
): void {
  if (isSent) showToast({ intent: 'success', title, ...(detail === undefined ? {} : { detail }) });
  else
    showToast({
      intent: 'info',
      title: `Kept the other version of “${query.name}”`,
      detail: 'Nothing was sent.',
    });
}

/** The error for callers that expect an outcome when nothing was sent. */
export const nothingSent = (): ParapetError =>
  new ParapetError('cancelled', 'Nothing was sent. The query on the service is unchanged.');
