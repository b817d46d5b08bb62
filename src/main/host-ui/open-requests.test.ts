import { describe, expect, test } from 'vitest';
import type { AppEvent, Offer } from '#shared/bridge/operations.ts';
import { ARRIVALS_MAX, type Arrival, Arrivals } from './open-requests.ts';

function make() {
  const published: AppEvent[] = [];
  const clock = { now: 0 };
  const arrivals = new Arrivals({
    publish: (event) => published.push(event),
    ticks: () => clock.now,
    offer: async (path): Promise<Offer> => ({ kind: 'mail-file', grantId: 'g', name: path.slice(1) }),
  });
  const next = () => arrivals.handlers['arrivals.next']({}, { signal: new AbortController().signal });
  const all = async () => {
    const arrivals = [];
    for (let request = await next(); ; request = await next()) {
      if (request.arrival === null) return { found: arrivals, leftOut: request.leftOut };
      arrivals.push(request);
    }
  };
  return { arrivals, published, clock, next, all };
}
const links = (count: number): Arrival[] =>
  Array.from({ length: count }, (_, index) => ({ kind: 'link', text: `parapet://query/${index}` }));

describe('what was opened with Parapet', () => {
  test('waits until a window requests it, and is returned once', async () => {
    const { arrivals, published, next } = make();
    arrivals.add([]);
    expect(published).toEqual([]);
    arrivals.add([
      { kind: 'file', path: '/a.eml' },
      ...links(1),
      { kind: 'link', text: 'parapet://delete/1' },
    ]);
    expect(published).toEqual([{ type: 'arrived' }]);
    expect(await next()).toEqual({
      arrival: { kind: 'offer', offer: { kind: 'mail-file', grantId: 'g', name: 'a.eml' }, folder: '/' },
      leftOut: 0,
    });
    expect((await next()).arrival).toMatchObject({ kind: 'link', link: { place: { to: 'query', id: '0' } } });
    expect((await next()).arrival).toEqual({
      kind: 'refused',
      reason: expect.stringContaining('leads to no'),
    });
    expect(await next()).toEqual({ arrival: null, leftOut: 0 });
  });

  test('[limit 20 files] thousands of files: as many as can be offered, and the others are counted', async () => {
    const { arrivals, all, next } = make();
    arrivals.add(Array.from({ length: 5000 }, (_, index) => ({ kind: 'file', path: `/${index}.eml` })));
    const { found } = await all();
    expect(found).toHaveLength(ARRIVALS_MAX);
    expect(found[0]?.leftOut).toBe(5000 - ARRIVALS_MAX);
    expect((await next()).leftOut).toBe(0);
  });

  test('[limit 5 links in 10 s] thousands of links: a few, and a few more later', async () => {
    const { arrivals, clock, all } = make();
    for (let index = 0; index < 1000; index++) {
      arrivals.add(links(1));
      clock.now += 1;
    }
    const first = await all();
    expect(first.found).toHaveLength(5);
    expect(first.found[0]?.leftOut).toBe(995);
    clock.now += 10_000;
    arrivals.add(links(2));
    expect((await all()).found).toHaveLength(2);
  });
});
