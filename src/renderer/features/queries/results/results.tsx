import { type JSX, useRef, useState } from 'react';
import { usePanelWidth } from '#renderer/state/preferences.ts';
import { useTabStatus } from '#renderer/state/tab-context.ts';
import { ErrorBar } from '#renderer/ui/error-bar.tsx';
import type { GridHandle } from '#renderer/ui/grid-handle.ts';
import { SidePanel } from '#renderer/ui/side-panel.tsx';
import { useBreakpoint } from '#renderer/ui/use-breakpoint.ts';
import type { ResultSet } from '#shared/bridge/operations.ts';
import type { Draft, GridLayout } from '#shared/bridge/workspace.ts';
import type { QueryConfig, Sort } from '#shared/model/entities.ts';
import { exact } from '#shared/model/format.ts';
import { isServiceSort, localSort, sameSort } from '../query-run.ts';
import { ColumnsChooser } from './columns-chooser.tsx';
import { copyIocs } from './copy-iocs.ts';
import { ExportDialog } from './export-dialog.tsx';
import { ExportToast } from './export-toast.tsx';
import { FacetsPanel } from './facets-panel.tsx';
import type { LayoutColumn } from './layout-edit.ts';
import { PeekPanel } from './peek-panel.tsx';
import type { ResultRow } from './result-columns.tsx';
import { ResultsBar } from './results-bar.tsx';
import { ResultsGrid } from './results-grid.tsx';
import { useColumns } from './use-columns.ts';
import { useFacets } from './use-facets.ts';
import { useFilter } from './use-filter.ts';
import { usePeek } from './use-peek.ts';
import { useResultKeys } from './use-result-keys.ts';
import { isFiltering, useRows } from './use-rows.ts';
import type { Run } from './use-run.ts';
import { useSelection } from './use-selection.ts';

const HINTS = [
  { keys: 'J K', text: 'move' },
  { keys: 'Space', text: 'peek' },
  { keys: 'X', text: 'select' },
  { keys: 'F', text: 'filter for' },
  { keys: 'C', text: 'copy IOCs' },
];

interface ResultsProps {
  draft: Draft;
  config: QueryConfig;
  result: ResultSet;
  run: Run;
  layout: GridLayout | null;
  setLayout: (layout: GridLayout | null) => void;
  offline: boolean;
  product: string;
  /** The conditions are no longer those of these rows. */
  changed: boolean;
  /** Shown over the grid when nothing matches. */
  noMatches: JSX.Element;
}

