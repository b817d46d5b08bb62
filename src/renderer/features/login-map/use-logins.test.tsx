// @vitest-environment happy-dom
/** The map loads page by page; each test answers the requests by hand and checks requests, views and cancellation. */
import { deflate } from 'pako';
import { useCallback } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { setActiveConnectionId } from '#renderer/bridge/active-connection.ts';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { dropReads } from '#renderer/bridge/read-store.ts';
import { reloadConnections } from '#renderer/state/connection.ts';
import { TabContext } from '#renderer/state/tab-context.ts';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import { ParapetError } from '#shared/bridge/errors.ts';
import type { LoginFilter } from '#shared/logins/login-filter.ts';
import { doing, mount } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';
import { LoginEngine } from './engine.ts';
import type { Question } from './login-client.ts';
import { useLayers } from './use-layers.ts';
import { useLatest, useLogins } from './use-logins.ts';

const PAGES = 8;
const PAGE_ROWS = 5;
const ROWS = PAGES * PAGE_ROWS;

/** Logins of five users, all from one place. */
const packed = (numbers: readonly number[], times = 0): string => {
  const rows = numbers.map((number) => [
    ...[51.5, -0.1, 1, 'GB', '192.0.2.1', `user${number % 5}@corp.example`],
    ...(countsPage ? [new Date(number * 60_000).toISOString()] : []),
  ]);
  // The same rows may be compressed in more than one way.
  const level = times % 2 === 0 ? 9 : 1;
  return btoa(String.fromCharCode(...deflate(JSON.stringify(rows), { level })));
};

interface Asked {
  after: string;
  user: string | undefined;
  failed: boolean;
  cancelled: boolean;
  answer: () => Promise<void>;
}
let requests: Asked[];
/** Whether the service names the next page; otherwise pages are numbered and nothing is filtered. */
let isKeyed: boolean;
/** The service counts only the rows of a page. */
let countsPage: boolean;
/** The service returns its first page whatever page it is asked for, compressed anew. */
let ignoresPage: boolean;
/** Offline: rows of one user are not on this machine. */
let isMissing: boolean;
/** The page that the service refuses. */
let refused: string | null;
/** Users that the service finds for a filter; 'failed': its call fails; undefined: it has no such call. */
let named: string[] | 'failed' | null | undefined;
/** The filters for which users were requested. */
let sought: object[];

/** The answer of a service with eight pages of successful logins and no failed ones. */
function answerOf({ after, user, failed }: Asked) {
  const page = after === '' || ignoresPage ? 0 : Number(after);
  const finds = page === 0 && named !== undefined ? { finds_users: true } : {};
  if (failed) return { data: packed([]), total_rows: 0, ...(isKeyed ? { next: null } : {}), ...finds };
  const all = Array.from({ length: ROWS }, (_, index) => index);
  const rest = all.slice(page * PAGE_ROWS);
  if (user !== undefined)
    return { data: packed(rest.filter((number) => user === `user${number % 5}@corp.example`)), next: null };
  const next = page + 1 < PAGES ? String(page + 1) : null;
  return {
    ...finds,
    data: packed(rest.slice(0, PAGE_ROWS), ignoresPage ? requests.length : undefined),
    // As if pages were full, because the number of pages is derived from it.
    total_rows: countsPage ? Math.min(PAGE_ROWS, rest.length) : PAGES * 5_000,
    ...(isKeyed ? { next } : {}),
  };
}

const bridge = fakeBridge({
  stream(
    _: string,
    {
      query,
      body,
    }: { query: { after?: string; page?: number; user?: string; fail: boolean }; body?: object },
    onData: (value: unknown) => void,
    { signal }: { signal: AbortSignal },
  ) {
    const reply = Promise.withResolvers<void>();
    if (body !== undefined) {
      sought.push(body);
      if (named === 'failed') reply.reject(new ParapetError('timeout', 'No answer.'));
      else {
        const freshness = { fetchedAt: 1, source: 'network', offline: false };
        onData({ data: { users: named }, freshness, revalidating: false, error: null });
        reply.resolve();
      }
      return reply.promise;
    }
    const request: Asked = {
      after: query.after ?? (query.page ? String(query.page) : ''),
      user: query.user,
      failed: query.fail,
      cancelled: false,
      answer: () =>
        doing(async () => {
          if (isMissing && request.user !== undefined)
            reply.reject(new ParapetError('not-cached', 'Not on this machine'));
          else if (request.after === refused && !request.failed)
            reply.reject(new ParapetError('forbidden', 'No.'));
          else {
            const freshness = { fetchedAt: 1, source: 'network', offline: false };
            onData({ data: answerOf(request), freshness, revalidating: false, error: null });
            reply.resolve();
          }
          await reply.promise.catch(() => undefined);
        }),
    };
    signal.addEventListener('abort', () => {
      request.cancelled = true;
      reply.reject(new ParapetError('cancelled', 'Cancelled'));
    });
    requests.push(request);
    return reply.promise;
  },
});

