// @vitest-environment happy-dom
/** The keys of the library act on what the grid has focused and selected, whatever it has reported so far. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { listenForKeys } from '#renderer/state/hotkeys.ts';
import type { GridHandle } from '#renderer/ui/grid/grid-handle.ts';
import type { Query } from '#shared/model/entities.ts';
import { mount } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';
import type { LibraryRow } from './library-columns.tsx';
import type { LibraryDialog } from './library-dialogs.tsx';
import { useLibraryKeys } from './use-library-keys.ts';

const rowOf = (id: string): LibraryRow => ({
  query: { id, name: id, type: 'query', domain: 'email', entityType: 'email', columns: [] } satisfies Query,
  recent: null,
  app: '',
});
const ROWS = ['a', 'b', 'c'].map(rowOf);
const [previewed = null] = ROWS;

/** What the grid has focused and selected. */
let focused: LibraryRow | undefined;
let selected: string[] = [];
let opened: LibraryDialog[] = [];

function Library() {
  useLibraryKeys({
    grid: {
      current: { focusedRow: () => focused, selectedIds: () => selected } as GridHandle<LibraryRow>,
    },
    search: { current: null },
    peeked: previewed,
    queries: ROWS.map(({ query }) => query),
    peek: () => undefined,
    onDialog: (dialog) => void opened.push(dialog),
  });
  return (
    <>
      <button type="button">Beside the list</button>
      <div className="ag-cell" tabIndex={-1} />
    </>
  );
}

let unlisten = () => {};
let leave = async () => {};
beforeEach(async () => {
  [focused, selected, opened] = [undefined, [], []];
  unlisten = listenForKeys();
  const bridge = fakeBridge({ stream: () => new Promise(() => {}) });
  ({ unmount: leave } = await mount(
    <BridgeProvider bridge={bridge}>
      <Library />
    </BridgeProvider>,
  ));
});
afterEach(async () => {
  await leave();
  unlisten();
});

const press = (key: string, selector: string) =>
  document
    .querySelector(selector)
    ?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));

it('Delete and F2 act on the focused row before its preview is shown', () => {
  [, focused] = ROWS;
  press('Delete', '.ag-cell');
  press('F2', '.ag-cell');
  expect(opened).toEqual([
    { dialog: 'delete', queries: [focused?.query] },
    { dialog: 'details', query: focused?.query },
  ]);
});

it('beside the list they act on the previewed query', () => {
  [, focused] = ROWS;
  press('Delete', 'button');
  press('F2', 'button');
  expect(opened).toEqual([
    { dialog: 'delete', queries: [previewed?.query] },
    { dialog: 'details', query: previewed?.query },
  ]);
});

it('Delete acts on the queries that have just been selected', () => {
  [, focused] = ROWS;
  selected = ['a', 'c'];
  press('Delete', '.ag-cell');
  expect(opened).toEqual([{ dialog: 'delete', queries: [ROWS[0]?.query, ROWS[2]?.query] }]);
});
