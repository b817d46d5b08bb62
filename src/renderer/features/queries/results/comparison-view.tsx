import { Button } from '@blueprintjs/core';
import { ArrowLeft } from '@blueprintjs/icons';
import { type JSX, useCallback, useMemo, useState } from 'react';
import { useTabStatus } from '#renderer/state/tab-context.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import { useStable } from '#renderer/ui/use-stable.ts';
import { COMPARISON_COLUMNS, type Comparison, type ResultSet } from '#shared/bridge/operations.ts';
import type { Draft, GridLayout } from '#shared/bridge/workspace.ts';
import { profileTime } from '#shared/model/clock.ts';
import type { QueryConfig } from '#shared/model/entities.ts';
import { exact, plural } from '#shared/model/format.ts';
import { COMPARISON_HINTS } from '../labels.ts';
import { ColumnsChooser } from './columns-chooser.tsx';
import {
  CHANGE_LABELS,
  type Change,
  ChangeMark,
  comparisonColumns,
  comparisonConfig,
  comparisonQuery,
} from './compare-columns.tsx';
import { rowsOnScreen, useExporting } from './export-dialog.tsx';
import { Filters } from './filter-bar.tsx';
import { ResultsBar } from './results-bar.tsx';
import { ResultsBody } from './results-body.tsx';
import { useSelect } from './select-menu.tsx';
import { useBrowse } from './use-browse.ts';
import type { Decorate } from './use-columns.ts';
import type { FilterState } from './use-filter.ts';

const NO_DOMAINS: ReadonlySet<string> = new Set();
/** Exported even where they are not shown. */
const ALWAYS_EXPORTED = [
  { id: COMPARISON_COLUMNS.changed, label: 'Changed columns' },
  { id: COMPARISON_COLUMNS.before, label: 'Before' },
];
const CHANGES: readonly Change[] = ['new', 'gone', 'changed'];

/** The counts of a comparison; pressing one shows only these rows. */
function ChangeCounts(props: {
  comparison: Comparison;
  chosen: readonly unknown[];
  onChoose: (changes: Change[]) => void;
}): JSX.Element {
  const { comparison, chosen, onChoose } = props;
  return (
    <span className="pp-change-counts">
      {CHANGES.map((change) => {
        const isOn = chosen.includes(change);
        return (
          <button
            key={change}
            type="button"
            className="pp-change-count"
            aria-pressed={isOn}
            onClick={() => onChoose(isOn ? [] : [change])}
          >
            <ChangeMark
              change={change}
              text={`${exact(comparison[change])} ${CHANGE_LABELS[change].toLowerCase()}`}
            />
          </button>
        );
      })}
      <span className="pp-t3">{exact(comparison.same)} unchanged</span>
    </span>
  );
}

function CompareBar(props: {
  comparison: Comparison;
  filter: FilterState;
  onClose: () => void;
}): JSX.Element {
  const { comparison, filter, onClose } = props;
  const clock = useClock();
  const { change } = COMPARISON_COLUMNS;
  return (
    <div className="pp-compare-bar">
      <Button size="small" icon={<ArrowLeft size={14} />} text="Back to results" onClick={onClose} />
      <span className="pp-ellipsis">
        <span className="pp-t3">From</span> {profileTime(comparison.baseAt, clock)}{' '}
        <span className="pp-t3">to</span> {profileTime(comparison.otherAt, clock)}
      </span>
      <span className="pp-spacer" />
      <ChangeCounts
        comparison={comparison}
        chosen={filter.filter.facets[change] ?? []}
        onChoose={(changes) => filter.setFacets({ ...filter.filter.facets, [change]: changes })}
      />
    </div>
  );
}

/** Query config and draft of a comparison: the query's own, with the columns that describe the changes. */
function useCompared(
  draft: Draft,
  of: QueryConfig,
  result: ResultSet,
): { config: QueryConfig; draft: Draft } {
  const columns = useStable(result.columns);
  const config = useMemo(() => comparisonConfig(of, columns), [of, columns]);
  const compared = useMemo(
    () => ({
      ...draft,
      id: `${draft.id} ${result.id}`,
      query: comparisonQuery(draft.query, of, columns),
    }),
    [draft, of, columns, result.id],
  );
  return { config, draft: compared };
}

/** The differences between two runs of a query, as a regular grid that can be filtered, sorted, searched and exported. */
export function ComparisonView(props: {
  draft: Draft;
  config: QueryConfig;
  result: ResultSet;
  comparison: Comparison;
  offline: boolean;
  onClose: () => void;
}): JSX.Element {
  const { result, comparison, offline, onClose } = props;
  const clock = useClock();
  const { config, draft } = useCompared(props.draft, props.config, result);
  // Has its own layout that shows all columns even in a narrow window: a hidden one might be the one that changed.
  const [layout, setLayout] = useState<GridLayout | null>(() => ({
    columns: draft.query.columns.map(({ id }) => ({ id })),
  }));
  const decorate = useCallback<Decorate>(
    (columns, index) => comparisonColumns(columns, index, { clock, ownDomains: NO_DOMAINS }),
    [clock],
  );
  const browse = useBrowse({
    draft,
    config,
    result,
    layout,
    setLayout,
    run: null,
    offline,
    question: result.id,
    persistIn: null,
    start: undefined,
    decorate,
  });
  const { waiting, select } = useSelect(browse, null);
  useTabStatus({ message: plural(browse.total, 'difference'), hints: COMPARISON_HINTS });
  const exporting = useExporting(offline);
  const { filter, columns } = browse;
  return (
    <>
      <CompareBar comparison={comparison} filter={filter} onClose={onClose} />
      <ResultsBar
        browse={browse}
        lead={<b>Differences</b>}
        running={false}
        offline={offline}
        changed={false}
        waiting={waiting}
        onSelect={select}
        exportRows={exporting.command}
        chooser={
          <ColumnsChooser
            config={config}
            columns={columns.all}
            onChange={(next) => {
              setLayout({ ...layout, columns: next });
              columns.apply(next);
            }}
            onReset={() => {
              columns.reset();
              setLayout(null);
            }}
          />
        }
      />
      <Filters browse={browse} />
      <ResultsBody
        draft={draft}
        config={config}
        browse={browse}
        layout={layout}
        setLayout={setLayout}
        startRow={0}
        noMatches={
          result.total === 0 ? (
            <EmptyState
              title="No differences between these runs"
              reason={`${plural(comparison.same, 'row')} in both runs, with the same values in the compared columns.`}
              action={<Button text="Back to results" onClick={onClose} />}
            />
          ) : null
        }
      />
      {exporting.parts(() => ({
        ...rowsOnScreen(browse, config),
        name: `${props.draft.query.name || 'results'} compared`,
        columns: [
          ...columns.shown,
          ...ALWAYS_EXPORTED.filter(
            ({ id }) =>
              columns.ofResult.some((column) => column.id === id) &&
              !columns.shown.some((column) => column.id === id),
          ),
        ],
      }))}
    </>
  );
}