/** The worker, run synchronously in this thread. */
class WorkerHere extends EventTarget {
  private readonly engine = new LoginEngine();
  postMessage({ id, name, input }: Question): void {
    const value = this.answer({ id, name, input } as Question);
    queueMicrotask(() => this.dispatchEvent(new MessageEvent('message', { data: { id, value } })));
  }
  private answer({ name, input }: Question): unknown {
    switch (name) {
      case 'begin':
        return this.engine.begin(input.now);
      case 'page':
        return this.engine.page(input);
      case 'load':
        return this.engine.load(input);
      case 'summary':
        return this.engine.summary(input.filter);
      case 'row':
        return this.engine.row(input.row);
      default:
        throw new Error(`Nobody asks for ${name} here`);
    }
  }
  terminate(): void {}
}

const APPS = [{ module: 'mail', label: 'Mail' }];
const SUCCESSFUL = 'successful' as const;
let shown: ReturnType<typeof useLogins> & { users: readonly string[] | null | undefined };

function Shown({ filter }: { filter: LoginFilter }): null {
  const { front } = useLayers(APPS, SUCCESSFUL, filter);
  shown = { ...useLogins(front, filter, 'utc'), users: front[0]?.users };
  return null;
}

let view: Awaited<ReturnType<typeof mount>>;
const node = (filter: LoginFilter = {}, isShown = true) => (
  <BridgeProvider bridge={bridge}>
    <TabContext value={{ tabId: 't', isActive: isShown, isShown }}>
      <Shown filter={filter} />
    </TabContext>
  </BridgeProvider>
);
const EVERYBODY: LoginFilter = {};
const ONE: LoginFilter = { users: ['User2@corp.example'] };

const pending = () => requests.filter(({ cancelled }) => !cancelled);
const mine = () => requests.filter(({ failed }) => !failed);
const names = () => mine().map(({ after, user }) => (user === undefined ? after : `${after} ${user}`));
/** Waits for frames, the worker's messages and the delay before the first partial picture. */
const settle = () => doing(() => vi.advanceTimersByTimeAsync(500));
/** Answers the next `count` requests for pages, one after the other. */
async function answer(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const next = pending().find((item) => !answered.has(item));
    if (!next) throw new Error(`Nothing was asked for after ${names().join(', ')}`);
    answered.add(next);
    await next.answer();
    await settle();
  }
}
let answered: Set<Asked>;

