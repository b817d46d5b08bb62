/** Every call of the catalogue reaches the embedded service and is implemented there: none answers 501. */
import { afterAll, describe, expect, it } from 'vitest';
import { servedNames } from '#service/routes/index.ts';
import { endpointNames, endpointOf } from '#shared/api/catalogue.ts';
import { type Call, Served } from '../support/served.ts';

const ANCHOR = Date.UTC(2026, 10, 19, 8);
const demo = await Served.demo(ANCHOR, 300);
afterAll(() => demo.close());

/** Parameters that are valid for every call; the entities they name need not exist. */
function plausible(name: (typeof endpointNames)[number]): Call {
  const { path } = endpointOf(name);
  const params = Object.fromEntries([...path.matchAll(/:([a-z]+)/g)].map(([, key]) => [key ?? '', 'none']));
  if (name === 'entity.signed-link')
    return { params: { hash: `/signed/${'0'.repeat(32)}/`, token: '1~', id: 'none' } };
  return { params: { ...params, ...('product' in params ? { product: 'guard' } : {}) } };
}

describe('the embedded service', () => {
  it('[spec 7] serves the whole catalogue, as documented', () => {
    expect([...servedNames].sort()).toEqual([...endpointNames].sort());
  });

  it.each(endpointNames)('%s answers', async (name) => {
    const call = plausible(name);
    const empty = endpointOf(name).method === 'GET' ? call : { ...call, body: {} };
    const response = await demo.raw(name, empty);
    const text = await response.text();
    // Refusing the request counts as an answer; a missing or failed call does not.
    expect([501, 405]).not.toContain(response.status);
    expect(response.status === 500 ? text : '').toBe('');
    if (response.status === 404) expect(text).not.toContain('No such call');
  });
});
