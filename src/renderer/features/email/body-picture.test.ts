// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import { pictureProblem } from './body-picture.ts';

test.each([
  [{ width: 900, height: 16_383 }, null],
  [{ width: 900, height: 16_384 }, null],
  [{ width: 900, height: 16_385 }, '16,384 per side'],
  [{ width: 16_385, height: 9 }, '16,384 per side'],
  [{ width: 8_192, height: 8_191 }, null],
  [{ width: 8_192, height: 8_192 }, null],
  [{ width: 8_192, height: 8_193 }, '67,108,864 in total'],
  [{ width: 0, height: 9 }, 'not on screen'],
])('%o', (size, words) => {
  const problem = pictureProblem(size);
  expect(problem === null ? null : problem.includes(words ?? '') || problem).toBe(
    words === null ? null : true,
  );
});
