/** The app of an entity whose row names none is searched, and what was not found is searched again later. */
import { expect, it } from 'vitest';
import type { EndpointName, Request } from '#shared/api/catalogue.ts';
import { ParapetError } from '#shared/bridge/errors.ts';
import { CACHE_TTL_MS } from '#shared/model/constants.ts';
import { UnnamedApps } from './unnamed-app.ts';

const PROFILE = { params: { saas: 'all' }, query: { entity_id: 'e-1' } } as Request<EndpointName>;

it('an app that answers with another entity does not have this one', async () => {
  const apps = new UnnamedApps();
  const ask = async (endpoint: EndpointName, { params }: Request<EndpointName>) => {
    if (endpoint === 'apps.list') return { rows: ['mail', 'files'].map((name) => ({ name, is_saas: true })) };
    if (JSON.stringify(params).includes('files')) return { entity_id: 'e-1' };
    throw new ParapetError('wrong-shape', 'Answered with “e-2”.', { data: { answered: 'e-2' } });
  };
  expect(await apps.send('c', ask, 'email.profile', PROFILE)).toEqual({ entity_id: 'e-1' });
});

it('an entity that a role may not see is found once it may, without a restart', async () => {
  let now = 1;
  let isAllowed = false;
  let searches = 0;
  const apps = new UnnamedApps(() => now);
  // Some services answer 404 to a role that may not know of the entity.
  const ask = async (endpoint: EndpointName, { params }: Request<EndpointName>) => {
    if (endpoint === 'apps.list') {
      searches += 1;
      return { rows: [{ name: 'mail', is_saas: true }] };
    }
    if (isAllowed && JSON.stringify(params).includes('mail')) return { entity_id: 'e-1' };
    throw new ParapetError('not-found', 'It may have been removed.');
  };
  const profile = () => apps.send('c', ask, 'email.profile', PROFILE);
  await expect(profile()).rejects.toMatchObject({ code: 'not-found' });
  isAllowed = true;
  await expect(profile()).rejects.toMatchObject({ code: 'not-found' });
  expect(searches).toBe(1);
  now += CACHE_TTL_MS + 1;
  expect(await profile()).toEqual({ entity_id: 'e-1' });
  expect(await profile()).toEqual({ entity_id: 'e-1' });
  expect(searches).toBe(2);
});
