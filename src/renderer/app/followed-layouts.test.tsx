// @vitest-environment happy-dom
import type { JSX, RefObject } from 'react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { ExceptionsGrid } from '#renderer/features/exceptions/exceptions-grid.tsx';
import { useExceptions } from '#renderer/features/exceptions/use-exceptions.ts';
import { KeptGrid } from '#renderer/features/kept/kept-grid.tsx';
import { TableView } from '#renderer/features/login-map/table-view.tsx';
import { LibraryGrid } from '#renderer/features/queries/library/library-grid.tsx';
import { startAppEvents } from '#renderer/state/app-events.ts';
import { startLayouts } from '#renderer/state/layout.ts';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import { flushWorkspace } from '#renderer/state/workspace.ts';
import type { GridHandle } from '#renderer/ui/grid/grid-handle.ts';
import type { AppEvent } from '#shared/bridge/operations.ts';
import type { GridLayout } from '#shared/bridge/workspace.ts';
import { doing, mount, whenDrawn } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';

const saved = new Map<string, GridLayout>();
let written: { key: string; value: GridLayout }[] = [];
let publish: (event: AppEvent) => void = () => undefined;
const bridge = fakeBridge({
  call: async (operation: string, { key, value }: { key: string; value: GridLayout }) => {
    if (operation === 'workspace.put') written.push({ key, value });
    return operation === 'workspace.get' ? { value: saved.get(key) ?? null } : {};
  },
  stream: (operation: string, _: object, hear: typeof publish) => {
    if (operation === 'app.events') publish = hear;
    return new Promise(() => undefined);
  },
});
setWindowBridge(bridge);
startAppEvents(bridge, false);
startLayouts();

/** Another window saves a layout. */
async function saveElsewhere(key: string, columns: GridLayout['columns']): Promise<void> {
  saved.set(`layout:${key}`, { columns });
  await doing(async () => publish({ type: 'workspace', key: `layout:${key}` }));
}

const nothing = () => undefined;
const handleOf = <T,>(): RefObject<GridHandle<T> | null> => ({ current: null });

function Exceptions(): JSX.Element {
  const exceptions = useExceptions('c', 'email');
  return (
    <ExceptionsGrid
      exceptions={exceptions}
      branding={{ product: '', names: {} } as never}
      handle={handleOf()}
      shownId={null}
      onShow={nothing}
      onFocused={nothing}
      onSelected={nothing}
      create={null}
    />
  );
}
const list = { data: undefined, loading: false, error: null, freshness: null, refresh: nothing } as never;
const GRIDS: readonly [string, JSX.Element, string, string][] = [
  [
    'queries',
    <LibraryGrid
      key="queries"
      list={list}
      total={1}
      rows={[]}
      offline={false}
      handle={handleOf()}
      peekedId={null}
      onPeek={nothing}
      onOpen={nothing}
      onSelected={nothing}
      create={{ text: 'New query', run: nothing }}
      onClear={nothing}
    />,
    'name',
    'queries',
  ],
  [
    'saved profiles',
    <KeptGrid
      key="kept"
      rows={[]}
      terms={[]}
      loading={false}
      error={null}
      onRetry={nothing}
      empty={null}
      handle={handleOf()}
      peekedId={null}
      onPeek={nothing}
      onOpen={nothing}
    />,
    'from',
    'kept-all',
  ],
  [
    'logins',
    <TableView key="logins" count={0} empty={null} rows={async () => []} nameOf={String} onOpen={nothing} />,
    'city',
    'login-map',
  ],
  ['exceptions', <Exceptions key="exceptions" />, 'tool', 'exceptions-narrow-every'],
];

let leaveScreen: (() => Promise<void>) | undefined;
beforeEach(() => {
  saved.clear();
  written = [];
});
afterEach(async () => {
  await leaveScreen?.();
  leaveScreen = undefined;
});

it.each(GRIDS)(
  'the grid of %s draws the width that another window set, and does not save it again',
  async (_, grid, column, key) => {
    const { container, unmount } = await mount(<BridgeProvider bridge={bridge}>{grid}</BridgeProvider>);
    leaveScreen = unmount;
    const widths = () =>
      Object.fromEntries(
        [...container.querySelectorAll<HTMLElement>('.ag-header-cell[col-id]')].map((cell) => [
          cell.getAttribute('col-id'),
          cell.style.width,
        ]),
      );
    await whenDrawn(() => expect(widths()).toHaveProperty(column));
    expect(widths()[column]).not.toBe('333px');
    await saveElsewhere(key, [{ id: column, width: 333 }]);
    await whenDrawn(() => expect(widths()[column]).toBe('333px'));
    // The library reports changes with a delay.
    await doing(() => new Promise((resolve) => setTimeout(resolve, 0)));
    await flushWorkspace();
    expect(written).toEqual([]);
  },
);
