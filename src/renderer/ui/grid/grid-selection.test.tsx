// @vitest-environment happy-dom
import { type JSX, type RefObject, useEffect, useState } from 'react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { doing, mount, whenDrawn } from '#tests/support/mount.tsx';
import { ListGrid } from './data-grid.tsx';
import type { GridColumn } from './grid-columns.tsx';
import type { GridHandle } from './grid-handle.ts';
import type { GridSelection } from './grid-selection.ts';

interface Row {
  id: string;
}
const ROWS: readonly Row[] = ['a', 'b', 'c', 'd'].map((id) => ({ id }));
const COLUMNS: readonly GridColumn<Row>[] = [{ id: 'id', label: 'Id', value: ({ id }) => id, width: 100 }];
const rowId = ({ id }: Row) => id;

let leavePage: (() => Promise<void>) | undefined;
afterEach(async () => {
  await leavePage?.();
  leavePage = undefined;
});

/** A page that holds the selection; `drawn` is the one that it last rendered. */
async function page() {
  const handle: RefObject<GridHandle<Row> | null> = { current: null };
  const drawn: { ids: ReadonlySet<string> } = { ids: new Set() };
  const opened: string[] = [];
  function Page(): JSX.Element {
    const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
    drawn.ids = ids;
    const selection: GridSelection = {
      isSelected: (id) => ids.has(id),
      isEmpty: ids.size === 0,
      box: 'none',
      boxLabel: '',
      onBox: () => undefined,
      onAll: () => undefined,
      onChange: (rows, on) =>
        setIds(
          (before) => new Set(on ? [...before, ...rows] : [...before].filter((id) => !rows.includes(id))),
        ),
      onBetween: () => undefined,
    };
    return (
      <ListGrid<Row>
        label="Rows"
        columns={COLUMNS}
        rows={ROWS}
        rowId={rowId}
        selection={selection}
        handle={handle}
        onRowOpened={({ id }, index) => opened.push(`${id} ${index}`)}
      />
    );
  }
  const { container, unmount } = await mount(<Page />);
  leavePage = unmount;
  await whenDrawn(() => expect(handle.current).not.toBeNull());
  const press = (index: number) => {
    handle.current?.focusRow(index);
    handle.current?.toggleSelected();
  };
  return { container, handle, seen: drawn, opened, press };
}

/** Waits for the library's delayed events and their effects. */
const aMoment = () => doing(() => new Promise((resolve) => setTimeout(resolve)));

describe('rows checked one after another, faster than they are rendered', () => {
  it('are all checked', async () => {
    const { handle, seen, press } = await page();
    await doing(async () => {
      press(0);
      // After the library reports the first row, before the page has rendered it.
      await new Promise((resolve) => setTimeout(resolve));
      press(1);
    });
    await aMoment();
    expect([...seen.ids]).toEqual(['a', 'b']);
    expect(handle.current?.selectedIds()).toEqual(['a', 'b']);
  });

  it('are unchecked by a second press', async () => {
    const { handle, seen, press } = await page();
    await doing(() => press(2));
    await doing(() => press(2));
    await aMoment();
    expect([...seen.ids]).toEqual([]);
    expect(handle.current?.selectedIds()).toEqual([]);
  });

  it('are checked as a range up to another row', async () => {
    const { handle, seen, press } = await page();
    await doing(() => press(1));
    await doing(() => {
      handle.current?.focusRow(3);
      handle.current?.selectRange();
    });
    await aMoment();
    expect([...seen.ids]).toEqual(['b', 'c', 'd']);
    expect(handle.current?.selectedIds()).toEqual(['b', 'c', 'd']);
  });
});

describe('a row that is focused before it is rendered', () => {
  it('leaves the focus to the field that the user moved to, and J continues from it', async () => {
    const handle: RefObject<GridHandle<Row> | null> = { current: null };
    const field = document.body.appendChild(document.createElement('input'));
    let show = (_: readonly Row[]): void => undefined;
    let drawn = -1;
    function Page(): JSX.Element {
      const [rows, setRows] = useState<readonly Row[]>([]);
      show = setRows;
      useEffect(() => {
        if (rows.length === 0) return;
        drawn = document.querySelectorAll('.ag-cell').length;
        handle.current?.focusRow(2);
        field.focus();
      }, [rows]);
      return <ListGrid<Row> label="Rows" columns={COLUMNS} rows={rows} rowId={rowId} handle={handle} />;
    }
    const { container, unmount } = await mount(<Page />);
    leavePage = unmount;
    await whenDrawn(() => expect(handle.current).not.toBeNull());
    await doing(() => show(ROWS));
    await doing(() =>
      expect.poll(() => container.querySelector('.ag-row[row-index="3"] .ag-cell')).not.toBeNull(),
    );
    await aMoment();
    expect(drawn).toBe(0);
    expect(document.activeElement).toBe(field);
    expect(handle.current?.focusedRow()).toEqual({ id: 'c' });
    await doing(() => void handle.current?.move(1));
    expect(document.activeElement?.closest('.ag-row')?.getAttribute('row-index')).toBe('3');
    field.remove();
  });
});

describe('a double click during which the rows were redrawn', () => {
  it('opens the row under the pointer', async () => {
    const { container, opened } = await page();
    await whenDrawn(() => expect(container.querySelectorAll('.ag-row').length).toBe(ROWS.length));
    const row = container.querySelector('.ag-row[row-index="2"]');
    const elementFromPoint = vi.spyOn(document, 'elementFromPoint').mockReturnValue(row);
    // The browser dispatches it to the common parent of the old and the new row.
    row?.parentElement?.dispatchEvent(new MouseEvent('dblclick', { bubbles: true }));
    elementFromPoint.mockReturnValue(document.body);
    row?.parentElement?.dispatchEvent(new MouseEvent('dblclick', { bubbles: true }));
    elementFromPoint.mockRestore();
    expect(opened).toEqual(['c 2']);
  });
});
