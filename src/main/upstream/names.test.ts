import type { LookupAddress } from 'node:dns';
import { expect, it } from 'vitest';
import { Client, DEFAULT_LIMITS } from './client.ts';
import { createNames } from './names.ts';

const BOTH: LookupAddress[] = [
  { address: '2001:db8::1', family: 6 },
  { address: '192.0.2.1', family: 4 },
];

function scripted() {
  const lookups: { name: string; answer: (error: Error | null, addresses: LookupAddress[]) => void }[] = [];
  const clock = { now: 0 };
  const names = createNames(
    (name, _, answer) => void lookups.push({ name, answer }),
    () => clock.now,
  );
  const find = (name: string, options = {}) => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    names.lookup(name, options, (error, address, family) => resolve(error ?? { address, family }));
    return promise;
  };
  return { asked: lookups, clock, names, find };
}

it('a name is looked up once, however many connections wait for it, and again later', async () => {
  const { asked, names, find } = scripted();
  const finds = [find('a.example', { all: true }), find('a.example'), find('a.example', { family: 4 })];
  expect(asked.map(({ name }) => name)).toEqual(['a.example']);
  expect(names.isPending('a.example')).toBe(true);
  asked[0]!.answer(null, BOTH);
  expect(await Promise.all(finds)).toEqual([
    { address: BOTH, family: undefined },
    { address: '2001:db8::1', family: 6 },
    { address: '192.0.2.1', family: 4 },
  ]);
  expect(names.isPending('a.example')).toBe(false);
  void find('a.example');
  void find('b.example');
  expect(asked.map(({ name }) => name)).toEqual(['a.example', 'a.example', 'b.example']);
});

it('a lookup without an answer is repeated: a network that is back serves everyone at once', async () => {
  const { asked, clock, names, find } = scripted();
  const finds = [find('a.example')];
  clock.now = 1_999;
  finds.push(find('a.example'));
  expect(asked).toHaveLength(1);
  clock.now = 2_000;
  finds.push(find('a.example'));
  expect(asked).toHaveLength(2);
  asked[1]!.answer(null, BOTH);
  expect(await Promise.all(finds)).toEqual(finds.map(() => ({ address: '2001:db8::1', family: 6 })));
  expect(names.isPending('a.example')).toBe(false);
  asked[0]!.answer(new Error('too late'), []);
  void find('a.example');
  expect(asked).toHaveLength(3);
});

it('everyone who waits gets the error', async () => {
  const { asked, find } = scripted();
  const finds = [find('a.example'), find('a.example', { all: true })];
  const error = Object.assign(new Error('EAI_AGAIN'), { code: 'EAI_AGAIN' });
  asked[0]!.answer(error, []);
  expect(await Promise.all(finds)).toEqual([error, error]);
});

it('a name without an address of the family is not found', async () => {
  const { asked, find } = scripted();
  const lookup = find('a.example', { family: 4 });
  asked[0]!.answer(null, [BOTH[0]!]);
  expect(await lookup).toMatchObject({ code: 'ENOTFOUND' });
});

it('[limit 2 look-ups] at most two names are looked up at a time, so that files can still be read', async () => {
  const { asked, names, find } = scripted();
  const third = [find('a.example'), find('b.example'), find('c.example')][2];
  expect(asked.map(({ name }) => name)).toEqual(['a.example', 'b.example']);
  expect(names.isPending('c.example')).toBe(true);
  asked[0]!.answer(null, BOTH);
  asked[2]!.answer(null, BOTH);
  expect(await third).toEqual({ address: '2001:db8::1', family: 6 });
});

it('the calls of a screen look the name up once; a resolver that is silent is named as the reason', async () => {
  const { asked, names } = scripted();
  const limits = { ...DEFAULT_LIMITS, connectMs: 50, retries: 0 };
  const target = { base: 'https://tenant.example', credential: null, authorityPem: null };
  const client = new Client(target, limits, null, names);
  const calls = Array.from({ length: 8 }, () => client.json('apps.list', {}));
  for (const { status, reason } of (await Promise.allSettled(calls)) as PromiseRejectedResult[]) {
    expect(status).toBe('rejected');
    expect(reason).toMatchObject({
      code: 'unreachable',
      retryable: true,
      message: expect.stringContaining('no name server (DNS) gave an answer'),
    });
  }
  expect(asked).toHaveLength(1);
  await client.close();
});
