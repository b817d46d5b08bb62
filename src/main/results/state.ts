/**
 * The states of a result set, its stop reasons, and the only transitions. A change is stored in the transaction of the
 * rows or cursor it belongs to, and memory follows what was stored.
 */
import { ParapetError } from '#shared/bridge/errors.ts';
import type { ResultSet } from '#shared/bridge/operations.ts';
import type { Database, Statement } from '../store/database.ts';
import { type SetChange, type SetRecord, saveStatement } from './record.ts';

export type Stop = NonNullable<ResultSet['stop']>;
/** What a set can become: being fetched, complete, or stopped for a reason. */
export type Standing = 'filling' | 'complete' | Stop;

/** The state that each stop reason leads to. */
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

/** The next state of a set. Throws `internal` for an illegal transition, which is a bug. */
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

/** Stores a change of a set together with related statements, all or nothing; memory follows. Rejects like `write`. */
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

/** The service's end was reached and the rows were reconciled: there is nothing to resume, only a new scan. */
const JUDGED: ReadonlySet<Stop> = new Set(['short', 'moved', 'uncounted', 'evidence']);

export const isJudged = ({ stop }: SetRecord): boolean => stop !== null && JUDGED.has(stop);

/** Whether a fetch may resume without the analyst asking. */
export const goesOn = (record: SetRecord): boolean =>
  record.origin === null && record.state !== 'complete' && !isJudged(record);
