// @vitest-environment happy-dom
import type { JSX } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BridgeProvider } from '#renderer/bridge/bridge-context.tsx';
import type { GridHandle } from '#renderer/ui/grid/grid-handle.ts';
import type { ResultSet } from '#shared/bridge/operations.ts';
import { doing, mount } from '#tests/support/mount.tsx';
import { fakeBridge } from '#tests/support/reads.ts';
import type { ResultRow } from './result-columns.tsx';
import { followsFocus, type Peek } from './use-peek.ts';
import type { Rows } from './use-rows.ts';
import { useTruePeek } from './use-true-peek.ts';

const ROW = { id: 'e1', cells: [] } as unknown as ResultRow;
/** Row ids in the main process. */
let has: string[];
/** Row ids that the grid still shows. */
let shown: string[];
/** Number of `results.matching` calls. */
let reads: number;
let closed: boolean;
let followed: number[];

const bridge = fakeBridge({
  async call(operation: string) {
    if (operation !== 'results.matching') return { value: null };
    reads++;
    return { selectionId: 's', count: has.includes('e1') ? 1 : 0 };
  },
});
const grid = {
  current: {
    find: (id: string) => (shown.includes(id) ? { row: ROW, index: shown.indexOf(id) } : null),
  } as unknown as GridHandle<ResultRow>,
};

function Results({
  resultId,
  at,
}: {
  resultId: string;
  at: { resultId: string; index: number };
}): JSX.Element {
  const peek = {
    peeked: { id: 'e1', ...at },
    peek: (_row: ResultRow, index: number) => followed.push(index),
    close: () => {
      closed = true;
    },
  } as unknown as Peek;
  const rows = { filter: { text: '', facets: {} }, version: resultId, count: has.length } as unknown as Rows;
  useTruePeek(peek, { id: resultId, state: 'complete' } as ResultSet, rows, grid);
  return <div />;
}
const draw = (resultId: string, open: { resultId: string; index: number }) => (
  <BridgeProvider bridge={bridge}>
    <Results resultId={resultId} at={open} />
  </BridgeProvider>
);
const settle = () => doing(() => vi.advanceTimersByTimeAsync(1000));

beforeEach(() => {
  vi.useFakeTimers();
  [has, shown, reads, closed, followed] = [['e0', 'e1'], ['e0', 'e1'], 0, false, []];
});
afterEach(() => vi.useRealTimers());

describe('the preview', () => {
  it('closes when its email is gone, even if the grid still shows the previous rows', async () => {
    const page = await mount(draw('r1', { resultId: 'r1', index: 1 }));
    await settle();
    expect([closed, followed]).toEqual([false, []]);
    has = ['e0'];
    await page.draw(draw('r2', { resultId: 'r1', index: 1 }));
    await settle();
    expect([closed, followed]).toEqual([true, []]);
    await page.unmount();
  });

  it('follows its email to its new position, and requests it once per set of rows', async () => {
    const page = await mount(draw('r1', { resultId: 'r1', index: 0 }));
    await settle();
    expect([closed, followed, reads]).toEqual([false, [1], 1]);
    await page.draw(draw('r1', { resultId: 'r1', index: 1 }));
    await settle();
    expect([closed, reads]).toEqual([false, 1]);
    await page.unmount();
  });
});

it('the preview follows the focus, but not to a row that a new run has put at the same position', () => {
  const peeked = { resultId: 'r1', index: 0 };
  expect(followsFocus(peeked, { resultId: 'r1', index: 1 })).toBe(true);
  expect(followsFocus(peeked, { resultId: 'r1', index: 0 })).toBe(true);
  expect(followsFocus(peeked, { resultId: 'r2', index: 1 })).toBe(true);
  expect(followsFocus(peeked, { resultId: 'r2', index: 0 })).toBe(false);
});
