// @vitest-environment happy-dom
import type { GridApi } from 'ag-grid-community';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createHandle } from './grid-handle.ts';

beforeEach(() => {
  vi.useFakeTimers();
  document.body.innerHTML = `
    <button id="run">Run</button><input id="search">
    <div grid-id="1"><div id="guard" tabindex="0"></div>
      <div class="ag-row" row-index="3"><div class="ag-cell" tabindex="-1"></div></div></div>`;
});
afterEach(() => vi.useRealTimers());

const elementOf = (selector: string) => document.querySelector<HTMLElement>(selector)!;

/** A grid that, like the library, focuses a cell by a timer once it is rendered. */
function lateGrid() {
  let focused: { rowIndex: number; column: { getColId: () => string } } | null = null;
  const column = { getColId: () => 'subject' };
  const api = {
    getGridId: () => '1',
    isDestroyed: () => false,
    getAllDisplayedColumns: () => [column],
    ensureIndexVisible: () => undefined,
    getFocusedCell: () => focused,
    clearFocusedCell: () => {
      focused = null;
    },
    setFocusedCell: (rowIndex: number) => {
      focused = { rowIndex, column };
      setTimeout(() => focused && elementOf('.ag-cell').focus(), 50);
    },
  };
  return createHandle(
    api as unknown as GridApi<object>,
    () => [],
    () => null,
    () => undefined,
    () => undefined,
  );
}

it.each(['#run', '#search'])('a cell that is rendered late does not take the focus from %s', (control) => {
  const handle = lateGrid();
  handle.focusRow(3);
  elementOf(control).focus();
  vi.runAllTimers();
  expect(document.activeElement).toBe(elementOf(control));
  // J and K continue from there.
  expect(handle.focusedIndex()).toBe(3);
});

it('takes the focus if nothing else has it, also from another part of its grid', () => {
  const handle = lateGrid();
  handle.focusRow(3);
  elementOf('#guard').focus();
  vi.runAllTimers();
  expect(document.activeElement).toBe(elementOf('.ag-cell'));
});
