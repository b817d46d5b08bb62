/** Campaigns: only evidence has any. */
import type { Handlers } from '../http/context.ts';
import { ServiceError } from '../http/errors.ts';
import { campaignProfileOf, campaignsOf } from '../store-sqlite/campaigns.ts';

const MAX_ROWS = 100;

export const campaignHandlers = {
  'campaigns.list': ({ query }, { store }) =>
    campaignsOf(store, Math.min(MAX_ROWS, Math.max(1, query.size ?? MAX_ROWS))),
  'campaigns.get': ({ params }, { store }) => {
    const profile = /^\d{1,15}$/.test(params.id) ? campaignProfileOf(store, Number(params.id)) : null;
    if (profile === null) throw new ServiceError(404, 'No such campaign', 'id');
    return profile;
  },
} satisfies Handlers;
