import { useState } from 'react';
import type { ResultSet } from '#shared/bridge/operations.ts';
import type { GridLayout } from '#shared/bridge/workspace.ts';
import type { QueryConfig, Sort } from '#shared/model/entities.ts';
import { isServiceSort, sameSort } from '../query-run.ts';
import type { Run } from './use-run.ts';

/** Rows that were fetched without being asked for: few enough to be fetched again in another order. */
const FEW = 20_000;

export interface ResultSort {
  sort: Sort[];
  /** The order is made on this machine. */
  isLocal: boolean;
  change: (next: Sort[]) => void;
  /** Runs the query again in this order; null when the service cannot sort so, or need not. */
  askService: (() => void) | null;
}

/**
 * The order of the rows. A set that is whole is ordered on this machine, and so is one that somebody fetched on
 * purpose; only a few first rows of many are asked for again, since only the service can order rows that are not here.
 */
export function useSort(options: {
  result: ResultSet;
  config: QueryConfig;
  layout: GridLayout | null;
  setLayout: (layout: GridLayout) => void;
  run: Run | null;
  offline: boolean;
}): ResultSort {
  const { result, config, layout, setLayout, run, offline } = options;
  const [sort, setSort] = useState<Sort[]>(() => (layout?.sort?.length ? layout.sort : result.sort));
  const isLocal = sort.length > 0 && !sameSort(sort, result.sort);
  const canAsk = (wanted: Sort[]) =>
    run !== null && !offline && result.state !== 'complete' && isServiceSort(wanted, config);
  const layoutWith = (next: Sort[]): GridLayout => ({ columns: layout?.columns ?? [], sort: next });
  return {
    sort,
    isLocal,
    change(next) {
      setSort(next);
      setLayout(layoutWith(next));
      if (canAsk(next) && result.loaded <= FEW && !sameSort(next, result.sort))
        void run?.run({ layout: layoutWith(next) });
    },
    askService: isLocal && canAsk(sort) ? () => void run?.run({ layout: layoutWith(sort) }) : null,
  };
}
