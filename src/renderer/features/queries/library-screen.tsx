import { type JSX, useMemo, useRef, useState } from 'react';
import { reachOf, useConnection } from '#renderer/state/connection.ts';
import { openQuery } from '#renderer/state/navigation.ts';
import { usePanelWidth } from '#renderer/state/preferences.ts';
import { useTabStatus, useWhileShown } from '#renderer/state/tab-context.ts';
import { ErrorBar } from '#renderer/ui/error-bar.tsx';
import type { GridHandle } from '#renderer/ui/grid/grid-handle.ts';
import { ThreePanes } from '#renderer/ui/three-panes.tsx';
import { LIBRARY_HINTS, libraryWords, unlistedWords } from './labels.ts';
import { LibraryFacetsPanel } from './library/facets-panel.tsx';
import type { LibraryRow } from './library/library-columns.tsx';
import { useLibraryCommands } from './library/library-commands.ts';
import { type LibraryDialog, LibraryDialogs } from './library/library-dialogs.tsx';
import { NO_FILTER } from './library/library-facets.ts';
import { LibraryGrid } from './library/library-grid.tsx';
import { LibraryHeader } from './library/library-header.tsx';
import { NoPreview, Preview } from './library/preview.tsx';
import { useLibrary } from './library/use-library.ts';
import { useLibraryKeys } from './library/use-library-keys.ts';
import './queries.css';
import './library/library.css';

const openRow = (row: LibraryRow) => openQuery(row.query);

export default function LibraryScreen(): JSX.Element {
  const offline = reachOf(useConnection().state) === 'offline';
  const { list, queries, isKnown, rows, facets, filter, setFilter, marks } = useLibrary();
  const [peekedId, setPeekedId] = useState<string | null>(null);
  const [selected, setSelected] = useState<string[]>([]);
  const [open, setOpen] = useState<LibraryDialog | null>(null);
  const facetsWidth = usePanelWidth('library-facets');
  const previewWidth = usePanelWidth('library-preview');
  const grid = useRef<GridHandle<LibraryRow> | null>(null);
  const search = useRef<HTMLInputElement | null>(null);
  const rowsDrawn = useWhileShown(rows);
  const missing = unlistedWords(list.data?.['unlisted']);
  const peeked = rows.find(({ query }) => query.id === peekedId) ?? rows[0] ?? null;
  const chosen = queries.filter(({ id }) => selected.includes(id));
  const templates = useMemo(() => queries.filter(({ subType }) => subType === 'template'), [queries]);

  useTabStatus({
    ...(isKnown ? { message: libraryWords(queries.length, rows.length, chosen.length) } : {}),
    hints: LIBRARY_HINTS,
  });
  const { create } = useLibraryCommands(setOpen);
  useLibraryKeys({ grid, search, peeked, queries, peek: setPeekedId, onDialog: setOpen });

  return (
    <>
      <ThreePanes
        className="pp-library"
        header={
          <LibraryHeader
            list={list}
            search={search}
            text={filter.text}
            shown={rows.map(({ query }) => query)}
            chosen={chosen}
            onText={(text) => setFilter((before) => ({ ...before, text }))}
            onDialog={setOpen}
          />
        }
        bars={
          list.error && queries.length > 0 ? (
            <ErrorBar error={list.error} shownInstead="Showing the saved list." onRetry={list.refresh} />
          ) : missing ? (
            <p className="pp-caution" role="status">
              {missing}
            </p>
          ) : null
        }
        left={{
          label: 'Filters',
          defaultWidth: [192, 176],
          width: facetsWidth,
          content: (
            <LibraryFacetsPanel facets={facets} isKnown={isKnown} filter={filter} onFilter={setFilter} />
          ),
        }}
        right={{
          label: 'Preview',
          defaultWidth: [384, 304],
          width: previewWidth,
          content: peeked ? (
            <Preview row={peeked} favourite={marks.favourites.has(peeked.query.id)} onDialog={setOpen} />
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
          create={create}
          onClear={() => setFilter(NO_FILTER)}
        />
      </ThreePanes>
      <LibraryDialogs open={open} templates={templates} onOpen={setOpen} />
    </>
  );
}
