import { useEffect, useMemo, useState } from 'react';
import { useBridge } from '#renderer/bridge/bridge-context.tsx';
import { useStable } from '#renderer/ui/use-stable.ts';
import { type BridgeError, toBridgeError } from '#shared/bridge/errors.ts';
import type { LocalFilter, OutputOf, ResultSet } from '#shared/bridge/operations.ts';
import type { FieldConfig, QueryConfig } from '#shared/model/entities.ts';
import { fieldTypeOf } from '#shared/query/operators.ts';
import { fieldsById, isStackField } from '../query-run.ts';
import { afterFirstRows } from './first-rows.ts';
import { growthStep } from './use-rows.ts';

export type Facet = OutputOf<'results.facets'>['facets'][number];
export type FacetValue = Facet['values'][number]['value'];

const PREFERRED = [
  'verdict',
  'click_verdict',
  'findings',
  'campaign',
  'from_domain',
  'host',
  'state',
  'clicks',
  'department',
];
const MOST = 6;
/** Columns that are counted to find that many. */
const MOST_COUNTED = 12;

const isFew = (field: FieldConfig): boolean => {
  if (isStackField(field)) return false;
  const type = fieldTypeOf(field.type);
  return (field.allowedValues?.length ?? 0) > 0 || type === 'boolean' || type === 'enum';
};

/** Columns with few distinct values, the most useful first; more than are shown, as some may be unknown in every row. */
export function facetColumns(result: Pick<ResultSet, 'columns'>, config: QueryConfig): string[] {
  const fields = fieldsById(config);
  const has = new Set(result.columns.map(({ id }) => id));
  const others = result.columns.flatMap(({ id }) => {
    const field = fields.get(id);
    return field && isFew(field) && id !== 'verdict_code' ? [id] : [];
  });
  return [...new Set([...PREFERRED.filter((id) => has.has(id)), ...others])].slice(0, MOST_COUNTED);
}

/** Whether a facet tells rows apart, or has a chosen value that must stay to be unchosen. */
export const isUseful = ({ column, values }: Facet, filter: LocalFilter): boolean =>
  values.some(({ value }) => value !== null) || (filter.facets[column] ?? []).length > 0;

export interface Facets {
  /** Null if not counted yet. Empty: no column has few values. */
  facets: readonly Facet[] | null;
  error: BridgeError | null;
}

const NO_FACETS: ReadonlyMap<string, Facet> = new Map();

interface FacetsState {
  of: string;
  facets: typeof NO_FACETS;
  error: BridgeError | null;
}

/**
 * Values and counts among the loaded rows, refreshed in steps while rows are fetched. One column at a time: each is a
 * read over all rows, and the grid's pages must not queue behind several of them.
 */
export function useFacets(result: ResultSet, config: QueryConfig, filter: LocalFilter): Facets {
  const bridge = useBridge();
  const columns = useMemo(() => facetColumns(result, config).join('\n'), [result, config]);
  const stableFilter = useStable(filter);
  const [state, setState] = useState<FacetsState>({ of: '', facets: NO_FACETS, error: null });
  const step = `${growthStep(result.loaded)} ${result.state === 'filling'}`;
  useEffect(() => {
    const abort = new AbortController();
    if (columns === '' || step === '') return undefined;
    const ask = async () => {
      await afterFirstRows(result.id);
      let shown = 0;
      for (const column of columns.split('\n')) {
        if (shown === MOST) break;
        const { facets } = await bridge.call(
          'results.facets',
          { resultId: result.id, columns: [column], filter: stableFilter },
          { signal: abort.signal },
        );
        const [facet] = facets;
        if (facet && isUseful(facet, stableFilter)) shown += 1;
        if (facet)
          setState((before) => ({
            of: result.id,
            facets: new Map(before.of === result.id ? before.facets : []).set(column, facet),
            error: null,
          }));
      }
    };
    ask().catch((reason: unknown) => {
      const error = toBridgeError(reason);
      if (error.code !== 'cancelled') setState({ of: result.id, facets: NO_FACETS, error });
    });
    return () => abort.abort();
  }, [bridge, result.id, columns, stableFilter, step]);
  return useMemo(() => {
    if (columns === '') return { facets: [], error: null };
    const facets = columns.split('\n').flatMap((column) => state.facets.get(column) ?? []);
    const useful = facets.filter((facet) => isUseful(facet, stableFilter)).slice(0, MOST);
    return {
      facets: facets.length > 0 ? useful : null,
      error: state.of === result.id ? state.error : null,
    };
  }, [columns, state, result.id, stableFilter]);
}
