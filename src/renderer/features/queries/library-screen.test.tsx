// @vitest-environment happy-dom
/** The library's header, keys and preview open the dialogs for the right queries. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { setActiveConnectionId } from '#renderer/bridge/active-connection.ts';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { dropReads } from '#renderer/bridge/read-store.ts';
import { listenForKeys } from '#renderer/state/hotkeys.ts';
import { TabContext, useStatusOf } from '#renderer/state/tab-context.ts';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import type { Query } from '#shared/model/entities.ts';
import { doing, mount } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';
import { soon } from '#tests/support/soon.ts';
import LibraryScreen from './library-screen.tsx';

const queryOf = (id: string, name: string): Query => ({
  id,
  name,
  type: 'query',
  domain: 'email',
  entityType: 'email',
  columns: [],
});

const Status = () => <p data-status>{useStatusOf('t').message}</p>;

const QUERIES = [queryOf('a', 'Spoofed invoices'), queryOf('b', 'Reported by users')];
const FAILED = { code: 'server-error', message: 'The service failed.', retryable: true };
let answer: { data: { queries: Query[]; unlisted: string[] }; error: object | null };
let leave = async () => {};
let unlisten = () => {};
async function open(): Promise<void> {
  const bridge = fakeBridge({
    call: () => new Promise(() => {}),
    stream: async (_: string, { endpoint }: { endpoint: string }, onSnapshot: (snapshot: object) => void) => {
      if (endpoint !== 'query.list') return new Promise(() => {});
      onSnapshot({
        ...answer,
        freshness: { source: 'network', fetchedAt: 1, offline: false },
        revalidating: false,
      });
    },
  });
  setActiveConnectionId('c');
  setWindowBridge(bridge);
  unlisten = listenForKeys();
  const { unmount } = await mount(
    <BridgeProvider bridge={bridge}>
      <TabContext value={{ tabId: 't', isActive: true, isShown: true }}>
        <div className="pp-screen">
          <LibraryScreen />
          <Status />
        </div>
      </TabContext>
    </BridgeProvider>,
  );
  leave = unmount;
}
async function close(): Promise<void> {
  await leave();
  unlisten();
  dropReads('c');
  setActiveConnectionId(null);
}
beforeEach(async () => {
  answer = { data: { queries: QUERIES, unlisted: ['report', 'template'] }, error: null };
  await open();
});
afterEach(close);

const press = (key: string) =>
  doing(() =>
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })),
  );
const click = (name: string) =>
  doing(() =>
    [...document.querySelectorAll<HTMLElement>('button, a[role="menuitem"]')]
      .find((element) => (element.getAttribute('aria-label') ?? element.textContent) === name)
      ?.click(),
  );
const opened = (title: string) =>
  soon(() => expect(document.querySelector('.pp-dialog h2')?.textContent).toBe(title));

it('shows what the service could not list', () => {
  expect(document.body.textContent).toContain(
    'The service could not list its reports and templates: they are missing here.',
  );
});

it.each([
  ['a list that could not be loaded', [], FAILED, '–', ''],
  ['a saved list', QUERIES, FAILED, '2', '2 queries'],
  ['an empty list', [], null, '0', '0 queries'],
])('%s has the counts that are known', async (_, queries, error, count, status) => {
  await close();
  answer = { data: { queries, unlisted: [] }, error };
  await open();
  await soon(() =>
    expect([
      document.querySelector('[data-kind="all"] .pp-facet-count')?.textContent,
      document.querySelector('[data-status]')?.textContent,
    ]).toEqual([count, status]),
  );
});

it('keys open the dialogs to create a query and to rename or delete the previewed one', async () => {
  await soon(() => expect(document.querySelector('[data-preview]')).not.toBeNull());
  const shown = document.querySelector('[data-preview] h2')?.textContent ?? '';
  await press('n');
  await opened('New query');
  await click('Cancel');
  await press('F2');
  await opened('Name and details');
  expect(document.querySelector<HTMLInputElement>('.pp-dialog input')?.value).toBe(shown);
  await click('Cancel');
  await press('Delete');
  await opened('Delete 1 query?');
  expect(document.querySelector('.pp-dialog [data-targets]')?.getAttribute('data-targets')).toBe('1');
});

it('the header and the preview’s menu open their dialogs', async () => {
  await soon(() => expect(document.querySelector('[data-preview]')).not.toBeNull());
  const shown = document.querySelector('[data-preview] h2')?.textContent ?? '';
  await click('New query');
  await opened('New query');
  await click('Cancel');
  await click('More');
  await soon(() => expect(document.querySelector('.pp-menu-box')).not.toBeNull());
  await click('Schedule…');
  await opened(`Schedule: ${shown}`);
});

it('the status bar shows how many queries match the search', async () => {
  const status = () => document.querySelector('[data-status]')?.textContent;
  await expect.poll(status).toBe('2 queries');
  const search = document.querySelector<HTMLInputElement>('input[aria-label="Search queries"]');
  await doing(() => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(search, 'spoofed');
    search?.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await expect.poll(status).toBe('1 of 2 queries');
});
