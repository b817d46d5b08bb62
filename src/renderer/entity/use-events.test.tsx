// @vitest-environment happy-dom
import type { JSX } from 'react';
import { afterEach, expect, it } from 'vitest';
import { setActiveConnectionId } from '#renderer/bridge/active-connection.ts';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { mount } from '#tests/support/mount.tsx';
import { answering } from '#tests/support/reads.ts';
import { type Events, useAllEvents, useEvents } from './use-events.ts';

const EVENTS = Array.from({ length: 450 }, (_, n) => ({
  time: '2026-11-19T08:41:07Z',
  summary: `event ${n}`,
}));
let leave = async () => {};
afterEach(async () => {
  await leave();
  setActiveConnectionId(null);
});

/** All events of an entity over a service that gives no count. */
async function allOf(entityId: string, pageOf: (page: number) => object[]) {
  const bridge = answering(({ query }: { query: { page: number } }) => ({ rows: pageOf(query.page) }));
  setActiveConnectionId('c');
  let seen: { events: Events; all: ReturnType<typeof useAllEvents> } | undefined;
  function Probe(): JSX.Element | null {
    const events = useEvents('s', entityId);
    seen = { events, all: useAllEvents(events, true) };
    return null;
  }
  ({ unmount: leave } = await mount(
    <BridgeProvider bridge={bridge}>
      <Probe />
    </BridgeProvider>,
  ));
  return () => seen;
}

it.each([100, 399, 400, 401, 450])(
  '%d events of a service that gives no count are all read',
  async (count) => {
    const seen = await allOf(`of ${count}`, (page) =>
      EVENTS.slice(0, count).slice(page * 100, page * 100 + 100),
    );
    await expect.poll(() => seen()?.all.done).toBe(true);
    expect(seen()?.all.events.map(({ summary }) => summary)).toEqual(
      EVENTS.slice(0, count).map(({ summary }) => summary),
    );
    expect(seen()?.events.isAtLeast).toBe(count >= 100);
  },
);

it('a service that repeats its first page has not listed all events', async () => {
  const seen = await allOf('repeated', () => EVENTS.slice(0, 100));
  await expect.poll(() => seen()?.all.error?.message).toBe('The service returned its first events again.');
  expect(seen()?.all.done).toBe(false);
});
