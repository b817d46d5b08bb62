/** A parsed mail with nothing in it, for checks and campaigns. */
import type { CheckedMail } from '#shared/checks/prepared-mail.ts';

export const bareMail = (mail: Partial<CheckedMail>): CheckedMail => ({
  headers: [],
  subject: '',
  author: null,
  from: [],
  to: [],
  cc: [],
  delivered: [],
  replyTo: [],
  receivedAt: null,
  inReplyTo: null,
  references: [],
  auth: { spf: null, dkim: null, dmarc: null, trusted: false },
  signedBodies: [],
  text: mail.shownText ?? '',
  html: '',
  shownText: '',
  links: [],
  active: { remote: 0, forms: 0, scripts: 0, handlers: 0 },
  attachments: [],
  isEncrypted: false,
  unsearched: [],
  ...mail,
});
