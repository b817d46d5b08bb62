import { useCallback, useRef, useState } from 'react';
import { openProfile } from '#renderer/state/navigation.ts';
import { type Neighbour, type NeighbourSource, setListPlace } from '#renderer/state/neighbours.ts';
import { windowBridge } from '#renderer/state/window-bridge.ts';
import type { LocalFilter, ResultSet } from '#shared/bridge/operations.ts';
import type { NewQuery, QueryConfig, Sort } from '#shared/model/entities.ts';
import { NEW_QUERY } from '../labels.ts';
import { EVERY_APP, localSort, sameSort } from '../query-run.ts';
import type { Peeked } from './peek-panel.tsx';
import { type ResultRow, toRow } from './result-columns.tsx';
import { isFiltering } from './use-rows.ts';

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The profile that a row opens; null: none here. A click is about an email: its profile is what there is to open. */
function profileOf(
  row: ResultRow,
  query: Pick<NewQuery, 'domain' | 'saas'>,
  index: ReadonlyMap<string, number>,
  saas?: string,
): Neighbour | null {
  const cell = (id: string) => textOf(row.cells[index.get(id) ?? -1]);
  const from = cell('saas') ?? saas ?? query.saas ?? EVERY_APP;
  const profile = (kind: Neighbour['kind'], entityId: string, title: string | undefined) => ({
    kind,
    saas: from,
    entityId,
    title,
  });
  switch (query.domain) {
    case 'email':
      return profile('email', row.id, cell('subject'));
    case 'file':
      return profile('file', row.id, cell('title'));
    case 'message':
      return profile('message', row.id, undefined);
    case 'click': {
      const id = cell('email_id');
      return id === undefined ? null : profile('email', id, cell('subject'));
    }
    default:
      return null;
  }
}

/** As sorted and filtered now; later changes of the grid do not change the list. */
export function profileList(options: {
  query: NewQuery;
  result: ResultSet;
  config: QueryConfig;
  filter: LocalFilter;
  sort: readonly Sort[];
  count: number;
  index: ReadonlyMap<string, number>;
}): NeighbourSource {
  const { query, result, config, filter, sort, count, index } = options;
  const order = sort.length > 0 && !sameSort(sort, result.sort) ? localSort(sort, config) : null;
  return {
    label: query.name || NEW_QUERY,
    count,
    async rows(start, end) {
      const page = await windowBridge().call('results.page', {
        resultId: result.id,
        start,
        end,
        ...(order ? { sort: order } : {}),
        ...(isFiltering(filter) ? { filter } : {}),
      });
      return page.rows.map((raw, at) => profileOf(toRow(raw, start + at), query, index));
    },
  };
}

export interface Peek {
  peeked: Peeked | null;
  peek: (row: ResultRow, at: number) => void;
  /** Space: shows the row, or hides it when it is on show. */
  toggle: (row: ResultRow, at: number) => void;
  close: () => void;
  /** The profile of a row; nothing for entities that have none here. */
  open: (row: ResultRow, at?: number | null) => void;
}

/** The row in the peek panel, and opening rows. */
export function usePeek(
  query: NewQuery,
  index: ReadonlyMap<string, number>,
  list: () => NeighbourSource,
): Peek {
  const [peeked, setPeeked] = useState<Peeked | null>(null);
  const { saas: querySaas } = query;
  const listNow = useRef(list);
  listNow.current = list;
  const peek = useCallback(
    (row: ResultRow, at: number) => {
      const values = Object.fromEntries([...index].map(([id, cell]) => [id, row.cells[cell] ?? null]));
      setPeeked({ id: row.id, saas: textOf(values['saas']) ?? querySaas ?? EVERY_APP, index: at, values });
    },
    [index, querySaas],
  );
  const close = useCallback(() => setPeeked(null), []);
  const toggle = (row: ResultRow, at: number) => (peeked?.id === row.id ? close() : peek(row, at));
  const peekedSaas = peeked?.saas;
  const open = useCallback(
    (row: ResultRow, at: number | null = null) => {
      const profile = profileOf(row, query, index, peekedSaas);
      if (profile === null) return;
      const tabId = openProfile(profile);
      setListPlace(tabId, at === null ? null : { source: listNow.current(), index: at });
    },
    [query, index, peekedSaas],
  );
  return { peeked, peek, toggle, close, open };
}
