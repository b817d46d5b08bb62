/** Rows of a set in the order of arrival, fetched on demand when the grid scrolls beyond the loaded ones. */
import type { Cell } from '#shared/model/entities.ts';
import { asShown } from '#shared/model/exact-numbers.ts';
import type { Context } from '../kernel/context.ts';
import { makeReadySoon } from './columnar/client.ts';
import { decodeRow, selection } from './encode.ts';
import { type Leases, withLease } from './leases.ts';
import { knownTotal } from './reason.ts';
import type { SetRecord } from './record.ts';
import { nextChange, type ResultSession, targetOf } from './session.ts';
import type { Slice } from './sorted-rows.ts';
import { isHalted } from './state.ts';

/** Rows fetched beyond what the grid asks for. */
const FETCH_AHEAD = 5_000;

interface PageSource {
  leases: Leases;
  /** Whether the service has more rows and can be reached. */
  hasMore(record: SetRecord): boolean;
  /** Starts or continues fetching up to `target` rows. */
  fetchUpTo(session: ResultSession, target: number): void;
}

/** Returns rows start to end (exclusive), waiting for those being fetched. */
export function createPages(ctx: Context, { hasMore, fetchUpTo, leases }: PageSource) {
  return async (session: ResultSession, start: number, end: number, signal: AbortSignal): Promise<Slice> => {
    const { record } = session;
    const limit = () => Math.min(end, knownTotal(record));
    let begun = false;
    while (record.loaded < limit() && hasMore(record)) {
      const target = targetOf(session);
      const within = session.fetcher !== null && (target === null || end <= target);
      if (!within && isHalted(record)) break;
      // A fetch that reached its old target may be ending while more is wanted, so it is started again; a failed one is
      // not.
      if (session.fetcher === null && begun && record.state !== 'paused') break;
      if (!within) fetchUpTo(session, end + FETCH_AHEAD);
      begun = true;
      await nextChange(session, signal);
    }
    // Sorts and searches will need it, after the page itself.
    if (record.state !== 'filling' && record.loaded > 0) makeReadySoon(ctx.cache, record);
    return withLease(leases.take(record), async ({ record: leased, db }) => {
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
