/** Events of a demo file, generated on demand; any page takes the same time. */

import type { EntityEvent } from '#shared/model/entities.ts';
import { hasKey } from '#shared/model/narrow.ts';
import { VERDICT_LABELS } from '#shared/model/verdict.ts';
import type { FileRow } from '../store/files.ts';
import type { Store } from '../store/store.ts';
import { type Random, random } from './prng.ts';
import { documentationIp } from './senders.ts';

const KINDS = [
  ['viewed', 'Viewed'],
  ['previewed', 'Previewed'],
  ['downloaded', 'Downloaded'],
  ['edited', 'Edited'],
  ['commented', 'Commented on'],
  ['shared', 'Shared'],
  ['scanned', 'Scanned'],
  ['moved', 'Moved'],
] as const;

/** Number of a file's events: mostly a few dozen, sometimes thousands. */
function fileEventCount(row: FileRow): number {
  const rng = random(`${row.entity_id}/events`);
  const dice = rng.next();
  return dice < 0.7 ? rng.int(4, 60) : dice < 0.97 ? rng.int(61, 900) : rng.int(2_000, 9_000);
}

/** The event at an index, newest first; the last is the upload. `count` is the file's fileEventCount. */
function fileEventAt(row: FileRow, place: number, count: number, staff: readonly string[]): EntityEvent {
  const rng = random(`${row.entity_id}/event/${place}`);
  const span = Math.max(0, row.modified_at - row.created_at);
  // Each event has its own time slot, which keeps the order despite the jitter.
  const time = row.created_at + Math.floor((span * (count - 1 - place + rng.next() * 0.9)) / count);
  const actor = rng.chance(0.5) ? row.owner : rng.pick(staff);
  const base = { id: `f${place}`, time: new Date(time).toISOString(), re_evaluated: false };
  if (place === count - 1)
    return {
      ...base,
      type: 'created',
      actor: row.owner,
      summary: `Uploaded as ${row.title}`,
      detail: row.path,
    };
  if (place === count - 2)
    return { ...base, type: 'scanned', actor: null, summary: 'Scanned for the first time', detail: null };
  if (place === 0 && row.verdict !== 'clean' && row.verdict !== 'not-scanned')
    return verdictChange(row, base);
  const [type, verb] = KINDS[rng.skewed(KINDS.length, 1.5)] ?? KINDS[0];
  // A scan of a known file is a re-evaluation.
  if (type === 'scanned') return rescanned(rng, base);
  const guest = row.is_shared_externally === 1 && rng.chance(0.1);
  return {
    ...base,
    type,
    actor: guest ? `guest${rng.int(1, 9)}@partner.example` : actor,
    summary: `${verb} ${row.title}`,
    detail: `From ${documentationIp(rng)}${guest ? ', outside the organisation' : ''}`,
  };
}

type Base = Pick<EntityEvent, 'id' | 'time' | 're_evaluated'>;

function verdictChange(row: FileRow, base: Base): EntityEvent {
  const verdict = hasKey(VERDICT_LABELS, row.verdict) ? VERDICT_LABELS[row.verdict] : row.verdict;
  return {
    ...base,
    type: 're_evaluated',
    actor: 'checkpoint_te',
    summary: `Verdict changed from Clean to ${verdict}`,
    detail: row.verdict_code,
    re_evaluated: true,
  };
}

function rescanned(rng: Random, base: Base): EntityEvent {
  const again = rng.chance(0.4);
  return {
    ...base,
    type: again ? 're_evaluated' : 'scanned',
    actor: rng.pick(['checkpoint_te', 'checkpoint_av', 'lastline_av_file', 'dlp_checkpoint']),
    summary: again ? 'Evaluated again with new signatures, the verdict stays' : 'Scanned after a change',
    detail: null,
    re_evaluated: again,
  };
}

const STAFF_KNOWN = 60;
const staffOf = async ({ people }: Store): Promise<string[]> => {
  const staff = await people.range(0, STAFF_KNOWN);
  return staff.length === 0 ? ['somebody@aldermoor.example'] : staff.map(({ email }) => email);
};

export async function fileEvents(store: Store, row: FileRow, from: number, to: number) {
  const total = fileEventCount(row);
  const staff = await staffOf(store);
  const rows: EntityEvent[] = [];
  for (let place = Math.max(0, from); place < Math.min(to, total); place += 1)
    rows.push(fileEventAt(row, place, total, staff));
  return { rows, total_rows: total };
}
