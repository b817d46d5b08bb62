/** Frozen selections: the rows that were meant by "all", whatever is fetched or filtered later. */
import { randomUUID } from 'node:crypto';
import { ParapetError } from '#shared/bridge/errors.ts';
import type { LocalFilter } from '#shared/bridge/operations.ts';
import type { Sort } from '#shared/model/entities.ts';
import type { Context } from '../kernel/context.ts';
import type { Rows } from './leases.ts';
import { activeFilter } from './local-query.ts';
import type { SetReference } from './sets.ts';
import type { Chosen, SortIndex } from './sort-index.ts';

/** Selections kept; the oldest is dropped first. */
const MAX_SELECTIONS = 8;

export interface Selection {
  id: string;
  /** The rows it was made of, which stay readable even when the set's gaps are closed. */
  rows: Rows;
  /** Its row indexes in order, or null for row indexes 0 to `count`. */
  index: SortIndex | null;
  count: number;
}

export interface SelectionLease extends Selection {
  release(): void;
}

interface Entry {
  selection: Selection;
  /** References by the list of selections and by readers. */
  references: number;
  end(): void;
}

export class Selections {
  readonly #acquire: (resultId: string) => Promise<SetReference>;
  /** In order of creation. */
  readonly #entries = new Map<string, Entry>();

  constructor(ctx: Context, acquire: (resultId: string) => Promise<SetReference>) {
    this.#acquire = acquire;
    ctx.onStorage(() => {
      for (const id of [...this.#entries.keys()]) this.release(id);
    });
  }

  async freeze(
    resultId: string,
    filter: LocalFilter | undefined,
    sort: readonly Sort[],
    chosen: Chosen | undefined,
    signal?: AbortSignal,
  ): Promise<Selection> {
    const set = await this.#acquire(resultId);
    const rows = set.lease();
    try {
      const active = activeFilter(filter);
      const isWhole = active === null && sort.length === 0 && chosen === undefined;
      const index = isWhole ? null : await set.sorted.lease(rows, sort, active, chosen, signal);
      const selection = { id: randomUUID(), rows, index, count: index?.count ?? rows.record.loaded };
      this.#entries.set(selection.id, {
        selection,
        references: 1,
        end() {
          index?.release();
          rows.release();
          set.release();
        },
      });
      const [oldest] = this.#entries.keys();
      if (this.#entries.size > MAX_SELECTIONS && oldest !== undefined) this.release(oldest);
      return selection;
    } catch (error) {
      rows.release();
      set.release();
      throw error;
    }
  }

  /** Keeps it readable until released, even when the grid drops it. Throws `not-cached` when it is gone. */
  lease(id: string): SelectionLease {
    const entry = this.#entries.get(id);
    if (entry === undefined)
      throw new ParapetError('not-cached', 'This selection has expired. Select the rows again.');
    entry.references++;
    let isReleased = false;
    return {
      ...entry.selection,
      release: () => {
        if (!isReleased) this.#dereference(entry);
        isReleased = true;
      },
    };
  }

  /** Entity ids of its rows start to end (exclusive), or null if the row has none. */
  async ids(id: string, start: number, end: number, signal: AbortSignal): Promise<(string | null)[]> {
    const { rows, index, count, release } = this.lease(id);
    const { n } = rows.record;
    try {
      const hits = await rows.db.rows(
        index === null
          ? `SELECT entity_id FROM rs_${n} WHERE pos >= ? AND pos < ? ORDER BY pos`
          : `SELECT r.entity_id FROM rv_${index.n} v CROSS JOIN rs_${n} r ON r.pos = v.pos WHERE v.rank > ? AND v.rank <= ? ORDER BY v.rank`,
        [start, Math.min(end, count)],
        { signal },
      );
      return hits.map(([entityId]) => (typeof entityId === 'string' ? entityId : null));
    } finally {
      release();
    }
  }

  release(id: string): void {
    const entry = this.#entries.get(id);
    if (entry !== undefined && this.#entries.delete(id)) this.#dereference(entry);
  }

  /** The set is being removed: releases its selections. */
  forget(resultId: string): void {
    for (const [id, { selection }] of [...this.#entries])
      if (selection.rows.record.id === resultId) this.release(id);
  }

  #dereference(entry: Entry): void {
    entry.references--;
    if (entry.references === 0) entry.end();
  }
}
