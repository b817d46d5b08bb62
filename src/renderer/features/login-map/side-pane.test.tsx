// @vitest-environment happy-dom
import { afterEach, expect, it } from 'vitest';
import { doing, mount } from '#tests/support/mount.tsx';
import type { MapSummary } from './engine.ts';
import { SidePane } from './side-pane.tsx';
import type { LayerRead } from './use-layers.ts';

const layer = (users: string[] | null): LayerRead => ({
  module: 'mail',
  failed: false,
  total: 12_000,
  wanted: 2,
  users,
  pages: [],
  freshness: null,
  error: null,
  loading: false,
  refresh: () => undefined,
});
const summary = { rows: 1_234, distinct: { users: 7, countries: 1, ips: 1 } } as MapSummary;

let leave: () => Promise<void> = () => Promise.resolve();
afterEach(() => leave());

async function pane(users: string[] | null, isPartial: boolean) {
  let asked = 0;
  const { container, unmount } = await mount(
    <SidePane
      summary={summary}
      ask={null}
      filter={users ? { users } : {}}
      onFilter={() => undefined}
      layers={[layer(users)]}
      broken={() => null}
      nameOf={String}
      onRow={() => undefined}
      empty={null}
      isPartial={isPartial}
      onEverybody={() => {
        asked += 1;
      }}
    />,
  );
  leave = unmount;
  const press = (text: string) =>
    doing(() =>
      [...container.querySelectorAll<HTMLElement>('label, button')]
        .find((one) => one.textContent?.startsWith(text))
        ?.click(),
    );
  const count = () => container.querySelector('.pp-panel-count')?.textContent;
  return { container, press, count, asked: () => asked };
}

it('a number is "so far" while logins are missing', async () => {
  const { count } = await pane(null, true);
  expect(count()).toBe('1,234 so far');
});

it('the list of users says that only the filtered ones are loaded, and offers the others', async () => {
  const { container, press, count, asked } = await pane(['ann@corp.example'], false);
  expect(count()).toBe('1,234');
  expect(container.querySelector('[role="note"]')).toBeNull();
  await press('Users');
  expect(container.querySelector('[role="note"]')?.textContent).toContain(
    'Only the filtered users’ logins are loaded',
  );
  await press('Load all');
  expect(asked()).toBe(1);
});

it('the list of users says nothing where everybody is loaded', async () => {
  const { container, press } = await pane(null, false);
  await press('Users');
  expect(container.querySelector('[role="note"]')).toBeNull();
});
