import fc from 'fast-check';
import { expect, it } from 'vitest';
import { IdSet } from './id-set.ts';

const ids = fc.array(fc.integer({ min: 0, max: 70 }));

it('behaves like a set of numbers up to the newest id', () => {
  fc.assert(
    fc.property(ids, fc.integer({ min: 0, max: 70 }), (added, newest) => {
      const set = new IdSet(newest).addAll(added);
      const expected = [...new Set(added.filter((id) => id <= newest))].sort((a, b) => a - b);
      expect([set.size, set.values()]).toEqual([expected.length, expected]);
      for (let id = 0; id <= 71; id++) expect(set.has(id)).toBe(expected.includes(id));
    }),
  );
});

it('unites and intersects like sets', () => {
  fc.assert(
    fc.property(ids, ids, (item, other) => {
      const of = (all: number[]) => new IdSet(70).addAll(all);
      const plain = (all: number[]) => [...new Set(all)].sort((a, b) => a - b);
      const [either, both] = [of(item).unite(of(other)), of(item).intersect(of(other))];
      expect([either.size, either.values()]).toEqual([either.values().length, plain([...item, ...other])]);
      const shared = plain(item.filter((id) => other.includes(id)));
      expect([both.size, both.values()]).toEqual([shared.length, shared]);
    }),
  );
});

it.each([
  [6, false],
  [7, true],
  [8, true],
])('7 is added if the newest id is %d: %s', (newest, added) => {
  expect(new IdSet(newest).addAll([7]).has(7)).toBe(added);
});

it.each([0, 1, 7, 8, 70])('filled, it has every id up to the newest, %d', (newest) => {
  const all = Array.from({ length: newest }, (_, index) => index + 1);
  const set = new IdSet(newest).addAll([1]).fill();
  expect([set.size, set.values()]).toEqual([newest, all]);
});
