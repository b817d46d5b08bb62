import fc from 'fast-check';
import { expect, it } from 'vitest';
import { IdSet } from './id-set.ts';

const ids = fc.array(fc.integer({ min: 0, max: 70 }));

it('behaves like a set of numbers up to the newest id', () => {
  fc.assert(
    fc.property(ids, ids, fc.integer({ min: 0, max: 70 }), (added, others, newest) => {
      const own = new IdSet(newest).addAll(added);
      const wanted = [...new Set(added.filter((id) => id <= newest))].sort((a, b) => a - b);
      expect([own.size, own.values()]).toEqual([wanted.length, wanted]);
      for (let id = 0; id <= 71; id++) expect(own.has(id)).toBe(wanted.includes(id));
      const left = wanted.filter((id) => !others.includes(id));
      own.without(new IdSet(newest).addAll(others));
      expect([own.size, own.values()]).toEqual([left.length, left]);
    }),
  );
});

it('unites and intersects like sets', () => {
  fc.assert(
    fc.property(ids, ids, (one, other) => {
      const of = (all: number[]) => new IdSet(70).addAll(all);
      const plain = (all: number[]) => [...new Set(all)].sort((a, b) => a - b);
      const [either, both] = [of(one).unite(of(other)), of(one).intersect(of(other))];
      expect([either.size, either.values()]).toEqual([either.values().length, plain([...one, ...other])]);
      const shared = plain(one.filter((id) => other.includes(id)));
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
  const all = Array.from({ length: newest }, (_, at) => at + 1);
  const set = new IdSet(newest).addAll([1]).fill();
  expect([set.size, set.values()]).toEqual([newest, all]);
});

it('adds ids by bits and removes ids, up to the newest', () => {
  const bits = fc.uint8Array({ minLength: 0, maxLength: 5 });
  fc.assert(
    fc.property(
      ids,
      bits,
      fc.integer({ min: 0, max: 4 }),
      ids,
      fc.integer({ min: 0, max: 70 }),
      (before, added, byte, removed, newest) => {
        const set = new IdSet(newest).addAll(before);
        set.addBits(byte * 8, added);
        set.removeAll(removed);
        const named = [...added].flatMap((one, at) =>
          [0, 1, 2, 3, 4, 5, 6, 7].filter((bit) => one & (1 << bit)).map((bit) => (byte + at) * 8 + bit),
        );
        const wanted = [...new Set([...before, ...named])].filter(
          (id) => id <= newest && !removed.includes(id),
        );
        expect([set.size, set.values()]).toEqual([wanted.length, wanted.sort((a, b) => a - b)]);
      },
    ),
  );
});
