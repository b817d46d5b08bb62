/** Number of emails similar to one, itself included, by mode (GET similar_email_count): those that the mode's query finds. */

import { SIMILAR_MODES, type SimilarMode } from '#shared/api/profile-pages.ts';
import { isOneOf } from '#shared/model/narrow.ts';
import { likeValues } from '#shared/model/similar.ts';
import type { EmailRow } from '../store/emails.ts';
import type { Store } from '../store/store.ts';
import { accepted } from './execute.ts';

export const isSimilarMode = (mode: string): mode is SimilarMode => isOneOf(SIMILAR_MODES, mode);

/** Without the value (no attachment, no link) nothing is similar. */
export async function similarCount(
  { mails, rows }: Store,
  row: EmailRow,
  mode: SimilarMode,
  now: number,
): Promise<number> {
  const values = likeValues({
    subject: row.subject,
    from: row.from_email,
    recipients: (await mails.recipients(row.id)).map((recipient) => recipient.email),
    clientIp: row.client_ip,
    hosts: (await mails.links(row.id)).map(({ host }) => host),
    attachments: (await mails.attachments(row.id)).map((attachment) => ({
      ...attachment,
      is_inline: attachment.is_inline === 1,
    })),
  })[mode];
  const fields = new Set(rows.shape('email', false)?.fields.map(({ id }) => id));
  const conditions = values.flatMap(({ field, value }) =>
    fields.has(field) ? [{ field, operator: 'is', values: [value] }] : [],
  );
  if (conditions.length === 0) return 0;
  const condition = { operator: 'or' as const, conditions };
  return accepted(rows.count({ domain: 'email', copies: false, condition, saas: null, now }));
}
