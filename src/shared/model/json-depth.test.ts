import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isTooDeep, MOST_LEVELS } from './json-depth.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

it('[limit 200 levels] accepts depths up to the limit', () => {
  expect(isTooDeep(bytes(nested(MOST_LEVELS - 1)))).toBe(false);
  expect(isTooDeep(bytes(nested(MOST_LEVELS)))).toBe(false);
  expect(isTooDeep(bytes(nested(MOST_LEVELS + 1)))).toBe(true);
  expect(isTooDeep(bytes(`{"a":${nested(MOST_LEVELS)}}`))).toBe(true);
  expect(isTooDeep(bytes('['.repeat(100_000)))).toBe(true);
});

it('ignores brackets inside texts, and counts closing ones', () => {
  expect(isTooDeep(bytes(JSON.stringify(['['.repeat(1_000), '\\"[', '"['.repeat(300)])))).toBe(false);
  expect(isTooDeep(bytes(JSON.stringify(Array.from({ length: 1_000 }, () => [{}])))).valueOf()).toBe(false);
});

it('agrees with a traversal for any value', () => {
  const depth = (value: unknown): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depth)) : 0;
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), fc.nat({ max: 8 }), (value, most) => {
      expect(isTooDeep(bytes(JSON.stringify(value)), most)).toBe(depth(value) > most);
    }),
  );
});
