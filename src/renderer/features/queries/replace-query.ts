/** Replacing a saved query without overwriting what someone else changed since it was read. */
import { create } from 'zustand';
import { readOnce } from '#renderer/bridge/use-read.ts';
import { windowBridge } from '#renderer/state/window-bridge.ts';
import { fromBridgeError, ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import type { NewQuery, Query } from '#shared/model/entities.ts';
import { changesBetween, type PlannedChange } from '#shared/query/import-plan.ts';
import { connectionId, send } from './query-send.ts';

/** Changes of both versions against the original. */
interface EditConflict {
  name: string;
  theirs: readonly PlannedChange[];
  mine: readonly PlannedChange[];
}
/** mine: my changes over theirs. theirs: what the service has. neither: nothing is sent. */
export type ConflictChoice = 'mine' | 'theirs' | 'neither';

interface Open {
  conflict: EditConflict;
  choose: (choice: ConflictChoice) => void;
}
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

const text = (value: unknown): string => JSON.stringify(value ?? null);

/** The service's current version with the fields that were changed here. */
export function overTheirs(read: NewQuery, theirs: Query, mine: NewQuery): NewQuery {
  const fields = [...new Set([...Object.keys(read), ...Object.keys(mine)])];
  const changed = fields.filter((field) => text(read[field]) !== text(mine[field]));
  return {
    ...theirs,
    ...Object.fromEntries(changed.map((field) => [field, mine[field]])),
    id: theirs.id,
    updateTime: theirs.updateTime,
  };
}

/** The service's current version of the query; a cached copy is not enough. Rejects with a ParapetError. */
async function readNow(id: string): Promise<Query> {
  const { data, error } = await readOnce(
    windowBridge(),
    connectionId(),
    'query.get',
    { params: { id } },
    { refresh: true },
  );
  if (error) throw fromBridgeError(error);
  return data;
}

/** Someone may save between the check and the update; after this many attempts the conflict is reported. */
const ROUNDS = 3;

/**
 * Saves `mine` over the version it is based on (`read`). If someone else changed the query meanwhile, both versions
 * are shown, and the analyst chooses. Returns the service's version afterwards, or null: nothing was sent.
 */
export async function replaceQuery(id: string, read: NewQuery, mine: NewQuery): Promise<Query | null> {
  for (let round = 1; ; round += 1) {
    const theirs = await readNow(id);
    const base: Query = { ...read, id };
    const changes = changesBetween(base, theirs, null);
    if (changes.length > 0) {
      const choice = await ask({
        name: theirs.name,
        theirs: changes,
        mine: changesBetween(base, mine, null),
      });
      if (choice === 'neither') return null;
      if (choice === 'theirs') return theirs;
    }
    const body = overTheirs(read, theirs, mine);
    try {
      return await send('query.update', { params: { id }, body });
    } catch (error) {
      if (toBridgeError(error).code !== 'conflict' || round >= ROUNDS) throw error;
    }
  }
}

/** The error for callers that expect an outcome when nothing was sent. */
export const nothingSent = (): ParapetError =>
  new ParapetError('cancelled', 'Nothing was sent. The query on the service is unchanged.');
