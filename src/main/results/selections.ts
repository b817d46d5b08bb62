/** Frozen selections: the rows that were meant when "all" was said, whatever is fetched or filtered later. */
import { randomUUID } from 'node:crypto';
import { ParapetError } from '#shared/bridge/errors.ts';
import type { LocalFilter } from '#shared/bridge/operations.ts';
import type { Sort } from '#shared/model/entities.ts';
import type { Context } from '../core/context.ts';
import { activeFilter } from './local-query.ts';
import type { Chosen } from './rank.ts';
import type { SetRecord } from './record.ts';
import type { SetUse } from './types.ts';
import type { View } from './views.ts';

/** Selections kept; the one made longest ago goes first. */
const KEPT = 8;

export interface Selection {
  id: string;
  record: SetRecord;
  /** Its rows by rank; null: positions 0 to count. */
  view: View | null;
  count: number;
}

export interface Selections {
  freeze(
    resultId: string,
    filter: LocalFilter | undefined,
    sort: readonly Sort[],
    chosen: Chosen | undefined,
    signal?: AbortSignal,
  ): Promise<Selection>;
  /** Rejects `not-cached` for one that was released or made too long ago. */
  get(id: string): Selection;
  ids(id: string, start: number, end: number, signal: AbortSignal): Promise<(string | null)[]>;
  release(id: string): void;
  /** The rows of set n changed their places: its selections are no longer what was chosen. */
  forget(n: number): void;
}

export function createSelections(ctx: Context, use: (id: string) => Promise<SetUse>): Selections {
  const kept = new Map<string, { selection: Selection; release: () => void }>();

  const release = (id: string) => {
    const found = kept.get(id);
    kept.delete(id);
    found?.release();
  };
  const get = (id: string): Selection => {
    const found = kept.get(id);
    if (found === undefined)
      throw new ParapetError('not-cached', 'This selection is no longer kept. Select the rows again.');
    return found.selection;
  };
  ctx.onStorage(() => {
    for (const id of [...kept.keys()]) release(id);
  });

  return {
    async freeze(resultId, filter, sort, chosen, signal) {
      const held = await use(resultId);
      try {
        const { record } = held;
        const active = activeFilter(filter);
        const view =
          active === null && sort.length === 0 && chosen === undefined
            ? null
            : await held.views.hold(record, sort, active, chosen, signal);
        const selection = { id: randomUUID(), record, view, count: view?.count ?? record.loaded };
        kept.set(selection.id, {
          selection,
          release() {
            view?.release();
            held.release();
          },
        });
        const [oldest] = kept.keys();
        if (kept.size > KEPT && oldest !== undefined) release(oldest);
        return selection;
      } catch (error) {
        held.release();
        throw error;
      }
    },
    get,
    async ids(id, start, end, signal) {
      const { record, view } = get(id);
      const rows = await ctx.cache.rows(
        view === null
          ? `SELECT entity_id FROM rs_${record.n} WHERE pos >= ? AND pos < ? ORDER BY pos`
          : `SELECT r.entity_id FROM rv_${view.n} v CROSS JOIN rs_${record.n} r ON r.pos = v.pos WHERE v.rank > ? AND v.rank <= ? ORDER BY v.rank`,
        [start, Math.min(end, get(id).count)],
        { signal },
      );
      return rows.map(([entityId]) => (typeof entityId === 'string' ? entityId : null));
    },
    release,
    forget(n) {
      for (const [id, { selection }] of [...kept]) if (selection.record.n === n) release(id);
    },
  };
}
