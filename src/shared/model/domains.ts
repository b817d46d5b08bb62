import { dictionary } from '#shared/dictionary.ts';

const NAMES: Readonly<Record<string, { singular: string; plural: string }>> = dictionary({
  email: { singular: 'Email', plural: 'Emails' },
  file: { singular: 'File', plural: 'Files' },
  user: { singular: 'User', plural: 'Users' },
  group: { singular: 'Group', plural: 'Groups' },
  message: { singular: 'Message', plural: 'Messages' },
  click: { singular: 'Click', plural: 'Clicks' },
});

/** "Email", "Emails"; an unknown domain keeps its id. */
export const domainLabel = (domain: string): string => NAMES[domain]?.singular ?? domain;
export const domainTitle = (domain: string): string => NAMES[domain]?.plural ?? domain;
/** "emails", inside a sentence. */
export const domainPlural = (domain: string): string =>
  NAMES[domain]?.plural.toLowerCase() ?? `${domain} entities`;
