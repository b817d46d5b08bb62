import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addPiece, inPieces } from './pieces.ts';

const again = (value: unknown, bytes: number) => {
  const { holder, slices } = inPieces(value, bytes);
  const received = structuredClone(holder);
  let count = 0;
  for (const slice of slices()) {
    addPiece(received, structuredClone(slice));
    count += 1;
  }
  return { value: received.value, count };
};

it('any value is restored from pieces of any size', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 1e9 }), (value, bytes) => {
      expect(again(value, bytes).value).toEqual(value);
    }),
  );
});

it('slices long lists by size, and does not split the cells of rows', () => {
  const rows = Array.from({ length: 1_000 }, (_, n) => ({ n, cells: [1, 2, 3] }));
  const { value, count } = again({ rows, total_rows: 1_000 }, 10 * 128 * 1024);
  expect(value).toEqual({ rows, total_rows: 1_000 });
  expect(count).toBe(10);
  expect(again([], 5)).toEqual({ value: [], count: 0 });
  expect(again([1], 1e9)).toEqual({ value: [1], count: 0 });
});
