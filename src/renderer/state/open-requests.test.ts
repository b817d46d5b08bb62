// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readToasts } from '#renderer/ui/toaster.ts';
import type { Link } from '#shared/bridge/link.ts';
import type { AppEvent, AppInfo, OutputOf } from '#shared/bridge/operations.ts';
import { fakeBridge } from '#tests/support/reads.ts';
import { soon } from '#tests/support/soon.ts';
import { startAppEvents } from './app-events.ts';
import { setAppInfo } from './app-info.ts';
import { startConnections } from './connection.ts';
import { endOffer, useOffer } from './dropped-files.ts';
import { Arrivals } from './open-requests.ts';
import { showSecrets, useOverlays } from './overlays.ts';
import { activeTab, loadTabs, useTabs } from './tabs.ts';
import { setWindowBridge } from './window-bridge.ts';

type Arrival = OutputOf<'arrivals.next'>;
let waiting: Arrival[];
let requests: number;
let publish: (event: AppEvent) => void = () => {};

const state = { connectionId: 'one', phase: 'online', since: 0, latencyMs: 1, error: null };
const bridge = fakeBridge({
  stream: (_name: string, _input: unknown, listener: (event: AppEvent) => void) => {
    publish = listener;
    return new Promise(() => {});
  },
  call: async (name: string, input: { id?: string }) => {
    if (name === 'arrivals.next') {
      requests += 1;
      return waiting.shift() ?? { arrival: null, leftOut: 0 };
    }
    if (name === 'connections.list')
      return {
        connections: [
          { id: 'one', name: 'One' },
          { id: 'two', name: 'Two' },
        ],
        state,
      };
    if (name === 'connections.activate') {
      Object.assign(state, { connectionId: input.id });
      return state;
    }
    return { value: null, values: [] };
  },
});

const link = (place: Link['place'], connectionId: string | null = null): Arrival => ({
  arrival: { kind: 'link', link: { place, connectionId } },
  leftOut: 0,
});
const file = (name: string): Arrival => ({
  arrival: { kind: 'offer', offer: { kind: 'mail-file', grantId: name, name }, folder: '/cases' },
  leftOut: 0,
});
const titles = () => readToasts().map(({ title, detail }) => `${title}: ${detail}`);

beforeEach(async () => {
  waiting = [];
  requests = 0;
  state.connectionId = 'one';
  setWindowBridge(bridge);
  startAppEvents(bridge, false);
  setAppInfo({ secrets: { locked: false } } as AppInfo);
  await startConnections();
  await loadTabs('one');
});
afterEach(() => {
  endOffer();
  showSecrets(false);
  document.body.replaceChildren();
});
const start = () => new Arrivals().start();

test('a link opens its screen, and adds no second tab for it', async () => {
  waiting = [
    link({ to: 'settings' }),
    link({ to: 'email', saas: 'gmail', entityId: '1' }),
    link({ to: 'settings' }, 'one'),
  ];
  start();
  await soon(() => expect(requests).toBe(4));
  expect(useTabs.getState().tabs.map(({ route }) => route.screen)).toEqual(['home', 'settings', 'email']);
  expect(activeTab()?.route.screen).toBe('settings');
});

test('a later arrival is handled as soon as it is announced', async () => {
  start();
  await soon(() => expect(requests).toBe(1));
  waiting = [link({ to: 'stack' })];
  publish({ type: 'arrived' });
  await soon(() => expect(activeTab()?.route.screen).toBe('stack'));
});

test('a link to an unknown connection is refused, and one to another connection needs confirmation', async () => {
  waiting = [link({ to: 'settings' }, 'none'), link({ to: 'activity' }, 'two')];
  start();
  await soon(() => expect(readToasts()).toHaveLength(2));
  expect(titles()).toEqual([
    'Link not opened: It belongs to a connection that doesn’t exist on this machine.',
    'The link belongs to Two: Another connection is open. Nothing was opened.',
  ]);
  expect(state.connectionId).toBe('one');
  expect(['settings', 'activity']).not.toContain(activeTab()?.route.screen);
  readToasts()[1]?.action?.run();
  await soon(() => expect(activeTab()?.route.screen).toBe('activity'));
  expect(state.connectionId).toBe('two');
});

test('while the profile is locked nothing is taken, and the unlock dialog opens', async () => {
  setAppInfo({ secrets: { locked: true } } as AppInfo);
  waiting = [file('a.eml')];
  start();
  await soon(() => expect(useOverlays.getState().secrets).toBe(true));
  expect([requests, useOffer.getState().offer]).toEqual([0, null]);
});

test('no second question appears while a dialog is open', async () => {
  waiting = [file('a.eml'), file('b.eml')];
  const overlay = document.createElement('div');
  overlay.className = 'bp6-overlay bp6-overlay-open';
  overlay.innerHTML = '<div class="bp6-dialog"></div>';
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  try {
    start();
    await vi.advanceTimersByTimeAsync(1);
    expect(useOffer.getState().offer).toMatchObject({ name: 'a.eml', folder: '/cases' });
    document.body.append(overlay);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(useOffer.getState().offer?.name).toBe('a.eml');
    overlay.remove();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(useOffer.getState().offer?.name).toBe('b.eml');
  } finally {
    vi.useRealTimers();
  }
});

test('arrivals beyond the limit are counted, and one that cannot be opened is reported', async () => {
  waiting = [{ arrival: { kind: 'refused', reason: 'No file.' }, leftOut: 4980 }];
  start();
  await soon(() => expect(readToasts()).toHaveLength(2));
  expect(titles()).toEqual([
    '4,980 files or links not opened: Too many came at once. Open them a few at a time.',
    'Not opened: No file.',
  ]);
});
