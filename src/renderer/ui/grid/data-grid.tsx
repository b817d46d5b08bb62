import type { GridApi, IDatasource } from 'ag-grid-community';
import { AgGridReact } from 'ag-grid-react';
import type { JSX } from 'react';
import { type RefObject, useCallback, useEffect, useMemo, useRef } from 'react';
import { flushSync } from 'react-dom';
import type { Sort } from '#shared/model/entities.ts';
import { PrintedRows } from '../printed-rows.tsx';
import type { GridProps } from './grid-options.ts';
import { GridOverlay } from './grid-overlay.tsx';
import { BLOCK_ROWS, type BlocksAhead, blocksAhead, watchScroll } from './grid-scroll.ts';
import { GridSelectionContext } from './grid-selection.ts';
import { useGrid } from './use-grid.ts';

export interface PageOfRows<T> {
  rows: T[];
  /** The total row count, if the page knows it more precisely than the grid's `rowCount`. */
  rowCount?: number;
}

interface DataGridProps<T> extends GridProps<T> {
  /** Null while it is unknown. */
  rowCount: number | null;
  /** Rows `[start, end)` in this sort. One stable function per result: a new one starts over from the top. */
  getRows: (start: number, end: number, sort: Sort[]) => Promise<PageOfRows<T>>;
  /** A new value reloads the blocks without blanking them: rows were appended. */
  version?: number | string;
  /** Block size; 200 by default. Lists with a small page size on the service request only visible rows. */
  blockRows?: number;
  /** The first visible row when the grid is created. */
  startRow?: number;
  /** The visible rows are outdated; newer ones are loading. */
  busy?: boolean;
  /** Called when a block could not be read; its rows stay blank, and the caller shows the reason. */
  onBlockError?: (error: unknown) => void;
}

interface ListGridProps<T> extends GridProps<T> {
  /** All rows; the grid sorts them by the columns' values. */
  rows: readonly T[];
}

const PLACEHOLDERS_AFTER_MS = 150;

/** What has arrived so far. If rows arrive at once, no placeholders are drawn first. */
interface Arrived {
  rows: boolean;
  /** An answer: rows, or why there are none. */
  answer: boolean;
}

function useBlockSource<T>(
  blocks: BlocksAhead<PageOfRows<T>>,
  props: RefObject<DataGridProps<T>>,
  arrived: RefObject<Arrived>,
): IDatasource {
  return useMemo(
    () => ({
      getRows({ startRow, endRow, sortModel, successCallback, failCallback }) {
        const dbIds = new Map(props.current.columns.map((column) => [column.id, column.sortId]));
        const sort = sortModel.flatMap(({ colId, sort: direction }) => {
          const dbId = dbIds.get(colId);
          return dbId === undefined ? [] : [{ dbId, direction }];
        });
        blocks.read(startRow, endRow, sort).then(
          (page) => {
            arrived.current = { rows: true, answer: true };
            const count = page.rowCount ?? props.current.rowCount ?? undefined;
            const ended = page.rows.length < endRow - startRow ? startRow + page.rows.length : undefined;
            // Flushed synchronously; otherwise React would draw the rows a frame later.
            flushSync(() => successCallback(page.rows, count ?? ended));
          },
          (error: unknown) => {
            arrived.current.answer = true;
            failCallback();
            props.current.onBlockError?.(error);
          },
        );
      },
    }),
    [blocks, props, arrived],
  );
}

/** A grid for results of any length: blocks of 200 rows are requested as they scroll into view. */
export function DataGrid<T>(props: DataGridProps<T>): JSX.Element {
  const { getRows, rowCount, version } = props;
  const arrived = useRef({ rows: (props.startRow ?? 0) > 0, answer: false });
  const { root, ready, shared } = useGrid(
    props,
    useCallback(() => !arrived.current.answer, []),
  );
  const { key, ...options } = shared;
  const callbacks = useRef(props);
  callbacks.current = props;

  const printed = useCallback(async (end: number) => (await getRows(0, end, [])).rows, [getRows]);
  const blockRows = props.blockRows ?? BLOCK_ROWS;
  const blocks = useMemo(() => blocksAhead(getRows, blockRows), [getRows, blockRows]);
  const datasource = useBlockSource(blocks, callbacks, arrived);

  // Runs once per grid, as soon as it has enough rows to scroll there.
  const scrolled = useRef<GridApi<T> | null>(null);
  useEffect(() => {
    const { startRow = 0 } = callbacks.current;
    if (!ready || ready.isDestroyed() || rowCount === null || scrolled.current === ready) return;
    scrolled.current = ready;
    if (startRow > 0 && startRow < rowCount) ready.ensureIndexVisible(startRow, 'top');
  }, [ready, rowCount]);

  useEffect(() => {
    if (!ready || ready.isDestroyed() || !root.current) return undefined;
    return watchScroll(root.current, ready, blocks.look);
  }, [root, ready, blocks]);

  const drawnVersion = useRef(version);
  useEffect(() => {
    if (!ready || rowCount === null) return undefined;
    const show = () => {
      if (!ready.isDestroyed() && ready.getDisplayedRowCount() !== rowCount)
        ready.setRowCount(rowCount, true);
    };
    if (!arrived.current.rows) {
      const late = setTimeout(show, PLACEHOLDERS_AFTER_MS);
      return () => clearTimeout(late);
    }
    show();
    return undefined;
  }, [ready, rowCount]);
  useEffect(() => {
    if (!ready || ready.isDestroyed() || drawnVersion.current === version) return;
    drawnVersion.current = version;
    blocks.forget();
    ready.refreshInfiniteCache();
  }, [ready, version, blocks]);

  return (
    <>
      <section ref={root} className="pp-grid" aria-busy={props.busy ?? false}>
        <GridSelectionContext value={props.selection ?? null}>
          <AgGridReact<T>
            key={key}
            {...options}
            rowModelType="infinite"
            datasource={datasource}
            cacheBlockSize={blockRows}
            // Always mounted: adding it together with the first rows would make the library measure and style all of
            // them again.
            alwaysShowVerticalScroll
            maxBlocksInCache={60}
            maxConcurrentDatasourceRequests={12}
            infiniteInitialRowCount={arrived.current.rows ? Math.max(1, rowCount ?? 1) : 1}
          />
        </GridSelectionContext>
        <GridOverlay {...props} />
      </section>
      <PrintedRows columns={props.columns} count={rowCount ?? 0} read={printed} />
    </>
  );
}

const neverWaits = () => false;

/** A grid for fully loaded lists of up to a few thousand rows. */
export function ListGrid<T>(props: ListGridProps<T>): JSX.Element {
  const { root, shared } = useGrid(props, neverWaits);
  const { key, ...options } = shared;
  const rows = useMemo(() => [...props.rows], [props.rows]);
  const printed = useCallback(async (end: number) => rows.slice(0, end), [rows]);
  return (
    <>
      <section ref={root} className="pp-grid">
        <AgGridReact<T> key={key} {...options} rowModelType="clientSide" rowData={rows} />
        <GridOverlay {...props} />
      </section>
      <PrintedRows columns={props.columns} count={rows.length} read={printed} />
    </>
  );
}
