import { expect, it } from 'vitest';
import { dictionary } from './dictionary.ts';

it('has only its own entries', () => {
  const words = dictionary({ clean: 'Clean' });
  expect([words['clean'], words['constructor'], '__proto__' in words, 'toString' in words]).toEqual([
    'Clean',
    undefined,
    false,
    false,
  ]);
  expect(Object.entries({ ...words })).toEqual([['clean', 'Clean']]);
});
