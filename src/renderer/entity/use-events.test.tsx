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

/** All events of an entity; `total`: the count that the service gives; null: none. */
async function allOf(
  entityId: string,
  pageOf: (page: number) => object[],
  total: number | 'of page' | null = null,
) {
  const bridge = answering(({ query }: { query: { page: number } }) => ({
    rows: pageOf(query.page),
    ...(total === null ? {} : { total_rows: total === 'of page' ? pageOf(query.page).length : total }),
  }));
  setActiveConnectionId('c');
  let hook: { events: Events; all: ReturnType<typeof useAllEvents> } | undefined;
  function Probe(): JSX.Element | null {
    const events = useEvents('s', entityId);
    hook = { events, all: useAllEvents(events, true) };
    return null;
  }
  ({ unmount: leave } = await mount(
    <BridgeProvider bridge={bridge}>
      <Probe />
    </BridgeProvider>,
  ));
  return () => hook;
}

it.each([100, 399, 400, 401, 450])(
  '%d events of a service that gives no count are all read',
  async (count) => {
    const hook = await allOf(`of ${count}`, (page) =>
      EVENTS.slice(0, count).slice(page * 100, page * 100 + 100),
    );
    await expect.poll(() => hook()?.all.done).toBe(true);
    expect(hook()?.all.events.map(({ summary }) => summary)).toEqual(
      EVENTS.slice(0, count).map(({ summary }) => summary),
    );
    expect(hook()?.events.isAtLeast).toBe(count >= 100);
  },
);

it('[bad input] a service that repeats its first page has not listed all events', async () => {
  const hook = await allOf('repeated', () => EVENTS.slice(0, 100));
  await expect.poll(() => hook()?.all.error?.message).toBe('The service returned its first events again.');
  expect(hook()?.all.done).toBe(false);
});

it('a service that returns the same page for ever after its first events changed has not listed all events', async () => {
  const hook = await allOf('changed', (page) => EVENTS.slice(page === 0 ? 0 : 1).slice(0, 100));
  await expect.poll(() => hook()?.all.error?.message).toBe('The service returned the same events again.');
  expect(hook()?.all.done).toBe(false);
});

it.each([
  [
    'ends before its count',
    (page: number) => (page < 2 ? EVENTS.slice(page * 100, page * 100 + 100) : []),
    'The service returned 200 of 450 events.',
  ],
  ['repeats its first page', () => EVENTS.slice(0, 100), 'The service returned its first events again.'],
])('a service that counts 450 events and %s has not listed all', async (name, pageOf, message) => {
  const hook = await allOf(name, pageOf, 450);
  await expect.poll(() => hook()?.all.error?.message).toBe(message);
  expect(hook()?.all.done).toBe(false);
});

it('a counted list of identical events is complete', async () => {
  const hook = await allOf(
    'equal',
    (page) => Array.from({ length: page === 0 ? 100 : 50 }, () => EVENTS[0] ?? {}),
    150,
  );
  await expect.poll(() => hook()?.all.done).toBe(true);
  expect(hook()?.all.events).toHaveLength(150);
});

it('a count of a full page’s rows is not taken for the list’s count', async () => {
  const hook = await allOf('page count', (page) => EVENTS.slice(page * 100, page * 100 + 100), 'of page');
  await expect.poll(() => hook()?.events.isAtLeast).toBe(true);
  await expect.poll(() => hook()?.all.events.length).toBe(450);
  expect(hook()?.all.done).toBe(true);
});

it.each([
  ['of page', true],
  [450, false],
  [null, true],
] as const)('pages of 30 events with the count %s are all read', async (total, isAtLeast) => {
  const hook = await allOf(`small ${total}`, (page) => EVENTS.slice(page * 30, page * 30 + 30), total);
  await expect.poll(() => hook()?.events.isAtLeast).toBe(isAtLeast);
  await expect.poll(() => hook()?.all.done).toBe(true);
  expect(hook()?.all.events).toEqual(EVENTS);
});
