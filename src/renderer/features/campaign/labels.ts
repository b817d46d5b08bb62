/** Sentences of a campaign. */
import { dictionary } from '#shared/dictionary.ts';
import type { Campaign } from '#shared/model/entities.ts';
import { exact, plural } from '#shared/model/format.ts';

export const PARTS = ['overview', 'subjects', 'senders', 'recipients', 'hosts', 'attachments'] as const;
export type Part = (typeof PARTS)[number];

export const PART_LABELS: Readonly<Record<Part, string>> = {
  overview: 'Overview',
  subjects: 'Subjects',
  senders: 'Senders',
  recipients: 'Recipients',
  hosts: 'Link hosts',
  attachments: 'Attachments',
};

/** What emails of a campaign share, by the kind of their keys. */
export const SHARED: Readonly<Record<string, string>> = dictionary({
  text: 'Near-identical text',
  template: 'Same page structure',
  attachment: 'Same attachment',
  host: 'Links to one host',
  link: 'Same link',
  'reply-address': 'Replies to one address',
  wallet: 'Same crypto wallet',
  subject: 'Same subject',
});

/** How many are flagged; nothing found is not clean. */
export function flaggedWords({ emails, flagged }: Pick<Campaign, 'emails' | 'flagged'>): string {
  if (flagged === 0) return 'None found or suspicious. That does not make them clean.';
  return flagged === emails
    ? `All ${exact(emails)} found or suspicious`
    : `${exact(flagged)} of ${plural(emails, 'email')} found or suspicious`;
}
