import { type JSX, useContext, useMemo, useRef } from 'react';
import { useChangedMarks } from '#renderer/state/changed-rows.ts';
import { usePanelWidth } from '#renderer/state/preferences.ts';
import { type EntityActions, EntityActionsContext } from '#renderer/ui/entity-value.tsx';
import { DataGrid } from '#renderer/ui/grid/data-grid.tsx';
import { GridCover } from '#renderer/ui/grid/grid-overlay.tsx';
import { SidePanel } from '#renderer/ui/side-panel.tsx';
import { useBreakpoint } from '#renderer/ui/use-breakpoint.ts';
import { useHighlight } from '#renderer/ui/use-highlight.ts';
import type { Draft, GridLayout } from '#shared/bridge/workspace.ts';
import type { NewQuery, QueryConfig } from '#shared/model/entities.ts';
import { exact } from '#shared/model/format.ts';
import { searchTerms } from '#shared/query/text.ts';
import { useOwnDomains } from '../builder/people.tsx';
import { withAbsent } from '../columns-edit.ts';
import { shownQuery } from '../query-run.ts';
import { FacetsPanel } from './facets-panel.tsx';
import { type Peeked, PeekPanel } from './peek-panel.tsx';
import type { ResultRow } from './result-columns.tsx';
import { soughtIn } from './search-terms.ts';
import type { Browse } from './use-browse.ts';
import { followsFocus, profileOf } from './use-peek.ts';
import './results.css';

/** Column types that the quick search skips. */
const NOT_SEARCHED: readonly string[] = ['number', 'bytes', 'date', 'boolean'];

function PeekSide(props: { browse: Browse; peeked: Peeked; query: NewQuery }): JSX.Element {
  const { browse, peeked, query } = props;
  const { grid, columns, peek, total, isEmail } = browse;
  const row = { id: peeked.id, cells: columns.ofResult.map(({ id }) => peeked.values[id] ?? null) };
  const open = () => {
    const focused = grid.current?.focusedRow();
    peek.open(focused?.id === peeked.id ? focused : row, peeked.index);
  };
  const { wide } = useBreakpoint();
  const [peekWidth, setPeekWidth] = usePanelWidth('query-peek');
  return (
    <SidePanel
      side="right"
      label="Preview"
      defaultWidth={wide ? 372 : 304}
      width={peekWidth}
      onResize={setPeekWidth}
    >
      <PeekPanel
        key={peeked.id}
        peeked={peeked}
        total={total}
        isEmail={isEmail}
        columns={columns.shown.flatMap(({ id }) => columns.grid.find((column) => column.id === id) ?? [])}
        row={row}
        onOpen={profileOf(row, query, columns.index, peeked.saas) === null ? null : open}
        onClose={peek.close}
      />
    </SidePanel>
  );
}

/** The menu of the rows opens the row itself, as emails and files are opened by their text. */
function useRowActions(domain: string, onOpen: Browse['peek']['open']): EntityActions {
  const outer = useContext(EntityActionsContext);
  return useMemo(
    () => ({
      ...outer,
      open: (entity) => {
        if (entity.kind === 'text' && entity.id) onOpen({ id: entity.id, cells: [] });
        else outer.open?.(entity);
      },
      canOpen: (entity) =>
        (entity.kind === 'text' && Boolean(entity.id) && ['email', 'file'].includes(domain)) ||
        (outer.canOpen?.(entity) ?? true),
    }),
    [outer, onOpen, domain],
  );
}

export function ResultsBody(props: {
  draft: Draft;
  config: QueryConfig;
  browse: Browse;
  layout: GridLayout | null;
  setLayout: (layout: GridLayout | null) => void;
  /** Row index that was at the top when the tab was last open. */
  startRow: number;
  onFirstRow?: (row: number) => void;
  /** Shown over the grid when the service found nothing. */
  noMatches: JSX.Element | null;
  /** Shown in place of the grid, which stays mounted behind it. */
  instead?: JSX.Element | null;
}): JSX.Element {
  const { draft, config, browse, layout, setLayout, noMatches, instead = null } = props;
  const { result, grid, filter, filtering, order, columns, rows, peek, selection } = browse;
  const { wide } = useBreakpoint();
  const [facetsWidth, setFacetsWidth] = usePanelWidth('query-facets');
  const area = useRef<HTMLDivElement>(null);
  const searched = columns.ofResult.filter(({ type }) => !NOT_SEARCHED.includes(type)).map(({ id }) => id);
  useHighlight(area, [
    { terms: searchTerms(rows.filter.text), columns: searched },
    ...soughtIn(shownQuery(draft).filter, config),
  ]);
  const { peeked } = peek;
  const actions = useRowActions(draft.query.domain, peek.open);
  const ownDomains = useOwnDomains();
  const marks = useChangedMarks();
  return (
    <div className="pp-results">
      {browse.facetsOpen ? (
        <SidePanel
          side="left"
          label="Facets"
          defaultWidth={wide ? 212 : 184}
          width={facetsWidth}
          onResize={setFacetsWidth}
        >
          <FacetsPanel result={result} config={config} filter={filter.filter} onFacets={filter.setFacets} />
        </SidePanel>
      ) : null}
      {instead}
      <div ref={area} className="pp-results-grid" hidden={instead !== null}>
        <EntityActionsContext value={actions}>
          <DataGrid<ResultRow>
            label="Results"
            columns={columns.grid}
            rowId={({ id }) => id}
            rowCount={rows.count}
            getRows={rows.getRows}
            version={rows.version}
            busy={rows.busy}
            onBlockError={rows.onBlockError}
            ownDomains={ownDomains}
            layoutKey={columns.gridKey}
            {...(layout ? { columnState: layout.columns } : {})}
            onColumnStateChange={(next) => setLayout({ ...layout, columns: withAbsent(next, columns.all) })}
            sort={order.sort}
            onSortChange={(next) => {
              order.change(next);
              // Scrolls to the top, whose rows load first in the new order.
              grid.current?.scrollTo(0);
            }}
            selection={selection.grid}
            onRowOpened={peek.open}
            onRowFocused={(focused, index) => {
              if (peeked && followsFocus(peeked, { resultId: result.id, index })) peek.peek(focused, index);
            }}
            onPeek={peek.toggle}
            peekedId={peeked?.id ?? null}
            marks={marks}
            startRow={props.startRow}
            {...(props.onFirstRow ? { onFirstRow: props.onFirstRow } : {})}
            error={rows.error}
            errorTitle="Rows could not be read"
            onRetry={() => grid.current?.refresh()}
            empty={
              filtering && rows.count === 0
                ? {
                    title: 'No rows match the filter',
                    reason: `All ${exact(result.loaded)} loaded rows are filtered out.`,
                  }
                : null
            }
            handle={grid}
          />
        </EntityActionsContext>
        {noMatches ? <GridCover>{noMatches}</GridCover> : null}
      </div>
      {peeked && instead === null ? <PeekSide browse={browse} peeked={peeked} query={draft.query} /> : null}
    </div>
  );
}
