// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import { pictureProblem, selectorsOf, withPixels } from './body-picture.ts';

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

test('lengths of the window become pixels, except in strings and addresses', () => {
  const size = { width: 900, height: 400 };
  expect(withPixels('width: 50vw; height: calc(-0.5DVH + 1.5em); margin: 10vmin 1e1vmax', size)).toBe(
    'width: 450px; height: calc(-2px + 1.5em); margin: 40px 90px',
  );
  const css =
    'quotes: "5vw" "\\"6vh"; background: url("data:image/png;base64,A5vhB/7vw"); color: var(--c5vw); --i: #5vh';
  expect(withPixels(css, size)).toBe(css);
});

test('a list of selectors is divided at its own commas', () => {
  expect(selectorsOf('a:is(b, c) > d, [title="x, \\"y"] , .e\\,f')).toEqual([
    'a:is(b, c) > d',
    '[title="x, \\"y"]',
    '.e\\,f',
  ]);
});
