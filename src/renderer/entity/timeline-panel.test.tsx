// @vitest-environment happy-dom
import { afterEach, expect, it } from 'vitest';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { setWindowBridge } from '#renderer/state/window-bridge.ts';
import { ClockContext } from '#renderer/ui/clock-context.ts';
import { mount } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';
import { EntityTimeline } from './timeline-panel.tsx';
import type { Events } from './use-events.ts';

const BERLIN = { tenant: 'Europe/Berlin' };
let leave = async () => {};
afterEach(() => leave());

async function timeline(first: Partial<Events['first']>, total: number | null, isAtLeast = false) {
  const bridge = fakeBridge({
    call: () => new Promise(() => {}),
    stream: () => new Promise(() => {}),
  });
  setWindowBridge(bridge);
  const { container, unmount } = await mount(
    <BridgeProvider bridge={bridge}>
      <ClockContext value={BERLIN}>
        <EntityTimeline
          events={{
            first: {
              data: undefined,
              freshness: null,
              error: null,
              loading: false,
              revalidating: false,
              refresh: () => undefined,
              ...first,
            },
            total,
            isAtLeast,
            pageLength: 100,
            range: async () => [],
          }}
          pending={[]}
          fallback={() => []}
          first="oldest"
          noun="email"
          onAll={() => undefined}
        />
      </ClockContext>
    </BridgeProvider>,
  );
  leave = unmount;
  return container.textContent;
}

it('events that could not be read are shown as unknown, even if the profile has none to show instead', async () => {
  const text = await timeline(
    { error: { code: 'server-error', message: 'It failed.', retryable: true } },
    null,
  );
  expect(text).toContain('It failed.');
  expect(text).toContain('Events are unknown.');
  expect(text).not.toContain('counts 0');
});

it('a service that has none says so', async () => {
  expect(await timeline({ data: { rows: [] } }, 0)).toContain('The service counts 0 events');
});

it('the number of shown events is stated, even if their total is unknown', async () => {
  const rows = Array.from({ length: 100 }, () => ({
    type: 'delivered',
    time: '2026-11-19T08:41:07Z',
    summary: 'Delivered',
  }));
  expect(await timeline({ data: { rows } }, 100)).not.toContain('The newest');
  await leave();
  expect(await timeline({ data: { rows } }, 101)).toContain('The newest 100 of 101.');
  await leave();
  expect(await timeline({ data: { rows } }, 100, true)).toContain('The newest 100; there may be more.');
});

it('names the zone of its times, and not the offset of one of them', async () => {
  const rows = ['2026-10-24T12:00:00Z', '2026-10-26T12:00:00Z'].map((time) => ({
    type: 'delivered',
    time,
    summary: 'Delivered',
  }));
  const text = await timeline({ data: { rows } }, 2);
  expect(text).toContain('14:00:00');
  expect(text).toContain('13:00:00');
  expect(text).toContain('Europe/Berlin');
  expect(text).not.toContain('UTC+');
});
