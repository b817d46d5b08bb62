/**
 * The states of a result set, why it stopped, and the only transitions. A change is stored in the transaction of the rows
 * or the cursor that it belongs to, and memory follows what was stored.
 */
import { ParapetError } from '#shared/bridge/errors.ts';
import type { ResultSet } from '#shared/bridge/operations.ts';
import type { Database, Statement } from '../store/database.ts';
import { type SetChange, type SetRecord, saveStatement } from './record.ts';

export type Stop = NonNullable<ResultSet['stop']>;
/** What a set can become: being fetched, complete, or stopped for a reason. */
export type Standing = 'filling' | 'complete' | Stop;

/** Every reason to stop leaves the set in one state. */
const STATE_AFTER: Readonly<Record<Stop, 'paused' | 'partial'>> = {
  enough: 'paused',
  paused: 'paused',
  replaced: 'paused',
  stopped: 'partial',
  closed: 'partial',
  offline: 'partial',
  unreachable: 'partial',
  failed: 'partial',
  storage: 'partial',
  forgot: 'partial',
  stuck: 'partial',
  short: 'partial',
  moved: 'partial',
  uncounted: 'partial',
  evidence: 'partial',
  sources: 'partial',
};

/** The legal transitions. */
const LEADS_TO: Readonly<Record<SetRecord['state'], readonly SetRecord['state'][]>> = {
  filling: ['filling', 'paused', 'partial', 'complete'],
  paused: ['filling', 'partial'],
  partial: ['filling', 'partial'],
  complete: [],
};

const isStop = (standing: Standing): standing is Stop => standing !== 'filling' && standing !== 'complete';

/** What a set becomes. Throws `internal` for an illegal transition: a fault of the program. */
export function standingOf(
  { state }: Pick<SetRecord, 'state'>,
  to: Standing,
  detail: string | null = null,
): Required<Pick<SetChange, 'state' | 'stop' | 'detail'>> {
  const next = isStop(to) ? STATE_AFTER[to] : to;
  if (!LEADS_TO[state].includes(next))
    throw new ParapetError('internal', `A result set that is ${state} cannot become ${next}.`);
  return { state: next, stop: isStop(to) ? to : null, detail };
}

/** Stores a change of a set together with what it belongs to, all or nothing; memory follows. Rejects like `write`. */
export async function change(
  db: Database,
  record: SetRecord,
  what: SetChange,
  statements: readonly Statement[] = [],
): Promise<void> {
  await db.write([...statements, saveStatement(record, what)]);
  Object.assign(record, what);
}

/** The analyst paused or stopped it. */
export const isHalted = ({ stop }: SetRecord): boolean => stop === 'paused' || stop === 'stopped';

/** Every row was wanted, and neither the analyst nor the rows ended the fetch. */
export const wasInterrupted = ({ stop, target, origin }: SetRecord): boolean =>
  origin === null &&
  target === null &&
  (stop === 'closed' || stop === 'offline' || stop === 'unreachable' || stop === 'storage');

/** The service's end was reached and the rows were judged: there is nothing to resume, only a new scan. */
const JUDGED: ReadonlySet<Stop> = new Set(['short', 'moved', 'uncounted', 'evidence']);

export const isJudged = ({ stop }: SetRecord): boolean => stop !== null && JUDGED.has(stop);

/** Whether a fetch can resume without the analyst's word. */
export const goesOn = (record: SetRecord): boolean =>
  record.origin === null && record.state !== 'complete' && !isJudged(record);
