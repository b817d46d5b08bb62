import { type JSX, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { openEmail } from '#renderer/state/navigation.ts';
import { usePanelWidth } from '#renderer/state/preferences.ts';
import { useTabStatus } from '#renderer/state/tab-context.ts';
import { ErrorBar } from '#renderer/ui/error-bar.tsx';
import type { GridHandle } from '#renderer/ui/grid-handle.ts';
import { SidePanel } from '#renderer/ui/side-panel.tsx';
import { useBreakpoint } from '#renderer/ui/use-breakpoint.ts';
import type { LocalFilter, ResultColumn, ResultSet } from '#shared/bridge/operations.ts';
import type { Draft, GridLayout } from '#shared/bridge/workspace.ts';
import type { QueryConfig, Sort } from '#shared/model/entities.ts';
import { exact } from '#shared/model/format.ts';
import { editQuery } from '../draft-edit.ts';
import { EVERY_APP, isServiceSort, localSort, queryColumns, sameSort } from '../query-run.ts';
import { ColumnsChooser } from './columns-chooser.tsx';
import { copyIocs } from './copy-iocs.ts';
import { ExportDialog } from './export-dialog.tsx';
import { ExportToast } from './export-toast.tsx';
import { FacetsPanel } from './facets-panel.tsx';
import { layoutColumns, shownIds } from './layout-edit.ts';
import { type Peeked, PeekPanel } from './peek-panel.tsx';
import { columnIndex, gridColumns, type ResultRow } from './result-columns.tsx';
import { ResultsBar } from './results-bar.tsx';
import { ResultsGrid } from './results-grid.tsx';
import { useFacets } from './use-facets.ts';
import { useResultKeys } from './use-result-keys.ts';
import { isFiltering, useRows } from './use-rows.ts';
import type { Run } from './use-run.ts';
import { useSelection } from './use-selection.ts';

const NO_FILTER: LocalFilter = { text: '', facets: {} };
const SEARCH_MS = 150;

interface ResultsProps {
  draft: Draft;
  config: QueryConfig;
  result: ResultSet;
  run: Run;
  layout: GridLayout | null;
  setLayout: (layout: GridLayout | null) => void;
  offline: boolean;
  product: string;
  changed: boolean;
  /** Shown over the grid when nothing matches. */
  noMatches: JSX.Element;
}

/** The search box's text a moment after the last key. */
function useSearch(): [string, string, (text: string) => void] {
  const [typed, setTyped] = useState('');
  const [settled, setSettled] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSettled(typed), SEARCH_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return [typed, settled, setTyped];
}

/** Rows of a run: bar, facets, grid and peek panel. */
export function Results(props: ResultsProps): JSX.Element {
  const { draft, config, result, run, layout, setLayout, offline, product } = props;
  const { query } = draft;
  const { wide } = useBreakpoint();
  const grid = useRef<GridHandle<ResultRow> | null>(null);
  const searchBox = useRef<HTMLInputElement | null>(null);
  const [typed, text, setTyped] = useSearch();
  const [facetFilter, setFacetFilter] = useState<LocalFilter['facets']>({});
  const filter = useMemo<LocalFilter>(() => ({ text, facets: facetFilter }), [text, facetFilter]);
  const filtering = isFiltering(filter);
  const [sort, setSort] = useState<Sort[]>(() => (layout?.sort?.length ? layout.sort : result.sort));
  const rows = useRows(result, config, filter, sort);
  const facets = useFacets(result, config, filter);
  const [peeked, setPeeked] = useState<Peeked | null>(null);
  const [facetsOpen, setFacetsOpen] = useState(true);
  const [facetsWidth, setFacetsWidth] = usePanelWidth('query-facets');
  const [peekWidth, setPeekWidth] = usePanelWidth('query-peek');
  const [exporting, setExporting] = useState(false);
  const [jobId, setJobId] = useState<string | null>(null);
  const selected = useSelection(grid, JSON.stringify([run.ranCondition, filter]));
  const count = rows.count;

  const allColumns = layoutColumns(layout, query, config);
  const shownText = shownIds(allColumns).join('\n');
  const columnsText = JSON.stringify(result.columns);
  const ownColumns = query.columns;
  // The announcements of a filling result bring its columns anew each time; the grid must not notice.
  const own = useMemo(() => JSON.parse(columnsText) as ResultColumn[], [columnsText]);
  const columns = useMemo(
    () =>
      gridColumns(own, config, queryColumns({ columns: ownColumns }, config), new Set(shownText.split('\n'))),
    [own, config, ownColumns, shownText],
  );
  const index = useMemo(() => columnIndex(own), [own]);

  const peek = useCallback(
    (row: ResultRow, at: number) => {
      const values = Object.fromEntries([...index].map(([id, cell]) => [id, row.cells[cell] ?? null]));
      const saas = typeof values['saas'] === 'string' ? values['saas'] : (query.saas ?? EVERY_APP);
      setPeeked({ id: row.id, saas, index: at, values });
    },
    [index, query.saas],
  );
  const open = useCallback(
    (row: ResultRow) => {
      const cell = (id: string) => row.cells[index.get(id) ?? -1];
      const saas = cell('saas') ?? peeked?.saas ?? query.saas;
      const subject = cell('subject');
      if (query.domain === 'email')
        openEmail(String(saas ?? EVERY_APP), row.id, typeof subject === 'string' ? subject : undefined);
      else if (query.domain === 'click' && typeof cell('email_id') === 'string')
        openEmail(
          String(saas ?? EVERY_APP),
          String(cell('email_id')),
          typeof subject === 'string' ? subject : undefined,
        );
    },
    [index, query.domain, query.saas, peeked?.saas],
  );

  const keepColumns = (next: GridLayout['columns']) =>
    setLayout({ columns: next, ...(layout?.sort ? { sort: layout.sort } : {}) });
  const choose = (next: GridLayout['columns']) => {
    const chosen = { columns: next, ...(layout?.sort ? { sort: layout.sort } : {}) };
    setLayout(chosen);
    grid.current?.applyLayout(next.filter(({ id }) => index.has(id)));
    // A column that this result lacks has to be asked for.
    if (shownIds(next).some((id) => !index.has(id))) void run.run({ layout: chosen });
  };
  const changeSort = (next: Sort[]) => {
    setSort(next);
    const chosen: GridLayout = { columns: layout?.columns ?? [], sort: next };
    setLayout(chosen);
    if (!offline && isServiceSort(next, config) && !sameSort(next, result.sort))
      void run.run({ layout: chosen });
  };

  const total = count ?? result.total;
  const selectedCount =
    selected.selection.mode === 'all' ? (filtering ? total : result.loaded) : selected.selection.ids.length;
  useTabStatus({
    message: `${peeked ? `Row ${exact(peeked.index + 1)} of ` : ''}${exact(total)} rows${selectedCount > 0 ? ` · ${exact(selectedCount)} selected` : ''}`,
    hints: HINTS,
  });
  useResultKeys({
    grid,
    columns,
    searchBox,
    peeked,
    peek,
    open,
    onClosePeek: () => setPeeked(null),
    onCopyIocs: () => {
      const focused = grid.current?.focusedRow();
      const selection =
        selectedCount === 0 && focused ? { mode: 'some' as const, ids: [focused.id] } : selected.selection;
      void copyIocs(result.id, result.columns, selection, filter);
    },
    onToggleFacets: () => setFacetsOpen((is) => !is),
  });

  const exportColumns = shownIds(allColumns).flatMap((id) => {
    const column = result.columns.find((one) => one.id === id);
    return column ? [{ id, label: column.label }] : [];
  });
  const isLocalOrder = sort.length > 0 && !sameSort(sort, result.sort);
  return (
    <>
      <ResultsBar
        result={result}
        count={count}
        filtering={filtering}
        running={run.running}
        changed={props.changed}
        selected={selectedCount}
        allSelected={selected.selection.mode === 'all'}
        onSelect={selected.select}
        onCopyIocs={() => void copyIocs(result.id, result.columns, selected.selection, filter)}
        onFill={run.retryFill}
        onRefresh={() => void run.run({ refresh: true })}
        search={typed}
        onSearch={setTyped}
        searchRef={searchBox}
        onExport={() => setExporting(true)}
        onClearFilter={() => {
          setTyped('');
          setFacetFilter(NO_FILTER.facets);
        }}
        chooser={
          <ColumnsChooser
            config={config}
            columns={allColumns}
            onChange={choose}
            onReset={() => {
              setLayout(null);
              grid.current?.applyLayout(layoutColumns(null, query, config).filter(({ id }) => index.has(id)));
            }}
            onKeep={() =>
              editQuery(draft.id, (before) => ({
                ...before,
                columns: exportColumns.map(({ id, label }, order) => {
                  const width = allColumns.find((one) => one.id === id)?.width;
                  return { id, label, order, ...(width === undefined ? {} : { width }) };
                }),
              }))
            }
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
              onFilter={(next) => setFacetFilter(next.facets)}
            />
          </SidePanel>
        ) : null}
        <div className="pp-results-grid">
          <ResultsGrid
            draftId={draft.id}
            columns={columns}
            rows={rows}
            sort={sort}
            layout={layout}
            handle={grid}
            peekedId={peeked?.id ?? null}
            loading={false}
            empty={
              filtering && count === 0
                ? {
                    title: 'No row matches the filter',
                    reason: `${exact(result.loaded)} rows are here; the filter hides them all.`,
                  }
                : null
            }
            onLayout={keepColumns}
            onSort={changeSort}
            onSelectionChanged={selected.onSelectionChanged}
            onRowsLoaded={selected.onRowsLoaded}
            onOpen={open}
            onFocused={(row, at) => {
              if (peeked) peek(row, at);
            }}
            onPeek={(row, at) => (peeked?.id === row.id ? setPeeked(null) : peek(row, at))}
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
              onOpen={() => openEmail(peeked.saas, peeked.id, String(peeked.values['subject'] ?? ''))}
              onClose={() => setPeeked(null)}
            />
          </SidePanel>
        ) : null}
      </div>
      <ExportDialog
        key={String(exporting)}
        isOpen={exporting}
        offline={offline}
        plan={{
          result,
          name: query.name,
          columns: exportColumns,
          count: total,
          filter,
          sort: isLocalOrder ? localSort(sort, config) : undefined,
        }}
        onClose={() => setExporting(false)}
        onStarted={(job) => setJobId(job.id)}
      />
      {jobId ? <ExportToast jobId={jobId} onClose={() => setJobId(null)} /> : null}
    </>
  );
}

const HINTS = [
  { keys: 'J K', text: 'move' },
  { keys: 'Space', text: 'peek' },
  { keys: 'X', text: 'select' },
  { keys: 'F', text: 'filter for' },
  { keys: 'C', text: 'copy IOCs' },
  { keys: '?', text: 'all keys' },
];
