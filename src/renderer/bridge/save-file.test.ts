import { expect, it } from 'vitest';
import { piecesOf } from './save-file.ts';

it.each([2, 3, 4, 5, 6, 7, 100])('pieces of %d units encode to the bytes of the text', (most) => {
  const text = 'a🙂🙂b🙂\ud83dc🙂🙂🙂';
  const pieces = [...piecesOf(text, most)].map((piece) => piece.text);
  expect(pieces.join('')).toBe(text);
  expect(Buffer.concat(pieces.map((piece) => Buffer.from(piece)))).toEqual(Buffer.from(text));
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(most);
});
