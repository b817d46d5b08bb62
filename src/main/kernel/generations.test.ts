import { beforeEach, describe, expect, it } from 'vitest';
import { createGenerations, type Generations } from './generations.ts';

let stored: Map<string, number>;
let generations: Generations;
beforeEach(() => {
  stored = new Map([
    ['a', 0],
    ['b', 0],
  ]);
  generations = createGenerations((id) => stored.get(id) ?? null);
});
const both = (mark: ReturnType<Generations['mark']>) => [generations.isSame(mark), generations.mayKeep(mark)];

describe('a mark', () => {
  it('is accepted while nothing changes', () => {
    expect(both(generations.mark('a'))).toEqual([true, true]);
  });

  it('for a connection that became another is dropped, for others it is not', () => {
    const [a, b] = [generations.mark('a'), generations.mark('b')];
    stored.set('a', 1);
    expect(both(a)).toEqual([false, false]);
    expect(() => generations.check(a)).toThrow('The connection was changed in the meantime');
    expect(both(b)).toEqual([true, true]);
    expect(both(generations.mark('a'))).toEqual([true, true]);
  });

  it('for a removed connection is dropped', () => {
    const mark = generations.mark('a');
    stored.delete('a');
    expect(both(mark)).toEqual([false, false]);
  });

  it('from before the cache was cleared may be shown, but not stored', () => {
    const [a, b] = [generations.mark('a'), generations.mark('b')];
    generations.cleared('a');
    expect([both(a), both(b)]).toEqual([
      [true, false],
      [true, true],
    ]);
    generations.cleared(null);
    expect(both(b)).toEqual([true, false]);
  });
});

it('nothing is sent for a held connection, until the last holder releases it', () => {
  const mark = generations.mark('a');
  const [first, second] = [generations.hold('a'), generations.hold('a')];
  expect(() => generations.mark('a')).toThrow('is being changed');
  expect(both(mark)).toEqual([false, false]);
  expect(both(generations.mark('b'))).toEqual([true, true]);
  first();
  first();
  expect(() => generations.mark('a')).toThrow('is being changed');
  second();
  expect(both(mark)).toEqual([true, true]);
});