beforeEach(async () => {
  vi.useFakeTimers();
  vi.stubGlobal('Worker', WorkerHere);
  requests = [];
  answered = new Set();
  isKeyed = true;
  countsPage = false;
  ignoresPage = false;
  isMissing = false;
  refused = null;
  named = undefined;
  sought = [];
  setActiveConnectionId('c');
  view = await mount(node(EVERYBODY));
  // The first pages of both outcomes.
  await answer(2);
});
afterEach(async () => {
  await view.unmount();
  // Updates scheduled for the next frame would be lost when the fake clock is removed.
  await vi.advanceTimersByTimeAsync(500);
  dropReads('c');
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('a partial load is shown and marked as such until the last page arrives', async () => {
  await answer(1);
  expect([shown.isPartial, shown.busy, shown.summary?.rows]).toEqual([true, true, 10]);
  expect((await shown.client?.ask('row', { row: 0 }))?.isProvisional).toBe(true);
  await answer(PAGES - 3);
  expect([shown.isPartial, shown.busy]).toEqual([true, true]);
  expect(shown.summary?.rows).toBeLessThan(ROWS);
  await answer(1);
  expect([shown.isPartial, shown.busy, shown.summary?.rows]).toEqual([false, false, ROWS]);
  const row = await shown.client?.ask('row', { row: 0 });
  expect([row?.seen, row?.isProvisional]).toEqual([PAGES, false]);
  expect(names()).toEqual(['', '1', '2', '3', '4', '5', '6', '7']);
});

it('counts stay provisional if a page failed to load', async () => {
  refused = '3';
  await answer(3);
  expect([shown.isPartial, shown.busy, shown.summary?.rows]).toEqual([false, false, 3 * PAGE_ROWS]);
  expect((await shown.client?.ask('row', { row: 0 }))?.isProvisional).toBe(true);
});

it('a user filter stops the load and requests only that user’s logins; clearing it resumes the load', async () => {
  await answer(1);
  await view.draw(node(ONE));
  expect(mine().find(({ after }) => after === '2')?.cancelled).toBe(true);
  await answer(1);
  expect(names()).toEqual(['', '1', '2', '1 user2@corp.example']);
  expect([shown.isPartial, shown.busy, shown.summary?.rows]).toEqual([false, false, PAGES]);
  expect(shown.users).toEqual(['user2@corp.example']);
  // The user's rows are complete; those of other users come from the first page only.
  const rows = await Promise.all(
    Array.from({ length: shown.loaded?.rows ?? 0 }, (_, row) => shown.client?.ask('row', { row })),
  );
  for (const row of rows) expect(row?.isProvisional).toBe(row?.user !== 'user2@corp.example');

  await view.draw(node(EVERYBODY));
  expect([shown.isPartial, shown.busy]).toEqual([true, true]);
  await settle();
  while (pending().some((item) => !answered.has(item))) await answer(1);
  expect([shown.isPartial, shown.busy, shown.summary?.rows]).toEqual([false, false, ROWS]);
});

describe('a filter by address, country or words', () => {
  const ADDRESS: LoginFilter = { ips: ['192.0.2.1'] };
  /** The map over a service that names these users. */
  const startNaming = async (users: typeof named) => {
    await view.unmount();
    dropReads('c');
    requests = [];
    named = users;
    view = await mount(node(EVERYBODY));
    await answer(2);
  };
  const answerAll = async () => {
    while (pending().some((item) => !answered.has(item))) await answer(1);
  };

  it('matching few users loads all of their logins and no others', async () => {
    await startNaming(['User1@corp.example', 'user2@corp.example']);
    await view.draw(node(ADDRESS));
    await settle();
    await answerAll();
    expect(sought).toEqual([{ module: 'mail', fail: false, ips: ['192.0.2.1'] }]);
    expect(names()).toEqual(['', '1', '1 user1@corp.example', '1 user2@corp.example']);
    expect([shown.isPartial, shown.users]).toEqual([false, ['user1@corp.example', 'user2@corp.example']]);
    const rows = await Promise.all(
      Array.from({ length: shown.loaded?.rows ?? 0 }, (_, row) => shown.client?.ask('row', { row })),
    );
    const ofOne = rows.filter((row) => row?.user === 'user1@corp.example');
    expect(ofOne).toHaveLength(PAGES);
    for (const row of ofOne) expect([row?.seen, row?.isProvisional]).toEqual([PAGES, false]);
  });

  it('matching nobody loads nothing more', async () => {
    await startNaming([]);
    await view.draw(node({ text: 'nobody' }));
    await settle();
    expect([names(), shown.busy, shown.users]).toEqual([['', '1'], false, []]);
  });

  it.each([
    ['matching many users, or logins without a user,', null],
    ['whose lookup fails', 'failed'],
    ['on a service without the lookup', undefined],
  ] as const)('%s loads everybody’s logins', async (_, users) => {
    await startNaming(users === null ? null : users);
    await view.draw(node(ADDRESS));
    await settle();
    await answerAll();
    expect(sought).toHaveLength(users === undefined ? 0 : 1);
    expect(names().every((name) => !name.includes(' '))).toBe(true);
    expect([shown.isPartial, shown.users, shown.summary?.rows]).toEqual([false, null, ROWS]);
  });

  it('debounces the search words', async () => {
    await startNaming(['user1@corp.example']);
    for (const text of ['u', 'us', 'user1']) {
      await view.draw(node({ text }));
      await doing(() => vi.advanceTimersByTimeAsync(200));
    }
    expect(sought).toEqual([]);
    await settle();
    await answerAll();
    expect(sought).toEqual([{ module: 'mail', fail: false, text: 'user1' }]);
    expect([shown.isPartial, shown.summary?.rows]).toEqual([false, PAGES]);
  });

  it('looks up no users once all pages are loaded', async () => {
    await startNaming(['user1@corp.example']);
    await answerAll();
    await view.draw(node(ADDRESS));
    await settle();
    expect([sought, shown.isPartial, shown.users]).toEqual([[], false, null]);
  });
});

it('once all pages are loaded, a filter sends no requests', async () => {
  await answer(PAGES - 1);
  const before = requests.length;
  await view.draw(node(ONE));
  await settle();
  expect([requests.length - before, shown.isPartial, shown.summary?.rows]).toEqual([0, false, PAGES]);
});

it('a hidden tab requests no further pages, and closing it cancels the pending request', async () => {
  await view.draw(node(EVERYBODY, false));
  await answer(1);
  expect(names()).toEqual(['', '1']);
  expect(shown.busy).toBe(true);
  await view.draw(node(EVERYBODY, true));
  await settle();
  expect(names()).toEqual(['', '1', '2']);
  await view.draw(null);
  await settle();
  expect(mine().at(-1)?.cancelled).toBe(true);
  expect(names()).toEqual(['', '1', '2']);
});

it('offline, a user’s logins that were never requested come from everybody’s pages', async () => {
  isMissing = true;
  await view.draw(node(ONE));
  while (pending().some((item) => !answered.has(item))) await answer(1);
  expect([shown.isPartial, shown.users, shown.summary?.rows]).toEqual([false, null, PAGES]);
});

it('a service with numbered pages is asked for every page by number, without a user filter', async () => {
  await view.unmount();
  dropReads('c');
  requests = [];
  isKeyed = false;
  view = await mount(node(ONE));
  while (pending().some((item) => !answered.has(item))) await answer(1);
  expect(names()).toEqual(['', '1', '2', '3', '4', '5', '6', '7']);
  expect([shown.isPartial, shown.users, shown.summary?.rows]).toEqual([false, null, PAGES]);
});

describe('a tenant with numbered pages that counts the rows of one page', () => {
  const show = async (connections: object[], connectionId: string | null) => {
    const state = { connectionId, phase: 'online', since: 1, latencyMs: null, error: null };
    setWindowBridge(fakeBridge({ call: async () => ({ connections, state }) }));
    await doing(reloadConnections);
  };
  const start = async () => {
    await view.unmount();
    dropReads('c');
    requests = [];
    isKeyed = false;
    countsPage = true;
    await show([{ id: 'c', name: 'C', kind: 'tenant', url: 'https://c.example', createdAt: 1 }], 'c');
    view = await mount(node(EVERYBODY));
    while (pending().some((item) => !answered.has(item))) await answer(1);
    await settle();
  };
  afterEach(() => show([], 'c'));

  it('is read until a page has no new rows, and is then complete', async () => {
    await start();
    expect(names()).toEqual(['', '1', '2', '3', '4', '5', '6', '7', '8']);
    expect([shown.isPartial, shown.busy, shown.summary?.rows]).toEqual([false, false, ROWS]);
    expect((await shown.client?.ask('row', { row: 0 }))?.isProvisional).toBe(false);
  });

  it('contributes its rows once if it ignores the page number', async () => {
    ignoresPage = true;
    await start();
    expect(names()).toEqual(['', '1']);
    expect([shown.isPartial, shown.busy, shown.summary?.rows]).toEqual([false, false, PAGE_ROWS]);
  });

  it('is incomplete if a page after the first fails', async () => {
    refused = '1';
    await start();
    expect([shown.busy, shown.summary?.rows]).toEqual([false, PAGE_ROWS]);
    expect((await shown.client?.ask('row', { row: 0 }))?.isProvisional).toBe(true);
  });
});

it('a queued call uses the latest callback, not the one from when it was queued', async () => {
  const calls: string[] = [];
  const under = Promise.withResolvers<void>();
  let load: (page: number) => void = () => undefined;
  function Works({ clock }: { clock: string }): null {
    load = useLatest(
      useCallback(
        async (page: number) => {
          calls.push(`${page} ${clock}`);
          await under.promise;
        },
        [clock],
      ),
    );
    return null;
  }
  await view.draw(<Works clock="utc" />);
  load(1);
  await view.draw(<Works clock="local" />);
  load(2);
  load(3);
  await doing(() => under.resolve());
  expect(calls).toEqual(['1 utc', '3 local']);
});
