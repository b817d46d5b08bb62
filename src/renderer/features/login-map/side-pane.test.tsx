// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest';
import type { LoginFilter } from '#shared/logins/login-filter.ts';
import { doing, mount } from '#tests/support/mount.tsx';
import type { MapSummary } from './engine.ts';
import { SidePane } from './side-pane.tsx';
import type { LayerRead } from './use-layers.ts';
import type { SummaryRows } from './use-logins.ts';

const layer = (users: string[] | null, of: Partial<LayerRead>): LayerRead => ({
  module: 'mail',
  failed: false,
  total: 12_000,
  requested: 2,
  users,
  isOpen: false,
  pages: [],
  freshness: null,
  error: null,
  loading: false,
  refresh: () => undefined,
  ...of,
});
const summary = { rows: 1_234, distinct: { users: 7, countries: 1, ips: 1 } } as MapSummary;

let leave: () => Promise<void> = () => Promise.resolve();
afterEach(() => leave());

async function pane(
  users: string[] | null,
  isPartial: boolean,
  ask: SummaryRows | null = null,
  of: Partial<LayerRead> = {},
  {
    rows = summary.rows,
    lacks = false,
    filter = (users ? { users } : {}) as LoginFilter,
    more = [] as readonly LayerRead[],
  } = {},
) {
  let requests = 0;
  const { container, unmount } = await mount(
    <SidePane
      summary={{ ...summary, rows }}
      ask={ask}
      filter={filter}
      onFilter={() => undefined}
      layers={[layer(users, of), ...more]}
      broken={() => null}
      nameOf={String}
      onRow={() => undefined}
      empty={null}
      isPartial={isPartial}
      lacks={lacks}
      onEverybody={() => {
        requests += 1;
      }}
    />,
  );
  leave = unmount;
  const press = (text: string) =>
    doing(() =>
      [...container.querySelectorAll<HTMLElement>('label, button')]
        .find((element) => element.textContent?.startsWith(text))
        ?.click(),
    );
  const count = () => container.querySelector('.pp-panel-count')?.textContent;
  return { container, press, count, asked: () => requests };
}

it('a number is "so far" while logins are missing', async () => {
  const { count } = await pane(null, true);
  expect(count()).toBe('1,234 so far');
});

it('if a layer failed to load, a count is shown as “at least”, and a count of 0 is not shown', async () => {
  const some = await pane(null, false, null, {}, { lacks: true });
  expect(some.count()).toBe('at least 1,234');
  await leave();
  const none = await pane(null, false, null, {}, { lacks: true, rows: 0 });
  expect(none.count()).toBe('');
});

it('impossible travel is not ruled out if a layer failed to load', async () => {
  const ask = {
    rows: async () => [],
    travel: async () => ({ total: 0, pairs: [] }),
  } as unknown as SummaryRows;
  const { container, press } = await pane(null, false, ask, {}, { lacks: true });
  await press('Travel');
  await expect.poll(() => container.querySelector('.pp-empty')?.textContent).toContain('so far');
});

it.each([
  [true, 'No impossible travel so far'],
  [false, 'No impossible travel'],
])(
  'impossible travel is ruled out only once every login is loaded; partial: %s',
  async (isPartial, title) => {
    const ask = {
      rows: async () => [],
      travel: async () => ({ total: 0, pairs: [] }),
    } as unknown as SummaryRows;
    vi.useFakeTimers();
    try {
      const { container, press } = await pane(null, isPartial, ask);
      await press('Travel');
      await doing(() => vi.advanceTimersByTimeAsync(1_000));
      expect(container.querySelector('.pp-empty')?.textContent).toContain(title);
      expect(container.textContent?.includes('so far')).toBe(isPartial);
    } finally {
      vi.useRealTimers();
    }
  },
);

it.each([
  [{ users: ['ann@corp.example'] }, ['Users']],
  [{ ips: ['192.0.2.1'] }, ['IPs']],
  [{ countries: ['GB'], ips: ['192.0.2.1'] }, ['Countries', 'IPs']],
  [{ users: ['ann@corp.example'], ips: ['192.0.2.1'] }, ['Users']],
  [{ text: 'ann' }, []],
])('with the filter %j, other values may be missing from the lists %j', async (filter, lists) => {
  const { container, press } = await pane(['ann@corp.example'], false, null, {}, { filter });
  const announcements: string[] = [];
  for (const list of ['Users', 'Countries', 'IPs', 'Logins']) {
    await press(list);
    if (container.querySelector('[role="note"]')) announcements.push(list);
  }
  expect(announcements.toSorted()).toEqual(lists.toSorted());
});

it('the list of users says that only the filtered ones are loaded, and offers the others', async () => {
  const { container, press, count, asked } = await pane(['ann@corp.example'], false);
  expect(count()).toBe('1,234');
  expect(container.querySelector('[role="note"]')).toBeNull();
  await press('Users');
  expect(container.querySelector('[role="note"]')?.textContent).toContain(
    'Only the logins of users who match the filter are loaded',
  );
  await press('Load all');
  expect(asked()).toBe(1);
});

it('the list of users shows no note if everybody’s logins are loaded', async () => {
  const { container, press } = await pane(null, false);
  await press('Users');
  expect(container.querySelector('[role="note"]')).toBeNull();
});

it.each([
  [0, 'no data'],
  [1, 'only a part of the data is shown'],
  [2, 'saved data shown'],
])('a layer that failed with %d of its 2 pages says: %s', async (count, words) => {
  const pages = Array.from({ length: count }, () => ({ data: '' }));
  const error = { code: 'timeout', message: 'No answer.', retryable: true } as const;
  const { container } = await pane(null, false, null, { pages, error });
  expect(container.querySelector('[role="alert"]')?.textContent).toContain(
    `mail, successful logins: ${words}. No answer.`,
  );
});

it('layers that all failed for one reason are one line, which retries all of them; others are named', async () => {
  const error = { code: 'timeout', message: 'No answer.', retryable: true } as const;
  let retried = 0;
  const failed = {
    error,
    refresh: () => {
      retried += 1;
    },
  };
  const more = [layer(null, { ...failed, module: 'drive' })];
  const { container, press } = await pane(null, false, null, failed, { more });
  const alerts = () =>
    [...container.querySelectorAll('[role="alert"]')].map((element) => element.textContent);
  expect(alerts()).toEqual(['All 2 layers: no data. No answer.Retry']);
  await press('Retry');
  expect(retried).toBe(2);
  await leave();
  const some = await pane(null, false, null, failed, { more: [...more, layer(null, { module: 'chat' })] });
  expect(
    [...some.container.querySelectorAll('[role="alert"]')].map((element) => element.textContent),
  ).toEqual([
    'mail, successful logins: no data. No answer.Retry',
    'drive, successful logins: no data. No answer.Retry',
  ]);
});
