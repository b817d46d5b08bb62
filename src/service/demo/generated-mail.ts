/** A stored demo mail, in the form from which its headers and body are generated. */

import { detailOf, type EmailRow } from '../store/emails.ts';
import type { Address, EmailDetail } from '../store/records.ts';
import type { Store } from '../store/store.ts';

export interface GeneratedMail {
  entityId: string;
  subject: string;
  fromName: string | null;
  fromEmail: string | null;
  fromDomain: string | null;
  receivedAt: number | null;
  sentAt: number | null;
  direction: string | null;
  language: string | null;
  clientIp: string | null;
  messageId: string | null;
  inReplyTo: string | null;
  returnPath: string | null;
  replyTo: readonly Address[];
  recipients: readonly (Address & { kind: string })[];
  links: readonly { url: string; text: string | null }[];
  attachments: number;
  files: readonly string[];
  spf: string | null;
  dkim: string | null;
  dmarc: string | null;
  template: NonNullable<EmailDetail['made']>;
}

/** Null if the row was not generated. */
export async function generatedMailOf({ mails }: Store, row: EmailRow): Promise<GeneratedMail | null> {
  const detail = detailOf(row);
  if (!detail.made) return null;
  const attachments = await mails.attachments(row.id);
  return {
    entityId: row.entity_id,
    subject: row.subject,
    fromName: row.from_name,
    fromEmail: row.from_email,
    fromDomain: row.from_domain,
    receivedAt: row.received_at,
    sentAt: row.sent_at,
    direction: row.direction,
    language: row.language,
    clientIp: row.client_ip,
    messageId: row.message_id,
    inReplyTo: detail.inReplyTo ?? null,
    returnPath: detail.returnPath ?? null,
    replyTo: detail.replyTo ?? [],
    recipients: await mails.recipients(row.id),
    links: await mails.links(row.id),
    attachments: attachments.length,
    files: attachments.map(({ name }) => name),
    spf: row.spf,
    dkim: row.dkim,
    dmarc: row.dmarc,
    template: detail.made,
  };
}
