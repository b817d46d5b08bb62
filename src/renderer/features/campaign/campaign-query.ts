/** The emails of a campaign as a query. */
import { WORST_FIRST } from '#renderer/entity/mail-payload.ts';
import { blankQuery } from '#renderer/state/drafts.ts';
import type { NewQuery } from '#shared/model/entities.ts';
import type { Condition } from '#shared/query/tree.ts';

export const campaignQuery = (name: string, ...more: Condition[]): NewQuery => ({
  ...blankQuery('email'),
  name,
  filter: { operator: 'and', conditions: [{ field: 'campaign', operator: 'is', values: [name] }, ...more] },
  sort: [WORST_FIRST],
});
