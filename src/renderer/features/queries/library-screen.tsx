import { Button, InputGroup } from '@blueprintjs/core';
import { Add, Export, Import, Search, Trash } from '@blueprintjs/icons';
import { type JSX, useMemo, useRef, useState } from 'react';
import { useRead } from '#renderer/bridge/use-read.ts';
import { reachOf, useConnection } from '#renderer/state/connection.ts';
import { openQuery } from '#renderer/state/navigation.ts';
import { usePanelWidth } from '#renderer/state/preferences.ts';
import { useFavourites, useRecentQueries } from '#renderer/state/recent.ts';
import { useTabStatus } from '#renderer/state/tab-context.ts';
import { ErrorBar } from '#renderer/ui/error-bar.tsx';
import { FreshnessMark } from '#renderer/ui/freshness-mark.tsx';
import type { GridHandle } from '#renderer/ui/grid-handle.ts';
import { IconButton } from '#renderer/ui/icon-button.tsx';
import { Kbd } from '#renderer/ui/kbd.tsx';
import { PageHeader } from '#renderer/ui/page-header.tsx';
import { SidePanel } from '#renderer/ui/side-panel.tsx';
import { useBreakpoint } from '#renderer/ui/use-breakpoint.ts';
import type { OutputOf } from '#shared/bridge/operations.ts';
import type { Query } from '#shared/model/entities.ts';
import { exact } from '#shared/model/format.ts';
import { DeleteDialog, ImportOutcome, NewQueryDialog } from './library/dialogs.tsx';
import { LibraryFacetsPanel } from './library/facets-panel.tsx';
import type { LibraryRow } from './library/library-columns.tsx';
import { type LibraryFilter, NO_FILTER, readLibrary } from './library/library-facets.ts';
import { LibraryGrid } from './library/library-grid.tsx';
import { NoPreview, Preview } from './library/preview.tsx';
import { useLibraryKeys } from './library/use-library-keys.ts';
import { duplicateQuery, exportQueries, fileNameOf, importQueries } from './query-actions.ts';
import { EVERY_APP } from './query-run.ts';
import { useSaasChoices } from './use-config.ts';
import './queries.css';

const HINTS = [
  { keys: 'J K', text: 'move' },
  { keys: 'Enter', text: 'open' },
  { keys: 'X', text: 'select' },
  { keys: '/', text: 'search' },
  { keys: 'N', text: 'new query' },
];
const NO_QUERIES: readonly Query[] = [];
type Open =
  | { dialog: 'new' }
  | { dialog: 'delete'; queries: Query[] }
  | { dialog: 'import'; outcome: OutputOf<'queries.import'> };

function useLibraryRows(queries: readonly Query[]): LibraryRow[] {
  const recent = useRecentQueries();
  const apps = useSaasChoices();
  return useMemo(() => {
    const runs = new Map(recent.map((one) => [one.queryId, one]));
    const labels = new Map(apps.map(({ value, label }) => [value, label]));
    return queries.map((query) => ({
      query,
      recent: runs.get(query.id) ?? null,
      app: labels.get(query.saas || EVERY_APP) ?? query.saas ?? 'All apps',
    }));
  }, [queries, recent, apps]);
}

