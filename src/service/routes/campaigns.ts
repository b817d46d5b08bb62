/** Campaigns: only evidence has any. */
import type { Handlers } from '../http/context.ts';
import { ServiceError } from '../http/errors.ts';

const MAX_ROWS = 100;

export const campaignHandlers = {
  'campaigns.list': ({ query }, { store }) =>
    store.campaigns.first(Math.min(MAX_ROWS, Math.max(1, query.size ?? MAX_ROWS))),
  'campaigns.get': async ({ params }, { store }) => {
    const profile = /^\d{1,15}$/.test(params.id) ? await store.campaigns.profile(Number(params.id)) : null;
    if (profile === null) throw new ServiceError(404, 'No such campaign', 'id');
    return profile;
  },
} satisfies Handlers;
