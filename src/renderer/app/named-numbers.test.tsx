// @vitest-environment happy-dom
/** Accessible names of bare numbers say what is counted. Bars of the timeline: timeline.test.tsx. */
import type { JSX } from 'react';
import { afterEach, expect, it } from 'vitest';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import type { Read } from '#renderer/bridge/use-read.ts';
import type { ReadEndpoint } from '#shared/api/catalogue.ts';
import type { ResultSet } from '#shared/bridge/operations.ts';
import type { App, QueryConfig, Statistics } from '#shared/model/entities.ts';
import { mount } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';
import { AppsTable } from '../features/home/apps-table.tsx';
import { Tiles } from '../features/home/tiles.tsx';
import { WeekPanel } from '../features/login-map/week-panel.tsx';
import { FacetList, FacetsPanel } from '../features/queries/results/facets-panel.tsx';
import { itemOf } from '../features/stack/catalogue.ts';
import { CatalogueCards, CatalogueTable } from '../features/stack/catalogue-views.tsx';

let leave: () => Promise<void> = () => Promise.resolve();
afterEach(() => leave());

/** Accessible names of the matching elements: the aria-label, else the text of the element or its label. */
async function named(node: JSX.Element, which: string): Promise<string[]> {
  const { container, unmount } = await mount(node);
  leave = unmount;
  return [...container.querySelectorAll(which)].map(
    (element) =>
      element.getAttribute('aria-label') ?? (element.closest('label') ?? element).textContent ?? '',
  );
}

const read = <N extends ReadEndpoint>(data: unknown): Read<N> =>
  ({
    data,
    freshness: null,
    error: null,
    loading: false,
    revalidating: false,
    refresh: () => undefined,
  }) as Read<N>;

const app: App = { name: 'mail', label: 'Acme Mail', state: 'enabled', is_saas: true, license_info: 'paid' };
const counts = {
  name: 'mail',
  scanned: 184_200,
  found: 180,
  suspicious: 7,
  spam: 0,
  not_scanned: 1,
  series: [{ time: '2026-11-23T00:00:00Z', scanned: 12, found: 3, suspicious: 1, spam: 0 }],
};
const statistics = {
  from: '2026-11-22T00:00:00Z',
  apps: [counts],
  quarantined: 9,
  user_reports: 4,
  restore_requests: 2,
} as unknown as Statistics;

it('[promise] Home: counts of an app name their column and their app', async () => {
  const table = <AppsTable apps={read({ rows: [app] })} statistics={read(statistics)} window="24h" />;
  expect(await named(table, '.pp-home-count, .pp-spark')).toEqual([
    'Scanned in Acme Mail: 184.2K',
    'Found in Acme Mail: 180',
    'Suspicious in Acme Mail: 7',
    'Spam in Acme Mail: 0',
    'Not scanned in Acme Mail: 1',
    expect.stringMatching(/^Scanned in Acme Mail\b/),
  ]);
});

it('Home: a key figure is announced with its name, its exact number and what pressing it does', async () => {
  const tiles = <Tiles statistics={statistics} failed={false} window="24h" />;
  expect(await named(tiles, '.pp-figure-link')).toEqual([
    'Found: 180. Open as query',
    'Suspicious: 7. Open as query',
    'Quarantined: 9. Open as query',
    'User reports: 4. Open as query',
    'Restore requests: 2. Open as query',
  ]);
});

const catalogue = {
  items: [itemOf({ ...app, is_saas: false }, { product: 'acme', name: 'Acme' })],
  counts: new Map([['mail', counts]]),
  order: 'stack',
  product: 'acme',
} as unknown as Parameters<typeof CatalogueCards>[0]['catalogue'];

it('Security stack: cards and bars name their tool and column', async () => {
  const view = { catalogue, chosen: null, onChoose: () => undefined };
  const bars = ['Scanned', 'Found', 'Suspicious', 'Spam'].map((column) =>
    expect.stringMatching(new RegExp(`^${column} in Acme Mail\\b`)),
  );
  const cards = await named(<CatalogueCards {...view} />, 'button, .pp-spark');
  expect(cards).toEqual([expect.stringContaining('Acme Mail'), ...bars]);
  await leave();
  for (const name of await named(<CatalogueTable {...view} />, 'button, .pp-spark'))
    expect(name).toContain('Acme Mail');
});

it('facets: a checkbox is named by its value and count, in a group named by its column', async () => {
  const config = {
    domain: 'email',
    fields: [{ id: 'clicks', dbId: 'clicks', label: 'Clicks', type: 'number', operators: [] }],
    columns: [],
    sort: [],
  } as unknown as QueryConfig;
  const result = {
    loaded: 7,
    total: 7,
    columns: [{ id: 'clicks', label: 'Clicked' }],
  } as unknown as ResultSet;
  const facets = {
    facets: [
      {
        column: 'clicks',
        distinct: 3,
        values: [
          { value: 0, count: 4 },
          { value: 180, count: 2 },
          { value: null, count: 1 },
        ],
      },
    ],
    error: null,
  };
  const panel = (
    <FacetList
      result={result}
      config={config}
      facets={facets}
      filter={{ text: '', facets: {} }}
      onFacets={() => undefined}
    />
  );
  expect(await named(panel, 'input, button, legend')).toEqual([
    'Clicked',
    'Clicked',
    'None4',
    '1 or more2',
    'Unknown1',
  ]);
});

it('facets: a result without a column to count says so, instead of loading for ever', async () => {
  const result = {
    id: 'r',
    loaded: 7,
    total: 7,
    columns: [{ id: 'url', label: 'URL' }],
  } as unknown as ResultSet;
  const config = { fields: [], columns: [] } as unknown as QueryConfig;
  const { container, unmount } = await mount(
    <BridgeProvider bridge={fakeBridge({ call: () => new Promise(() => undefined) })}>
      <FacetsPanel {...{ result, config }} filter={{ text: '', facets: {} }} onFacets={() => undefined} />
    </BridgeProvider>,
  );
  leave = unmount;
  expect(container.textContent).toBe('No column of these rows has few values to choose from.');
});

it('login map: an hour is named by its day, its time and its logins', async () => {
  const week = new Float64Array(168);
  week[25] = 12;
  const names = await named(
    <WeekPanel week={week} hours={undefined} onHours={() => undefined} none={null} />,
    '[data-hour]',
  );
  expect(names).toHaveLength(168);
  expect(names[25]).toMatch(/^Tue\w* .*01.*, 12 logins$/);
  for (const name of names) expect(name).toMatch(/^[A-Z][a-z]+ .*, \d+ logins$/);
});
