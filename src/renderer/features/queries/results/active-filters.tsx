import { Button } from '@blueprintjs/core';
import { Cross } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { useClock } from '#renderer/ui/clock-context.ts';
import type { ResultSet } from '#shared/bridge/operations.ts';
import type { ClockSetting } from '#shared/model/clock.ts';
import type { FieldConfig, QueryConfig } from '#shared/model/entities.ts';
import { visibleText } from '#shared/model/format.ts';
import { describeCondition, plainWords, type Segment } from '#shared/query/describe.ts';
import { STANDARD_OPERATORS } from '#shared/query/operators.ts';
import { type ConditionGroup, emptyGroup } from '#shared/query/tree.ts';
import { QuerySummary } from '../query-summary.tsx';
import { removeAt } from '../tree-edit.ts';
import { countedLabel } from './result-columns.tsx';
import type { FacetValue } from './use-facets.ts';
import type { FilterState } from './use-filter.ts';

type Columns = ResultSet['columns'];

interface ActiveFilter {
  id: string;
  words: Segment[];
  remove: () => void;
}

/** Values without a word of their own in a condition. */
const facetWord = (value: FacetValue) =>
  value === null || value === '' || typeof value === 'boolean' ? countedLabel(undefined, value) : value;

/** The words of a condition that required one of these values. */
function facetWords(
  columns: Columns,
  fields: readonly FieldConfig[],
  column: string,
  values: readonly FacetValue[],
): Segment[] {
  const shown = columns.find(({ id }) => id === column) ?? { id: column, label: column, type: 'text' };
  const field = fields.find(({ id }) => id === column) ?? { ...shown, dbId: column, operators: [] };
  const operator = values.length === 1 ? 'is' : 'in_list';
  return describeCondition(
    { operator: 'and', conditions: [{ field: column, operator, values: values.map(facetWord) }] },
    { fields: [field], operators: [...STANDARD_OPERATORS] },
  );
}

/** Each condition that is required on its own; a tree of alternatives is one. */
function conditionFilters(
  { complete, editTree }: Pick<FilterState, 'complete' | 'editTree'>,
  config: QueryConfig,
  clock: ClockSetting,
): ActiveFilter[] {
  const wordsOf = (tree: ConditionGroup) => describeCondition(tree, config, { clock });
  if (complete.operator === 'or' || complete.negate || complete.disabled)
    return [{ id: 'conditions', words: wordsOf(complete), remove: () => editTree(emptyGroup) }];
  return complete.conditions.map((node, index) => ({
    id: `condition ${index}`,
    words: wordsOf({ operator: 'and', conditions: [node] }),
    remove: () => editTree((tree) => removeAt(tree, [index])),
  }));
}

function activeFilters(
  filter: FilterState,
  config: QueryConfig,
  columns: Columns,
  clock: ClockSetting,
): ActiveFilter[] {
  const { text } = filter;
  const { facets } = filter.filter;
  const search: ActiveFilter = {
    id: 'search',
    words: [
      { text: 'search: ', kind: 'text' },
      { text: text.trim(), kind: 'strong' },
    ],
    remove: () => filter.setTyped(''),
  };
  return [
    ...(text.trim() === '' ? [] : [search]),
    ...Object.entries(facets).flatMap(([column, values]) =>
      values.length === 0
        ? []
        : {
            id: `facet ${column}`,
            words: facetWords(columns, config.fields, column, values),
            remove: () => filter.setFacets({ ...facets, [column]: [] }),
          },
    ),
    // Disabled and incomplete conditions have no words, as they filter nothing.
    ...conditionFilters(filter, config, clock).filter(({ words }) => words.length > 0),
  ];
}

/**
 * Everything that hides rows of a result, above the rows and above their groups: the search, facets, groups, the range
 * of time and conditions.
 */
export function ActiveFilters(props: {
  filter: FilterState;
  config: QueryConfig;
  columns: Columns;
}): JSX.Element | null {
  const { filter, config, columns } = props;
  const filters = activeFilters(filter, config, columns, useClock());
  if (filters.length === 0) return null;
  return (
    <section className="pp-active-filters" aria-label="Active filters">
      {filters.map(({ id, words, remove }) => {
        const text = visibleText(plainWords(words));
        return (
          <button
            key={id}
            type="button"
            className="pp-chip"
            aria-label={`Remove filter: ${text}`}
            title={text}
            onClick={remove}
          >
            <span className="pp-ellipsis">
              <QuerySummary segments={words} />
            </span>
            <Cross size={12} />
          </button>
        );
      })}
      <Button size="small" variant="minimal" text="Clear all" onClick={filter.clear} />
    </section>
  );
}
