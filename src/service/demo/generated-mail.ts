/** A stored mail as the makers of its headers and body see it. */
import type { Address, EmailDetail } from '../store/records.ts';

export interface MadeMail {
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
  made: NonNullable<EmailDetail['made']>;
}
