import { Cell, Column, ColumnHeaderCell, RenderMode, SelectionModes, Table } from '@blueprintjs/table';
import { type JSX, type ReactNode, useCallback, useMemo } from 'react';
import { PrintedRows } from '../printed-rows.tsx';
import { useSize } from '../use-size.ts';
import type { GridColumn } from './grid-columns.tsx';
import './virtual-table.css';

const LEAST = 120;
const SCROLLBAR = 12;

/** Widths of all columns in px: the space left by fixed ones is shared by the others. */
export function columnWidths(columns: readonly { width?: number }[], room: number): number[] {
  const fixed = columns.reduce((sum, { width = 0 }) => sum + width, 0);
  const sharing = columns.filter(({ width }) => width === undefined).length;
  const share = sharing === 0 ? 0 : Math.max(LEAST, Math.floor((room - fixed - SCROLLBAR) / sharing));
  return columns.map(({ width }) => width ?? share);
}

export interface TableColumn<T> {
  id: string;
  label: string;
  /** Width in px; without it, the column takes a share of the remaining space. */
  width?: number;
  numeric?: boolean;
  mono?: boolean;
  render: (row: T) => ReactNode;
}

interface VirtualTableProps<T> {
  label: string;
  columns: readonly TableColumn<T>[];
  rows: readonly T[];
}

const ROW = 28;

/** A virtual table of up to a hundred thousand loaded rows: only those in view are rendered. */
export function VirtualTable<T>({ label, columns, rows }: VirtualTableProps<T>): JSX.Element {
  const [box, { width }] = useSize();
  const printed = useMemo(
    () =>
      columns.map(
        ({ id, label: name, render }): GridColumn<T> => ({ id, label: name, value: () => '', render }),
      ),
    [columns],
  );
  const read = useCallback(async (end: number) => rows.slice(0, end), [rows]);
  const widths = useMemo(() => columnWidths(columns, width), [columns, width]);
  const style = (column: TableColumn<T>) =>
    `${column.numeric ? 'pp-cell-num' : ''} ${column.mono ? 'pp-cell-mono' : ''}`.trim();
  return (
    <>
      <section ref={box} className="pp-virtual-table" aria-label={label} data-rows={rows.length}>
        {width === 0 ? null : (
          <Table
            numRows={rows.length}
            defaultRowHeight={ROW}
            minRowHeight={ROW}
            columnWidths={widths}
            enableRowHeader={false}
            enableRowResizing={false}
            enableGhostCells={false}
            selectionModes={SelectionModes.NONE}
            // Not batched, because batches leave gaps while scrolling; a screenful of cells renders within one frame.
            renderMode={RenderMode.NONE}
            cellRendererDependencies={[rows, columns]}
          >
            {columns.map((column) => (
              <Column
                key={column.id}
                id={column.id}
                name={column.label}
                columnHeaderCellRenderer={() => (
                  <ColumnHeaderCell className={style(column)} name={column.label} />
                )}
                cellRenderer={(index) => {
                  const row = rows[index];
                  return (
                    <Cell className={style(column)}>{row === undefined ? null : column.render(row)}</Cell>
                  );
                }}
              />
            ))}
          </Table>
        )}
      </section>
      <PrintedRows columns={printed} count={rows.length} read={read} />
    </>
  );
}