/** Rows of a run: bar, facets, grid and peek panel. */
export function Results(props: ResultsProps): JSX.Element {
  const { draft, config, result, run, layout, setLayout, offline, product } = props;
  const { query } = draft;
  const { wide } = useBreakpoint();
  const grid = useRef<GridHandle<ResultRow> | null>(null);
  const searchBox = useRef<HTMLInputElement | null>(null);
  const { typed, setTyped, filter, setFacets, clear } = useFilter();
  const filtering = isFiltering(filter);
  const [sort, setSort] = useState<Sort[]>(() => (layout?.sort?.length ? layout.sort : result.sort));
  const columns = useColumns(draft, config, result, layout, grid);
  const rows = useRows(result, config, filter, sort);
  const facets = useFacets(result, config, filter);
  const { peeked, peek, toggle, close, open } = usePeek(query, columns.index);
  const [facetsOpen, setFacetsOpen] = useState(true);
  const [facetsWidth, setFacetsWidth] = usePanelWidth('query-facets');
  const [peekWidth, setPeekWidth] = usePanelWidth('query-peek');
  const [exporting, setExporting] = useState(false);
  const [jobId, setJobId] = useState<string | null>(null);
  const { selection, onSelectionChanged, select, onRowsLoaded } = useSelection(
    grid,
    JSON.stringify([run.ranCondition, filter]),
  );

  const total = rows.count ?? result.total;
  const all = filtering ? total : result.loaded;
  const selected = selection.mode === 'all' ? all : selection.ids.length;
  const isLocalOrder = sort.length > 0 && !sameSort(sort, result.sort);
  const row = peeked ? `Row ${exact(peeked.index + 1)} of ` : '';
  useTabStatus({
    message: `${row}${exact(total)} rows${selected > 0 ? ` · ${exact(selected)} selected` : ''}`,
    hints: HINTS,
  });

  const changeColumns = (next: LayoutColumn[]) => {
    const chosen = { ...layout, columns: next };
    setLayout(chosen);
    if (columns.apply(next)) void run.run({ layout: chosen });
  };
  const changeSort = (next: Sort[]) => {
    const chosen: GridLayout = { columns: layout?.columns ?? [], sort: next };
    setSort(next);
    setLayout(chosen);
    // Only the service can order rows that are not here; offline the loaded ones are ordered among themselves.
    if (!offline && isServiceSort(next, config) && !sameSort(next, result.sort))
      void run.run({ layout: chosen });
  };
  const copy = () => {
    const focused = grid.current?.focusedRow();
    const what = selected === 0 && focused ? { mode: 'some' as const, ids: [focused.id] } : selection;
    void copyIocs(result.id, columns.own, what, filter, query.domain === 'email');
  };
  useResultKeys({
    grid,
    columns: columns.grid,
    searchBox,
    peeked,
    peek,
    open,
    onClosePeek: close,
    onCopyIocs: copy,
    onToggleFacets: () => setFacetsOpen((is) => !is),
  });

  return (
    <>
      <ResultsBar
        result={result}
        count={rows.count}
        filtering={filtering}
        running={run.running}
        offline={offline}
        changed={props.changed}
        localOrder={isLocalOrder && result.state !== 'complete'}
        selected={selected}
        allSelected={selection.mode === 'all'}
        onSelect={select}
        onCopyIocs={copy}
        onFill={run.retryFill}
        onRefresh={() => void run.run({ refresh: true })}
        search={typed}
        onSearch={setTyped}
        searchRef={searchBox}
        onExport={() => setExporting(true)}
        onClearFilter={clear}
        chooser={
          <ColumnsChooser
            config={config}
            columns={columns.all}
            onChange={changeColumns}
            onReset={() => {
              columns.reset();
              setLayout(null);
            }}
            onKeep={columns.keepInQuery}
          />
        }
      />
      {run.error ? (
        <ErrorBar
          error={run.error}
          shownInstead="Shown are the rows of the run before."
          onRetry={() => void run.run({ refresh: true })}
        />
      ) : null}
      <div className="pp-results">
        {facetsOpen ? (
          <SidePanel
            side="left"
            label="Facets"
            defaultWidth={wide ? 212 : 184}
            width={facetsWidth}
            onResize={setFacetsWidth}
          >
            <FacetsPanel
              result={result}
              config={config}
              facets={facets}
              filter={filter}
              onFacets={setFacets}
            />
          </SidePanel>
        ) : null}
        <div className="pp-results-grid">
          <ResultsGrid
            draftId={draft.id}
            gridKey={columns.gridKey}
            columns={columns.grid}
            rows={rows}
            sort={sort}
            layout={layout}
            handle={grid}
            peekedId={peeked?.id ?? null}
            empty={
              filtering && rows.count === 0
                ? {
                    title: 'No row matches the filter',
                    reason: `${exact(result.loaded)} rows are here; the filter hides them all.`,
                  }
                : null
            }
            onLayout={(next) => setLayout({ ...layout, columns: next })}
            onSort={changeSort}
            onSelectionChanged={onSelectionChanged}
            onRowsLoaded={onRowsLoaded}
            onOpen={open}
            onFocused={(focused, at) => {
              if (peeked) peek(focused, at);
            }}
            onPeek={toggle}
            onRetry={() => grid.current?.refresh()}
          />
          {result.total === 0 && !filtering ? <div className="pp-grid-overlay">{props.noMatches}</div> : null}
        </div>
        {peeked ? (
          <SidePanel
            side="right"
            label="Peek"
            defaultWidth={wide ? 372 : 304}
            width={peekWidth}
            onResize={setPeekWidth}
          >
            <PeekPanel
              key={peeked.id}
              peeked={peeked}
              total={total}
              product={product}
              isEmail={query.domain === 'email'}
              onOpen={() => {
                const focused = grid.current?.focusedRow();
                open(focused?.id === peeked.id ? focused : { id: peeked.id, cells: [] });
              }}
              onClose={close}
            />
          </SidePanel>
        ) : null}
      </div>
      {exporting ? (
        <ExportDialog
          isOpen
          offline={offline}
          plan={{
            result,
            name: query.name,
            columns: columns.shown,
            count: total,
            filter,
            sort: isLocalOrder ? localSort(sort, config) : undefined,
          }}
          onClose={() => setExporting(false)}
          onStarted={(job) => setJobId(job.id)}
        />
      ) : null}
      {jobId ? <ExportToast jobId={jobId} onClose={() => setJobId(null)} /> : null}
    </>
  );
}
