/** Number of emails similar to one, itself included, by mode (GET similar_email_count): those that the mode's query finds. */

import { SIMILAR_MODES, type SimilarMode } from '#shared/api/profile-pages.ts';
import { isOneOf } from '#shared/model/narrow.ts';
import { likeValues } from '#shared/model/similar.ts';
import type { EmailRow } from '../store/emails.ts';
import { attachmentsOf, linksOf, recipientsOf } from '../store-sqlite/emails.ts';
import { customLists } from '../store-sqlite/lists.ts';
import { email } from '../store-sqlite/query/email.ts';
import type { Store } from '../store-sqlite/store.ts';
import { countOf, whereOf } from './execute.ts';

export const isSimilarMode = (mode: string): mode is SimilarMode => isOneOf(SIMILAR_MODES, mode);

/** Without the value (no attachment, no link) nothing is similar. */
export function similarCount(store: Store, row: EmailRow, mode: SimilarMode, now: number): number {
  const values = likeValues({
    subject: row.subject,
    from: row.from_email,
    recipients: recipientsOf(store, row.id).map((recipient) => recipient.email),
    clientIp: row.client_ip,
    hosts: linksOf(store, row.id).map(({ host }) => host),
    attachments: attachmentsOf(store, row.id).map((attachment) => ({
      ...attachment,
      is_inline: attachment.is_inline === 1,
    })),
  })[mode];
  const conditions = values.flatMap(({ field, value }) =>
    email.fields.some(({ config }) => config.id === field)
      ? [{ field, operator: 'is', values: [value] }]
      : [],
  );
  if (conditions.length === 0) return 0;
  const condition = { operator: 'or' as const, conditions };
  const where = whereOf(email, { condition, saas_id: 'all' }, customLists(store), now);
  store.begin();
  return countOf(email, where, store);
}
