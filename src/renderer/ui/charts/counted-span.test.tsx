// @vitest-environment happy-dom
import { afterEach, expect, it } from 'vitest';
import { mount } from '#tests/support/mount.tsx';
import { CountedSpan } from './counted-span.tsx';

let leave: () => Promise<void> = () => Promise.resolve();
afterEach(() => leave());

const shown = async (from: string, window: '24h' | '7d' | '30d') => {
  const statistics = { from, to: '2026-11-27T03:00:00Z' };
  const { container, unmount } = await mount(<CountedSpan statistics={statistics} window={window} />);
  leave = unmount;
  return container.textContent;
};

it('counts of another time span than the chosen one are pointed out, with their span', async () => {
  expect(await shown('2026-11-20T03:00:00Z', '24h')).toBe(
    'These counts are not for the last 24 hours: the service counted from 2026-11-20 03:00:00 UTC to 2026-11-27 03:00:00 UTC.',
  );
});

it('counts without a time span may be of another one', async () => {
  const { container, unmount } = await mount(<CountedSpan statistics={{ from: null }} window="7d" />);
  leave = unmount;
  expect(container.textContent).toContain('it may not be the last 7 days');
});

it.each([
  ['2026-11-26T03:00:00Z', '24h'],
  // Whole hours or days.
  ['2026-11-26T02:00:00Z', '24h'],
  ['2026-11-20T00:00:00Z', '7d'],
] as const)('counts since %s are those of %s', async (from, window) => {
  expect(await shown(from, window)).toBe('');
});

it('a span that cannot be read is not taken for the chosen one', async () => {
  expect(await shown('', '24h')).toContain('not for the last 24 hours');
});
