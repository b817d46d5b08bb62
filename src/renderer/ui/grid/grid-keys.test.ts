// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest';
import { GridKeys, type GridKeysOptions, LayoutHistory, moved } from './grid-keys.ts';

const layout = (...ids: string[]) => ids.map((id) => ({ id }));
const ids = (columns: readonly { id: string }[] | null | undefined) => columns?.map(({ id }) => id).join(' ');

describe('a column moved by a key', () => {
  it('swaps places with the next column', () => {
    expect(ids(moved(layout('a', 'b', 'c'), 'a', 1))).toBe('b a c');
    expect(ids(moved(layout('a', 'b', 'c'), 'c', -1))).toBe('a c b');
  });
  it('skips hidden columns and stays on its pinned side', () => {
    const columns = [{ id: 'p', pinned: true }, { id: 'a' }, { id: 'h', hidden: true }, { id: 'b' }];
    expect(ids(moved(columns, 'a', 1))).toBe('p h b a');
    expect(moved(columns, 'a', -1)).toBeNull();
    expect(moved(columns, 'p', 1)).toBeNull();
  });
  it('does not move beyond the last place', () => expect(moved(layout('a', 'b'), 'b', 1)).toBeNull());
});

it('[promise] moves and widths are undone one by one; a layout reported twice is one step', () => {
  const history = new LayoutHistory(layout('a', 'b'));
  history.note(layout('b', 'a'));
  history.note(layout('b', 'a'));
  history.note([{ id: 'b', width: 90 } as { id: string }, { id: 'a' }]);
  expect(history.undo()).toEqual(layout('b', 'a'));
  // The grid reports the restored layout.
  history.note(layout('b', 'a'));
  expect(history.undo()).toEqual(layout('a', 'b'));
  expect(history.undo()).toBeNull();
});

it.each([
  ['Home', 20_000, [0]],
  ['End', 20_000, [19_999]],
  ['End', 0, []],
])('Ctrl+%s with %d rows goes to the first or last row, in the same column', (key, count, rows) => {
  const root = document.createElement('div');
  const went: number[] = [];
  const keys = new GridKeys({
    root,
    api: { getDisplayedRowCount: () => count },
    handle: { focusRow: (index: number) => went.push(index) },
    layout: () => [],
  } as unknown as GridKeysOptions<unknown>);
  root.dispatchEvent(new KeyboardEvent('keydown', { key, ctrlKey: true, cancelable: true }));
  keys.leave();
  expect(went).toEqual(rows);
});

describe('a key on a cell', () => {
  function gridOf(rows: (string | undefined)[]) {
    const root = document.createElement('div');
    root.innerHTML = rows
      .map(
        (_, index) =>
          `<div class="ag-row" row-index="${index}"><div class="ag-cell" tabindex="-1"><i></i></div></div>`,
      )
      .join('');
    document.body.append(root);
    const calls: string[] = [];
    const keys = new GridKeys({
      root,
      api: { getDisplayedRowAtIndex: (index: number) => ({ data: rows[index] }) },
      layout: () => [],
      acts: () => ({
        onRowOpened: (row: string, index: number) => calls.push(`open ${row} ${index}`),
        onPeek: (row: string, index: number) => calls.push(`peek ${row} ${index}`),
      }),
    } as unknown as GridKeysOptions<string>);
    const next = (event: KeyboardEvent) => calls.push(`window ${event.key}`);
    window.addEventListener('keydown', next);
    const press = (index: number, key: string) => {
      const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true });
      root.querySelectorAll('i')[index]?.dispatchEvent(event);
      return event;
    };
    const leave = () => {
      keys.leave();
      window.removeEventListener('keydown', next);
      root.remove();
    };
    return { root, done: calls, press, leave };
  }

  it('acts before the next key does, once, and not also as a key of the screen', () => {
    const { done, press, leave } = gridOf(['a', 'b']);
    expect(press(1, 'Enter').defaultPrevented).toBe(true);
    press(1, 'j');
    press(0, ' ');
    press(0, 'k');
    leave();
    expect(done).toEqual(['open b 1', 'window j', 'peek a 0', 'window k']);
  });

  it('of a row that is not loaded does nothing', () => {
    const { done, press, leave } = gridOf([undefined]);
    press(0, 'Enter');
    leave();
    expect(done).toEqual(['window Enter']);
  });
});