/** The saved queries of the connection: filters, list, preview. */
export default function LibraryScreen(): JSX.Element {
  const { state } = useConnection();
  const offline = reachOf(state) === 'offline';
  const { wide } = useBreakpoint();
  const list = useRead('query.list', { query: {} });
  const [filter, setFilter] = useState<LibraryFilter>(NO_FILTER);
  const favourites = useFavourites();
  const favouriteSet = useMemo(() => new Set(favourites), [favourites]);
  const queries = list.data?.queries ?? NO_QUERIES;
  const library = useMemo(() => readLibrary(queries, filter, favouriteSet), [queries, filter, favouriteSet]);
  const rows = useLibraryRows(library.shown);
  const [peekedId, setPeekedId] = useState<string | null>(null);
  const [selected, setSelected] = useState<string[]>([]);
  const [open, setOpen] = useState<Open | null>(null);
  const [busy, setBusy] = useState(false);
  const [facetsWidth, setFacetsWidth] = usePanelWidth('library-facets');
  const [previewWidth, setPreviewWidth] = usePanelWidth('library-preview');
  const grid = useRef<GridHandle<LibraryRow> | null>(null);
  const search = useRef<HTMLInputElement | null>(null);
  const peeked = rows.find(({ query }) => query.id === peekedId) ?? rows[0] ?? null;
  const chosen = selected.filter((id) => queries.some((query) => query.id === id));

  const openRow = (row: LibraryRow) => openQuery(row.query);
  const startImport = () => {
    setBusy(true);
    void importQueries()
      .then((outcome) => {
        if (outcome) setOpen({ dialog: 'import', outcome });
      })
      .finally(() => setBusy(false));
  };
  const startExport = (ids: readonly string[]) => {
    const only = ids.length === 1 ? queries.find(({ id }) => id === ids[0]) : undefined;
    void exportQueries(ids, fileNameOf(only?.name ?? 'queries', 'json'));
  };
  const remove = (ids: readonly string[]) =>
    setOpen({ dialog: 'delete', queries: queries.filter(({ id }) => ids.includes(id)) });

  useTabStatus({
    message: `${exact(queries.length)} queries${chosen.length > 0 ? ` · ${exact(chosen.length)} selected` : ''}`,
    hints: HINTS,
  });
  useLibraryKeys({
    grid,
    search,
    open: () => {
      const row = grid.current?.focusedRow() ?? peeked;
      if (row) openRow(row);
      return row !== null;
    },
    peek: setPeekedId,
    create: () => setOpen({ dialog: 'new' }),
    remove: () => {
      const ids = chosen.length > 0 ? chosen : peeked ? [peeked.query.id] : [];
      if (ids.length > 0) remove(ids);
    },
  });

  return (
    <div className="pp-library">
      <PageHeader
        title="Queries"
        freshness={
          <FreshnessMark
            freshness={list.freshness}
            loading={list.loading || list.revalidating}
            error={list.error}
          />
        }
        filters={
          <InputGroup
            className="pp-library-search"
            inputRef={search}
            leftIcon={<Search size={14} />}
            rightElement={<Kbd keys="/" />}
            aria-label="Search queries"
            placeholder={wide ? 'Search names, descriptions, fields, values' : 'Search names, fields, values'}
            value={filter.text}
            onValueChange={(text) => setFilter((before) => ({ ...before, text }))}
          />
        }
        actions={
          <>
            {chosen.length > 0 ? (
              <IconButton
                outlined
                icon={<Trash size={14} />}
                label={`Delete ${chosen.length} selected`}
                onClick={() => remove(chosen)}
              />
            ) : null}
            <Button icon={<Import size={14} />} text="Import" loading={busy} onClick={startImport} />
            <Button
              icon={<Export size={14} />}
              text={chosen.length > 0 ? `Export ${exact(chosen.length)}` : 'Export'}
              title={chosen.length > 0 ? undefined : `Exports all ${exact(rows.length)} shown`}
              disabled={rows.length === 0}
              onClick={() => startExport(chosen.length > 0 ? chosen : rows.map(({ query }) => query.id))}
            />
            <Button
              intent="primary"
              icon={<Add size={14} />}
              text="New query"
              onClick={() => setOpen({ dialog: 'new' })}
            />
          </>
        }
      />
      {list.error && queries.length > 0 ? (
        <ErrorBar
          error={list.error}
          shownInstead="Shown is the saved copy of the list."
          onRetry={list.refresh}
        />
      ) : null}
      <div className="pp-results pp-library-body">
        <SidePanel
          side="left"
          label="Filters"
          defaultWidth={wide ? 192 : 176}
          width={facetsWidth}
          onResize={setFacetsWidth}
        >
          <LibraryFacetsPanel facets={library.facets} filter={filter} onFilter={setFilter} />
        </SidePanel>
        <div className="pp-results-grid">
          <LibraryGrid
            list={list}
            total={queries.length}
            rows={rows}
            offline={offline}
            handle={grid}
            peekedId={peeked?.query.id ?? null}
            onPeek={setPeekedId}
            onOpen={openRow}
            onSelected={setSelected}
            onNew={() => setOpen({ dialog: 'new' })}
            onClear={() => setFilter(NO_FILTER)}
          />
        </div>
        <SidePanel
          side="right"
          label="Preview"
          defaultWidth={wide ? 384 : 304}
          width={previewWidth}
          onResize={setPreviewWidth}
        >
          {peeked ? (
            <Preview
              row={peeked}
              favourite={favouriteSet.has(peeked.query.id)}
              onOpen={() => openRow(peeked)}
              onDuplicate={() => duplicateQuery(peeked.query)}
              onExport={() => startExport([peeked.query.id])}
              onDelete={() => remove([peeked.query.id])}
            />
          ) : (
            <NoPreview />
          )}
        </SidePanel>
      </div>
      {open?.dialog === 'new' ? <NewQueryDialog onClose={() => setOpen(null)} /> : null}
      {open?.dialog === 'delete' ? (
        <DeleteDialog queries={open.queries} onClose={() => setOpen(null)} />
      ) : null}
      {open?.dialog === 'import' ? (
        <ImportOutcome outcome={open.outcome} onClose={() => setOpen(null)} />
      ) : null}
    </div>
  );
}
