// @vitest-environment happy-dom
import type { JSX } from 'react';
import { afterEach, expect, it } from 'vitest';
import { setActiveConnectionId } from '#renderer/bridge/active-connection.ts';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import { mount } from '#tests/support/mount.tsx';
import { answering } from '#tests/support/reads.ts';
import { type Exceptions, useExceptions } from './use-exceptions.ts';

const ENTRIES = Array.from({ length: 45 }, (_, n) => ({
  id: `e${n}`,
  sec_type: 'ap_guard',
  type: 'blacklist',
  string: 'x',
}));
let leave = async () => {};
afterEach(async () => {
  await leave();
  setActiveConnectionId(null);
});

/** The list of a service with `length` entries that reports the count of one page, or of all. */
async function listed(length: number, counts: 'page' | 'list', size = 20) {
  const bridge = answering(({ body }: { body: { page: number } }) => {
    const rows = ENTRIES.slice(0, length).slice(body.page * size, (body.page + 1) * size);
    return { rows, total_rows: counts === 'page' ? rows.length : length };
  });
  setActiveConnectionId('c');
  let hook: Exceptions | undefined;
  function Probe(): JSX.Element | null {
    hook = useExceptions('c', `guard ${length} ${counts} ${size}`);
    return null;
  }
  ({ unmount: leave } = await mount(
    <BridgeProvider bridge={bridge}>
      <Probe />
    </BridgeProvider>,
  ));
  await expect.poll(() => hook?.first.data).toBeDefined();
  return () => hook;
}

it.each([
  [45, 'list', 45],
  [20, 'list', 20],
  [45, 'page', null],
] as const)('of %d entries, with a count of the %s, the length is %s', async (length, counts, total) => {
  const hook = await listed(length, counts);
  await expect.poll(() => hook()?.total).toBe(total);
  const page = await hook()?.getRows(0, 20);
  expect([page?.rows.length, page?.rowCount]).toEqual([20, total ?? undefined]);
});

it.each([
  ['page', null],
  ['list', 45],
] as const)('pages of 8 that count the %s lead to every entry, in blocks of 20', async (counts, total) => {
  const hook = await listed(45, counts, 8);
  await expect.poll(() => hook()?.total).toBe(total);
  const blocks = await Promise.all([0, 20, 40].map((start) => hook()?.getRows(start, start + 20)));
  expect(blocks.flatMap((block) => block?.rows.map(({ id }) => id))).toEqual(ENTRIES.map(({ id }) => id));
});
