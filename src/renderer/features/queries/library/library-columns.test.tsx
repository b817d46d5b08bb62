// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import type { RecentQuery } from '#renderer/state/recent.ts';
import { putResultSet } from '#renderer/state/results.ts';
import type { ResultSet } from '#shared/bridge/operations.ts';
import { mount } from '#tests/support/mount.tsx';
import { type LibraryRow, libraryColumns } from './library-columns.tsx';

const ran = (resultId: string): RecentQuery => ({
  queryId: 'q',
  name: 'Clicks',
  domain: 'email',
  resultId,
  total: 4_312,
  ranAt: Date.now(),
});

async function shown(recent: RecentQuery | null): Promise<{ total: unknown; age: string }> {
  const row = { query: { name: 'Clicks' }, recent, app: 'All' } as unknown as LibraryRow;
  const columns = libraryColumns(true, false);
  const column = (id: string) => columns.find((column) => column.id === id);
  const { container, unmount } = await mount(column('age')?.render?.(row, null));
  const { textContent } = container;
  await unmount();
  return { total: column('total')?.value(row), age: textContent ?? '' };
}

test('[promise] the last run distinguishes running, run before and never run here', async () => {
  putResultSet({ id: 'now', state: 'filling', loaded: 10, total: 4_312 } as ResultSet);
  putResultSet({ id: 'then', state: 'complete', loaded: 4_312, total: 4_312 } as ResultSet);
  expect(await shown(null)).toEqual({ total: null, age: 'not run here' });
  expect(await shown(ran('now'))).toEqual({ total: 4_312, age: 'running' });
  expect(await shown(ran('then'))).toEqual({ total: 4_312, age: 'now' });
});
