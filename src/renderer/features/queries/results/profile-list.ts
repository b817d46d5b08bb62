/** The rows on show as a list of profiles, for J and K within a profile and for keeping them offline. */
import type { Neighbour, NeighbourSource } from '#renderer/state/neighbours.ts';
import { windowBridge } from '#renderer/state/window-bridge.ts';
import type { LocalFilter, ResultSet } from '#shared/bridge/operations.ts';
import type { Cell, NewQuery, QueryConfig, Sort } from '#shared/model/entities.ts';
import { EVERY_APP, localSort, sameSort } from '../query-run.ts';
import { type ResultRow, toRow } from './result-columns.tsx';
import { isFiltering } from './use-rows.ts';

const textOf = (value: Cell | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;

/** The profile that a row opens; null: none here. A click is about an email: its profile is what there is to open. */
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
    label: query.name || 'New query',
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
