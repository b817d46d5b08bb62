/** Frozen selections: the rows that were meant when "all" was said, whatever is fetched or filtered later. */
import { randomUUID } from 'node:crypto';
import { ParapetError } from '#shared/bridge/errors.ts';
import type { LocalFilter } from '#shared/bridge/operations.ts';
import type { Sort } from '#shared/model/entities.ts';
import type { Context } from '../kernel/context.ts';
import type { Rows } from './leases.ts';
import { activeFilter } from './local-query.ts';
import type { Chosen } from './sort-index.ts';
import type { SetUse } from './types.ts';
import type { View } from './views.ts';

/** Selections kept; the one made longest ago goes first. */
const KEPT = 8;

export interface Selection {
  id: string;
  /** The rows that it was made of: they stay as they lay then, also when the set's gaps are closed. */
  rows: Rows;
  /** Its rows by rank; null: positions 0 to count. */
  view: View | null;
  count: number;
}

export interface HeldSelection extends Selection {
  release(): void;
}

export interface Selections {
  freeze(
    resultId: string,
    filter: LocalFilter | undefined,
    sort: readonly Sort[],
    chosen: Chosen | undefined,
    signal?: AbortSignal,
  ): Promise<Selection>;
  /** Keeps it readable until released, also when the grid lets go of it. Throws `not-cached` for one that is gone. */
  hold(id: string): HeldSelection;
  ids(id: string, start: number, end: number, signal: AbortSignal): Promise<(string | null)[]>;
  release(id: string): void;
  /** The set is to go: its selections are let go of. */
  forget(resultId: string): void;
}

interface Entry {
  selection: Selection;
  /** Who keeps it: the list of selections itself, and those who read it. */
  holders: number;
  end(): void;
}

export function createSelections(ctx: Context, use: (id: string) => Promise<SetUse>): Selections {
  const kept = new Map<string, Entry>();

  const letGo = (entry: Entry) => {
    entry.holders--;
    if (entry.holders === 0) entry.end();
  };
  const release = (id: string) => {
    const found = kept.get(id);
    if (found !== undefined && kept.delete(id)) letGo(found);
  };
  const hold: Selections['hold'] = (id) => {
    const found = kept.get(id);
    if (found === undefined)
      throw new ParapetError('not-cached', 'This selection is no longer kept. Select the rows again.');
    found.holders++;
    let released = false;
    return {
      ...found.selection,
      release() {
        if (!released) letGo(found);
        released = true;
      },
    };
  };
  ctx.onStorage(() => {
    for (const id of [...kept.keys()]) release(id);
  });

  return {
    async freeze(resultId, filter, sort, chosen, signal) {
      const used = await use(resultId);
      const rows = used.lease();
      try {
        const active = activeFilter(filter);
        const view =
          active === null && sort.length === 0 && chosen === undefined
            ? null
            : await used.views.hold(rows, sort, active, chosen, signal);
        const selection = { id: randomUUID(), rows, view, count: view?.count ?? rows.record.loaded };
        kept.set(selection.id, {
          selection,
          holders: 1,
          end() {
            view?.release();
            rows.release();
            used.release();
          },
        });
        const [oldest] = kept.keys();
        if (kept.size > KEPT && oldest !== undefined) release(oldest);
        return selection;
      } catch (error) {
        rows.release();
        used.release();
        throw error;
      }
    },
    hold,
    async ids(id, start, end, signal) {
      const { rows, view, count, release: done } = hold(id);
      const { n } = rows.record;
      try {
        const found = await rows.db.rows(
          view === null
            ? `SELECT entity_id FROM rs_${n} WHERE pos >= ? AND pos < ? ORDER BY pos`
            : `SELECT r.entity_id FROM rv_${view.n} v CROSS JOIN rs_${n} r ON r.pos = v.pos WHERE v.rank > ? AND v.rank <= ? ORDER BY v.rank`,
          [start, Math.min(end, count)],
          { signal },
        );
        return found.map(([entityId]) => (typeof entityId === 'string' ? entityId : null));
      } finally {
        done();
      }
    },
    release,
    forget(resultId) {
      for (const [id, { selection }] of [...kept]) if (selection.rows.record.id === resultId) release(id);
    },
  };
}
