/** The list's values of an entity opened from it: shown until its profile has loaded, or if loading fails. */
import { create } from 'zustand';

export interface KnownRow {
  list: string;
  verdict: string | null;
  code: string | null;
  from: string | null;
  fromName: string | null;
  to: string | null;
  received: string | null;
}

const MOST = 500;
const useStore = create<{ rows: ReadonlyMap<string, KnownRow> }>(() => ({ rows: new Map() }));

export function noteRows(existingRows: Iterable<readonly [string, KnownRow]>): void {
  const rows = new Map(useStore.getState().rows);
  for (const [id, row] of existingRows) {
    rows.delete(id);
    rows.set(id, row);
  }
  for (const id of rows.keys()) {
    if (rows.size <= MOST) break;
    rows.delete(id);
  }
  useStore.setState({ rows });
}

export const useKnownRow = (entityId: string): KnownRow | null =>
  useStore(({ rows }) => rows.get(entityId) ?? null);
