// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { mount } from '#tests/support/mount.tsx';
import { FreshnessMark } from './freshness-mark.tsx';

const NOW = Date.UTC(2026, 10, 27, 12);
const MINUTE = 60_000;

it.each([
  ['a moment ago', 10_000, false, 'now', 'pp-fresh-now'],
  ['by a clock a few seconds ahead', -10_000, false, 'now', 'pp-fresh-now'],
  ['seven minutes ago', 7 * MINUTE, false, '7m ago', 'pp-fresh-aged'],
  ['before the clock was set back by an hour', -60 * MINUTE, false, 'age unknown', 'pp-fresh-old'],
  ['the same, offline', -60 * MINUTE, true, 'saved, age unknown', 'pp-fresh-offline'],
] as const)('what was received %s (age %s ms, offline %s) is “%s”', async (_, age, offline, words, level) => {
  const { container, unmount } = await mount(
    <FreshnessMark freshness={{ fetchedAt: NOW - age, source: 'cache', offline }} now={NOW} />,
  );
  const mark = container.querySelector('.pp-fresh');
  expect(mark?.textContent).toBe(words);
  expect(mark?.className).toContain(level);
  await unmount();
});
