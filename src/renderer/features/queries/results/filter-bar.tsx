import { ChevronUp } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import type { ResultSet } from '#shared/bridge/operations.ts';
import type { QueryConfig } from '#shared/model/entities.ts';
import { plural } from '#shared/model/format.ts';
import { fieldTypeOf, STANDARD_OPERATORS } from '#shared/query/operators.ts';
import { TreeEditor } from '../builder/tree-editor.tsx';
import { isMissingRows } from '../labels.ts';
import { ActiveFilters } from './active-filters.tsx';
import type { Browse } from './use-browse.ts';
import type { FilterState } from './use-filter.ts';

const OF_TIME: readonly string[] = ['between', 'is_empty'];
const OF_LISTS: readonly string[] = ['is'];

/**
 * The query config limited to the result's columns, for filtering on this machine: any span of time and any value of a
 * list, whatever the service offers.
 */
export function localConfig(config: QueryConfig, columns: readonly string[]): QueryConfig {
  const has = new Set(columns);
  const offered = new Set(config.operators.map(({ id }) => id));
  const more = STANDARD_OPERATORS.filter(
    ({ id }) => (OF_TIME.includes(id) || OF_LISTS.includes(id)) && !offered.has(id),
  );
  return {
    ...config,
    negatedGroups: true,
    operators: [...config.operators, ...more],
    fields: config.fields
      .filter(({ id }) => has.has(id))
      .map((field) => ({
        ...field,
        operators: [
          ...new Set([
            ...field.operators,
            ...(fieldTypeOf(field.type) === 'date' ? OF_TIME : []),
            ...(field.multiValues ? OF_LISTS : []),
          ]),
        ],
      })),
    conditions: config.conditions.filter(({ field }) => has.has(field)),
  };
}

/** Conditions over the loaded rows, evaluated on this machine. */
function FilterBar(props: { config: QueryConfig; filter: FilterState; result: ResultSet }): JSX.Element {
  const { config, filter, result } = props;
  const { tree, problems, editTree, setOpen } = filter;
  return (
    <section className="pp-filter-bar" aria-label="Filter loaded rows">
      <div className="pp-filter-head">
        <span className="pp-caption pp-t3">
          {isMissingRows(result)
            ? `Filter the ${plural(result.loaded, 'loaded row')}`
            : 'Filter these rows on this machine'}
        </span>
        <span className="pp-spacer" />
        <IconButton
          small
          icon={<ChevronUp size={12} />}
          label="Hide filter (stays active)"
          onClick={() => setOpen(false)}
        />
      </div>
      <TreeEditor config={config} tree={tree} problems={problems} none="No conditions." onEdit={editTree} />
    </section>
  );
}

/** The conditions while they are edited, and everything that filters the rows. */
export function Filters({ browse }: { browse: Browse }): JSX.Element {
  const { filter, local, result } = browse;
  return (
    <>
      {filter.isOpen ? <FilterBar config={local} filter={filter} result={result} /> : null}
      <ActiveFilters filter={filter} config={local} columns={result.columns} />
    </>
  );
}
