import { useCallback, useRef, useState } from 'react';
import { type KnownRow, noteRows } from '#renderer/state/known-rows.ts';
import { openProfile } from '#renderer/state/navigation.ts';
import { type Neighbour, type NeighbourSource, setListPlace } from '#renderer/state/neighbours.ts';
import { activeTab } from '#renderer/state/tabs.ts';
import { windowBridge } from '#renderer/state/window-bridge.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import type { LocalFilter, ResultSet } from '#shared/bridge/operations.ts';
import { dictionary } from '#shared/dictionary.ts';
import type { NewQuery, QueryConfig, Sort } from '#shared/model/entities.ts';
import { NEW_QUERY } from '../labels.ts';
import { EVERY_APP, localSort, sameSort } from '../query-run.ts';
import type { Peeked } from './peek-panel.tsx';
import { type ResultRow, toRow } from './result-columns.tsx';
import { soughtIn } from './search-terms.ts';
import { isFiltering } from './use-rows.ts';

const NO_PROFILE: Readonly<Record<string, string>> = dictionary({
  click: 'The service doesn’t say which email this click belongs to',
});

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The profile that a row opens, or null if there is none. A click opens the profile of its email. */
export function profileOf(
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
    case 'user':
      return profile('user', row.id, cell('name') ?? cell('email'));
    case 'group':
      return profile('group', row.id, cell('name') ?? cell('email'));
    case 'click': {
      const id = cell('email_id');
      return id === undefined ? null : profile('email', id, cell('subject'));
    }
    default:
      return null;
  }
}

/** The row's values about its email, shown until the profile has loaded. */
function knownRow(row: ResultRow, index: ReadonlyMap<string, number>, list: string): KnownRow {
  const cell = (id: string): string | null => {
    const value = row.cells[index.get(id) ?? -1];
    const first = Array.isArray(value) ? value[0] : value;
    return typeof first === 'string' && first !== '' ? first : null;
  };
  return {
    list,
    verdict: cell('verdict'),
    code: cell('verdict_code'),
    // Services name this column differently.
    from: cell('from_email') ?? cell('sender_email') ?? cell('from') ?? cell('sender'),
    fromName: cell('from_name'),
    to: cell('to'),
    received: cell('received'),
  };
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
    sought: soughtIn(query.filter, config).flatMap(({ terms }) => terms),
    count,
    async rows(start, end) {
      const page = await windowBridge().call('results.page', {
        resultId: result.id,
        start,
        end,
        ...(order ? { sort: order } : {}),
        ...(isFiltering(filter) ? { filter } : {}),
      });
      const read = page.rows.map((raw, index) => toRow(raw, start + index));
      noteRows(read.map((row) => [row.id, knownRow(row, index, query.name || NEW_QUERY)]));
      return read.map((row) => profileOf(row, query, index));
    },
  };
}

export interface Peek {
  peeked: Peeked | null;
  peek: (row: ResultRow, index: number) => void;
  /** Space: toggles the preview of the row. */
  toggle: (row: ResultRow, index: number) => void;
  close: () => void;
  /** Opens the profile of a row; does nothing for entities without one. */
  open: (row: ResultRow, index?: number | null) => void;
}

/**
 * Whether the preview moves to the focused row. Not if the focus only returned, for example from a dialog, to a position
 * where a new run has put another row: the preview must not switch to an email that the analyst did not choose.
 */
export const followsFocus = (
  peeked: Pick<Peeked, 'index' | 'resultId'>,
  { resultId, index }: Pick<Peeked, 'index' | 'resultId'>,
): boolean => index !== peeked.index || resultId === peeked.resultId;

export function usePeek(
  query: NewQuery,
  resultId: string,
  index: ReadonlyMap<string, number>,
  list: () => NeighbourSource,
): Peek {
  const [peeked, setPeeked] = useState<Peeked | null>(null);
  const { saas: querySaas } = query;
  const listNow = useRef(list);
  listNow.current = list;
  const peek = useCallback(
    (row: ResultRow, position: number) => {
      const values = Object.fromEntries([...index].map(([id, cell]) => [id, row.cells[cell] ?? null]));
      const saas = textOf(values['saas']) ?? querySaas ?? EVERY_APP;
      setPeeked({ id: row.id, saas, index: position, resultId, values });
    },
    [index, querySaas, resultId],
  );
  const close = useCallback(() => setPeeked(null), []);
  const toggle = (row: ResultRow, index: number) => (peeked?.id === row.id ? close() : peek(row, index));
  const peekedSaas = peeked?.saas;
  const open = useCallback(
    (row: ResultRow, position: number | null = null) => {
      const profile = profileOf(row, query, index, peekedSaas);
      if (profile === null) {
        showToast({ intent: 'caution', title: NO_PROFILE[query.domain] ?? 'These rows have no profile' });
        return;
      }
      if (row.cells.length > 0) noteRows([[row.id, knownRow(row, index, query.name || NEW_QUERY)]]);
      const from = activeTab()?.id;
      const tabId = openProfile(profile);
      setListPlace(
        tabId,
        position === null ? null : { source: { ...listNow.current(), tabId: from }, index: position },
      );
    },
    [query, index, peekedSaas],
  );
  return { peeked, peek, toggle, close, open };
}
