import { type JSX, useMemo, useRef, useState } from 'react';
import { unlessRefused, useRoleRefusal } from '#renderer/state/caller.ts';
import { reachOf, useConnection } from '#renderer/state/connection.ts';
import { openQuery } from '#renderer/state/navigation.ts';
import { usePanelWidth } from '#renderer/state/preferences.ts';
import { useTabStatus, useWhileShown } from '#renderer/state/tab-context.ts';
import { ErrorBar } from '#renderer/ui/error-bar.tsx';
import type { GridHandle } from '#renderer/ui/grid-handle.ts';
import { ThreePanes } from '#renderer/ui/three-panes.tsx';
import type { Query } from '#shared/model/entities.ts';
import { exact, plural } from '#shared/model/format.ts';
import { LibraryFacetsPanel } from './library/facets-panel.tsx';
import type { LibraryRow } from './library/library-columns.tsx';
import { type LibraryDialog, LibraryDialogs } from './library/library-dialogs.tsx';
import { NO_FILTER } from './library/library-facets.ts';
import { LibraryGrid } from './library/library-grid.tsx';
import { LibraryHeader } from './library/library-header.tsx';
import { NoPreview, Preview } from './library/preview.tsx';
import { useLibrary } from './library/use-library.ts';
import { useLibraryKeys } from './library/use-library-keys.ts';
import { duplicateQuery } from './query-actions.ts';
import { exportQueries, fileNameOf, type ImportPlan, inspectQueryFile } from './query-files.ts';
import './queries.css';
import './library/library.css';

const HINTS = [
  { keys: 'J K', text: 'move' },
  { keys: 'Enter', text: 'open' },
  { keys: 'X', text: 'select' },
  { keys: '/', text: 'search' },
  { keys: 'N', text: 'new query' },
];

const openRow = (row: LibraryRow) => openQuery(row.query);

function startExport(queries: readonly Query[]): void {
  const name = queries.length === 1 ? queries[0]?.name : undefined;
  void exportQueries(
    queries.map(({ id }) => id),
    fileNameOf(name ?? 'queries', 'json'),
  );
}

function useImport(onPlan: (plan: ImportPlan) => void) {
  const [importing, setImporting] = useState(false);
  const startImport = () => {
    setImporting(true);
    void inspectQueryFile()
      .then((plan) => {
        if (plan) onPlan(plan);
      })
      .finally(() => setImporting(false));
  };
  return { importing, startImport };
}

function useRefusals() {
  const roleRefusal = useRoleRefusal();
  /** The first refusal of several queries: the service would reject some and accept others. */
  const refusedOf = (call: 'query.export' | 'query.delete', of: readonly Query[]) =>
    of.map((query) => roleRefusal(call, { query })).find((refusal) => refusal !== null) ?? null;
  return { roleRefusal, refusedOf };
}

/** The saved queries of the connection: filters, list, preview. */
export default function LibraryScreen(): JSX.Element {
  const offline = reachOf(useConnection().state) === 'offline';
  const { list, queries, rows, facets, filter, setFilter, marks } = useLibrary();
  const [peekedId, setPeekedId] = useState<string | null>(null);
  const [selected, setSelected] = useState<string[]>([]);
  const [open, setOpen] = useState<LibraryDialog | null>(null);
  const facetsWidth = usePanelWidth('library-facets');
  const previewWidth = usePanelWidth('library-preview');
  const grid = useRef<GridHandle<LibraryRow> | null>(null);
  const search = useRef<HTMLInputElement | null>(null);
  const rowsDrawn = useWhileShown(rows);
  const peeked = rows.find(({ query }) => query.id === peekedId) ?? rows[0] ?? null;
  const chosen = selected.filter((id) => queries.some((query) => query.id === id));
  const chosenQueries = queries.filter(({ id }) => chosen.includes(id));
  const templates = useMemo(() => queries.filter(({ subType }) => subType === 'template'), [queries]);

  const { roleRefusal, refusedOf } = useRefusals();
  const removed = chosen.length > 0 ? chosenQueries : peeked ? [peeked.query] : [];
  const exported = chosen.length > 0 ? chosenQueries : rows.map(({ query }) => query);

  const { importing, startImport } = useImport((plan) => setOpen({ dialog: 'plan', plan }));
  const remove = (ids: readonly string[]) =>
    setOpen({ dialog: 'delete', queries: queries.filter(({ id }) => ids.includes(id)) });
  const create = () => setOpen({ dialog: 'new' });

  useTabStatus({
    message: `${plural(queries.length, 'query', 'queries')}${chosen.length > 0 ? ` · ${exact(chosen.length)} selected` : ''}`,
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
    create,
    rename: () => {
      if (!peeked) return;
      const { query } = peeked;
      unlessRefused(roleRefusal('query.update', { query }), () => setOpen({ dialog: 'details', query }));
    },
    remove: () => {
      if (removed.length === 0) return;
      unlessRefused(refusedOf('query.delete', removed), () => remove(removed.map(({ id }) => id)));
    },
  });

  return (
    <>
      <ThreePanes
        className="pp-library"
        header={
          <LibraryHeader
            list={list}
            search={search}
            text={filter.text}
            shown={rows.length}
            chosen={chosenQueries}
            importing={importing}
            refusals={{
              import: roleRefusal('query.import'),
              export: refusedOf('query.export', exported),
              delete: refusedOf('query.delete', chosenQueries),
              activeUsers: roleRefusal('query.export-active-users'),
            }}
            onText={(text) => setFilter((before) => ({ ...before, text }))}
            onNew={create}
            onImport={startImport}
            onExport={() => startExport(exported)}
            onDelete={() => remove(chosen)}
            onActiveUsers={() => setOpen({ dialog: 'active-users' })}
          />
        }
        bars={
          list.error && queries.length > 0 ? (
            <ErrorBar error={list.error} shownInstead="Showing the saved list." onRetry={list.refresh} />
          ) : null
        }
        left={{
          label: 'Filters',
          defaultWidth: [192, 176],
          width: facetsWidth,
          content: <LibraryFacetsPanel facets={facets} filter={filter} onFilter={setFilter} />,
        }}
        right={{
          label: 'Preview',
          defaultWidth: [384, 304],
          width: previewWidth,
          content: peeked ? (
            <Preview
              row={peeked}
              favourite={marks.favourites.has(peeked.query.id)}
              onOpen={() => openRow(peeked)}
              onDuplicate={() => duplicateQuery(peeked.query)}
              onDetails={() => setOpen({ dialog: 'details', query: peeked.query })}
              onSchedule={() => setOpen({ dialog: 'schedule', query: peeked.query })}
              onSend={() => setOpen({ dialog: 'send', query: peeked.query })}
              onExport={() => startExport([peeked.query])}
              onDelete={() => remove([peeked.query.id])}
            />
          ) : (
            <NoPreview />
          ),
        }}
      >
        <LibraryGrid
          list={list}
          total={queries.length}
          rows={rowsDrawn}
          offline={offline}
          handle={grid}
          peekedId={peeked?.query.id ?? null}
          onPeek={setPeekedId}
          onOpen={openRow}
          onSelected={setSelected}
          onNew={create}
          onClear={() => setFilter(NO_FILTER)}
        />
      </ThreePanes>
      <LibraryDialogs open={open} templates={templates} onOpen={setOpen} />
    </>
  );
}
