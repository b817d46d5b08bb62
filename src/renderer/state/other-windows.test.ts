// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { AppEvent } from '#shared/bridge/operations.ts';
import type { Preferences } from '#shared/bridge/workspace.ts';
import { fakeBridge } from '#tests/support/reads.ts';

/** The host's part: values, and an event to every window at each change. */
class SharedHost {
  readonly values = new Map<string, unknown>();
  readonly #windows = new Set<(event: AppEvent) => void>();

  readonly bridge = fakeBridge({
    call: async (operation: string, { key, value }: { key: string; value?: unknown }) => {
      if (operation === 'connections.list')
        return {
          connections: [{ id: 'c', kind: 'demo' }],
          state: { connectionId: 'c', phase: 'online', since: 1, latencyMs: null, error: null },
        };
      if (operation !== 'workspace.put') return { value: structuredClone(this.values.get(key)) ?? null };
      this.values.set(key, structuredClone(value));
      for (const hear of this.#windows) hear({ type: 'workspace', key });
      return {};
    },
    stream: (_: string, __: object, hear: (event: AppEvent) => void) => {
      this.#windows.add(hear);
      return new Promise(() => undefined);
    },
  });
}

/** A window has modules of its own. */
async function openWindow({ bridge }: SharedHost) {
  vi.resetModules();
  const { setWindowBridge } = await import('./window-bridge.ts');
  setWindowBridge(bridge);
  const { startAppEvents } = await import('./app-events.ts');
  startAppEvents(bridge, false);
  const { startConnections } = await import('./connection.ts');
  await startConnections();
  const preferences = await import('./preferences.ts');
  await preferences.startPreferences();
  const recent = await import('./recent.ts');
  recent.startRecent();
  const { flushWorkspace } = await import('./workspace.ts');
  await new Promise(setImmediate);
  return { ...preferences, ...recent, flushWorkspace };
}

const settled = () => new Promise(setImmediate);

afterEach(() => vi.resetModules());

describe('two windows of one profile', () => {
  it('keep each other’s settings', async () => {
    const host = new SharedHost();
    const a = await openWindow(host);
    const b = await openWindow(host);
    a.setPreferences({ clock: 'tenant', tenantZone: 'Asia/Kolkata' });
    await a.flushWorkspace();
    await settled();
    b.setPreferences({ panelWidths: { library: 300 } });
    await b.flushWorkspace();
    await settled();
    expect(host.values.get('preferences') as Preferences).toMatchObject({
      clock: 'tenant',
      tenantZone: 'Asia/Kolkata',
      panelWidths: { library: 300 },
    });
    expect(b.currentClock()).toEqual({ tenant: 'Asia/Kolkata' });
  });

  it('keep each other’s favourites and recent queries', async () => {
    const host = new SharedHost();
    const a = await openWindow(host);
    const b = await openWindow(host);
    const ran = (name: string) => ({
      queryId: null,
      name,
      domain: 'email',
      total: 1,
      ranAt: 1,
      resultId: null,
    });
    a.toggleFavourite('q1');
    a.recordRecent(ran('one'));
    await a.flushWorkspace();
    await settled();
    b.toggleFavourite('q2');
    b.recordRecent(ran('two'));
    await b.flushWorkspace();
    await settled();
    expect(host.values.get('favourites:c')).toEqual(['q1', 'q2']);
    expect(host.values.get('recent:c')).toMatchObject([{ name: 'two' }, { name: 'one' }]);
    expect(a.currentRecent()).toHaveLength(2);
  });
});
