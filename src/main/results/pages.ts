/** Rows of a set in its own order, fetched on the way when the grid asks beyond what is here. */
import type { Cell } from '#shared/model/entities.ts';
import { asShown } from '#shared/model/exact-numbers.ts';
import type { Context } from '../kernel/context.ts';
import { makeReadySoon } from './columnar/client.ts';
import { decodeRow, selection } from './encode.ts';
import { type Leases, reading } from './leases.ts';
import { knownTotal } from './reason.ts';
import type { SetRecord } from './record.ts';
import { type Live, nextChange, targetOf } from './session.ts';
import { isHalted } from './state.ts';
import type { Slice } from './views.ts';

/** How much more is fetched when the grid asks beyond what is here. */
const FILL_AHEAD = 5_000;

interface Fills {
  leases: Leases;
  /** Is there a place to go on from, and a way to? */
  hasMore(record: SetRecord): boolean;
  /** Goes on fetching up to `target` rows. */
  proceed(entry: Live, target: number): void;
}

/** Answers rows start to end (exclusive), waiting for those on their way. */
export function createPages(ctx: Context, { hasMore, proceed, leases }: Fills) {
  return async (entry: Live, start: number, end: number, signal: AbortSignal): Promise<Slice> => {
    const { record } = entry;
    const wanted = () => Math.min(end, knownTotal(record));
    let begun = false;
    while (record.loaded < wanted() && hasMore(record)) {
      const target = targetOf(entry);
      const within = entry.filler !== null && (target === null || end <= target);
      if (!within && isHalted(record)) break;
      // A fill that had enough may be on its way out while more is wanted: it is begun again, a failed one is not.
      if (entry.filler === null && begun && record.state !== 'paused') break;
      if (!within) proceed(entry, end + FILL_AHEAD);
      begun = true;
      await nextChange(entry, signal);
    }
    // Behind the first look at it: what sorts and searches will want.
    if (record.state !== 'filling' && record.loaded > 0) makeReadySoon(ctx.cache, record);
    return reading(leases.begin(record), async ({ record: leased, db }) => {
      const { n, columns, loaded } = leased;
      const raw = await db.rows(
        `SELECT ${selection(columns, 'r')} FROM rs_${n} r WHERE r.pos >= ? AND r.pos < ? ORDER BY r.pos`,
        [start, Math.min(end, loaded)],
        { signal, urgency: 'now' },
      );
      return {
        rows: raw.map((row): Cell[] => asShown(decodeRow(columns, row))),
        count: knownTotal(leased),
        loaded,
      };
    });
  };
}
