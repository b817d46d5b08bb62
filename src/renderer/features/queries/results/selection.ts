/** Row selections: either individual rows, or all matching rows on this machine except some. Pure. */

export interface Selection {
  /** 'all' is every row on this machine that matches the local filter, except those in `ids`. */
  mode: 'some' | 'all';
  ids: ReadonlySet<string>;
}

export const NOTHING: Selection = { mode: 'some', ids: new Set() };
export const EVERYTHING: Selection = { mode: 'all', ids: new Set() };

/** Maximum number of individually named rows per call; larger selections use "all but". */
export const MOST_NAMED = 100_000;

export const isSelected = ({ mode, ids }: Selection, id: string): boolean =>
  ids.has(id) === (mode === 'some');

/** The exact number of selected rows. `here` is matching rows on this machine. */
export const countOf = ({ mode, ids }: Selection, here: number): number =>
  mode === 'some' ? ids.size : Math.max(0, here - ids.size);

/** Applies checked or unchecked rows. "All but" every row becomes the empty selection. */
export function withRows(
  selection: Selection,
  rows: readonly string[],
  on: boolean,
  here: number,
): Selection {
  const { mode } = selection;
  const ids = new Set(selection.ids);
  for (const id of rows) {
    if (on === (mode === 'some')) ids.add(id);
    else ids.delete(id);
  }
  return mode === 'all' && ids.size >= here ? NOTHING : { mode, ids };
}

/** State of the header checkbox. `hidden` is selected rows that the filter hides, or null if not known. */
export function boxState(selection: Selection, here: number, hidden: number | null): 'none' | 'some' | 'all' {
  const count = countOf(selection, here);
  if (count === 0) return 'none';
  return hidden !== null && count - hidden >= here ? 'all' : 'some';
}

/** The part of `results.matching` that names the rows. */
export const namedRows = ({ mode, ids }: Selection): { entityIds?: string[]; except?: string[] } => {
  if (mode === 'some') return { entityIds: [...ids] };
  return ids.size === 0 ? {} : { except: [...ids] };
};
