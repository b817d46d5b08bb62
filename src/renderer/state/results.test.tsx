// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import type { ResultSet } from '#shared/bridge/operations.ts';
import { doing, mount } from '#tests/support/mount.tsx';
import { putResultSet, useResultSet } from './results.ts';

const set = (id: number) => ({ id: String(id), loaded: id }) as ResultSet;

function Shown({ id }: { id: string }) {
  return <p>{useResultSet(id)?.loaded ?? 'unknown'}</p>;
}

it('[limit 200 result sets] the 200 most recently announced result sets are kept; an update counts as recent', async () => {
  for (let id = 1; id <= 200; id++) putResultSet(set(id));
  const first = await mount(<Shown id="1" />);
  const second = await mount(<Shown id="2" />);
  await doing(() => {
    putResultSet(set(1));
    putResultSet(set(201));
  });
  expect([first.container.textContent, second.container.textContent]).toEqual(['1', 'unknown']);
  await first.unmount();
  await second.unmount();
});
