import type { TabInfo } from '#renderer/ui/tabs-strip.tsx';
import type { EmailReads } from './use-email.ts';

export const EMAIL_TABS = [
  'overview',
  'stack',
  'recipients',
  'attachments',
  'links',
  'headers',
  'body',
  'conversation',
  'splits',
  'events',
  'findings',
  'debug',
] as const;
export type EmailTab = (typeof EMAIL_TABS)[number];

const LABELS: Readonly<Record<EmailTab, string>> = {
  overview: 'Overview',
  stack: 'Security stack',
  recipients: 'Recipients',
  attachments: 'Attachments',
  links: 'Links and clicks',
  headers: 'Headers',
  body: 'Body',
  conversation: 'Conversation',
  splits: 'Split emails',
  events: 'Events',
  findings: 'Findings',
  debug: 'Debug links',
};

/** The tabs with the counts that are known; an unknown count is left away, never zero. */
export function tabInfos(email: EmailReads): TabInfo<EmailTab>[] {
  const counts: Partial<Record<EmailTab, number | undefined>> = {
    stack: email.tools.stack?.rows.length,
    recipients: email.recipients.data?.rows.length,
    attachments: email.attachments.data?.rows.length,
    links: email.profile.data?.links?.length,
    conversation: email.conversation.data?.rows.length,
    splits: email.splits.data?.recorded === false ? undefined : email.splits.data?.rows.length,
    events: email.events.total ?? undefined,
  };
  return EMAIL_TABS.map((id) => {
    const count = counts[id];
    return { id, label: LABELS[id], ...(count === undefined ? {} : { count }) };
  });
}
