// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import type { ResultSet } from '#shared/bridge/operations.ts';
import { doing, mount } from '#tests/support/mount.tsx';
import { FetchBar } from './fetch-bar.tsx';
import { FillState } from './results-bar.tsx';

const PARTIAL: ResultSet = {
  id: 'r',
  connectionId: 'c',
  columns: [],
  sort: [],
  total: 61,
  atLeast: false,
  loaded: 40,
  state: 'partial',
  stop: 'unreachable',
  reason: 'The service did not answer.',
  startedAt: 0,
  freshness: { source: 'network', fetchedAt: 0, offline: false },
  resumed: 0,
  scans: 0,
  queryKey: 'q',
  label: null,
  pinned: false,
  pageSize: null,
  rate: null,
  secondsLeft: null,
  appeared: 0,
  vanished: 0,
  duplicates: 0,
  waitingUntil: null,
  comparison: null,
};

async function buttons(result: Partial<ResultSet>): Promise<(string | null)[]> {
  const { container, unmount } = await mount(
    <FetchBar result={{ ...PARTIAL, ...result }} offline={false} onFill={() => undefined} />,
  );
  const texts = [...container.querySelectorAll('button')].map(({ textContent }) => textContent);
  await unmount();
  return texts;
}

it('offers to resume if rows are left, else to fetch all again', async () => {
  expect(await buttons({})).toEqual(['Resume', 'Fetch remaining 21']);
  // Evidence that was read only in part leaves nothing to resume.
  expect(await buttons({ loaded: 61, stop: 'evidence' })).toEqual(['Fetch all again']);
});

it.each(['Cancel', 'Pause'])('after “%s” the focus is on “Resume”', async (pressed) => {
  const bar = (state: ResultSet['state']) => (
    <FetchBar
      result={{ ...PARTIAL, state, stop: state === 'paused' ? 'paused' : 'stopped' }}
      offline={false}
      onFill={() => undefined}
    />
  );
  const { container, draw, unmount } = await mount(bar('filling'));
  document.body.append(container);
  const button = [...container.querySelectorAll('button')].find(({ textContent }) => textContent === pressed);
  button?.focus();
  await doing(() => button?.click());
  await draw(bar(pressed === 'Cancel' ? 'partial' : 'paused'));
  expect(document.activeElement?.textContent).toBe('Resume');
  await unmount();
});

it('the completeness of the rows is announced whenever it changes', async () => {
  const bar = (state: ResultSet['state'], outdated = false) => (
    <FillState result={{ ...PARTIAL, state }} outdated={outdated} />
  );
  const { container, draw, unmount } = await mount(bar('filling'));
  // Screen readers announce changes only within a region that already exists.
  const region = container.querySelector('[role="status"]');
  expect(region?.textContent).toBe('Fetching');
  for (const [state, outdated, word] of [
    ['partial', false, 'Partial'],
    ['complete', false, 'Complete'],
    ['complete', true, 'Outdated'],
    ['paused', false, '40 loaded'],
  ] as const) {
    await draw(bar(state, outdated));
    expect(container.querySelector('[role="status"]')).toBe(region);
    expect(region?.textContent).toBe(word);
  }
  await unmount();
});
