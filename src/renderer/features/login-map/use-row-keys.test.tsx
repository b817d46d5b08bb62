// @vitest-environment happy-dom
import { act, useRef } from 'react';
import { beforeEach, expect, test } from 'vitest';
import { listenForKeys } from '#renderer/state/hotkeys.ts';
import { doing, mount } from '#tests/support/mount.tsx';
import { TravelList } from './travel-list.tsx';
import { useRowKeys } from './use-row-keys.ts';

function List({ count }: { count: number }) {
  const ref = useRef<HTMLDivElement>(null);
  const { at, onFocus, onKeyDown } = useRowKeys({ scroller: ref, count, rowHeight: 28 });
  return (
    <div ref={ref}>
      {Array.from({ length: count }, (_, index) => (
        <button
          key={String(index)}
          type="button"
          data-at={index}
          tabIndex={index === at ? 0 : -1}
          onFocus={() => onFocus(index)}
          onKeyDown={onKeyDown}
        >
          row {index}
        </button>
      ))}
    </div>
  );
}

const press = (key: string) =>
  doing(async () => {
    (document.activeElement ?? document.body).dispatchEvent(
      new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }),
    );
    await new Promise((resolve) => requestAnimationFrame(resolve));
  });
const focused = () => document.activeElement?.textContent;

beforeEach(() => listenForKeys());

test('[promise] J and K move through a list that does not have the focus', async () => {
  const { unmount } = await mount(<List count={3} />);
  const rows: unknown[] = [];
  for (const key of ['j', 'j', 'k', 'End', 'ArrowUp', 'Home', 'k']) {
    await press(key);
    rows.push(focused());
  }
  expect(rows).toEqual(['row 0', 'row 1', 'row 0', 'row 2', 'row 1', 'row 0', 'row 0']);
  await unmount();
});

test('a row that is drawn has the focus at once, because Enter may follow before the next frame', async () => {
  const { unmount } = await mount(<List count={3} />);
  await press('j');
  act(() => {
    document.activeElement?.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'j', bubbles: true, cancelable: true }),
    );
  });
  expect(focused()).toBe('row 1');
  await unmount();
});

test('J moves through impossible travel pair by pair', async () => {
  const end = (row: number, user: string) => ({
    row,
    user,
    ip: '192.0.2.1',
    time: null,
    lat: 1,
    lon: 1,
    city: '',
    country: 'NO',
  });
  const pair = (user: string, row: number) => ({
    from: end(row, user),
    to: end(row + 1, user),
    km: 900,
    hours: 1,
    kmh: 900,
  });
  const travel = { total: 2, pairs: [pair('a@own.example', 0), pair('b@own.example', 2)] };
  const { unmount } = await mount(<TravelList isPartial={false} travel={travel as never} />);
  await press('j');
  expect(focused()).toBe('a@own.example');
  await press('j');
  expect(focused()).toBe('b@own.example');
  await unmount();
});
