import { dictionary } from '#shared/dictionary.ts';

const NAMES: Readonly<Record<string, { one: string; many: string }>> = dictionary({
  email: { one: 'Email', many: 'Emails' },
  file: { one: 'File', many: 'Files' },
  user: { one: 'User', many: 'Users' },
  group: { one: 'Group', many: 'Groups' },
  message: { one: 'Message', many: 'Messages' },
  click: { one: 'Click', many: 'Clicks' },
});

/** "Email", "Emails"; an unknown domain keeps its id. */
export const domainLabel = (domain: string): string => NAMES[domain]?.one ?? domain;
export const domainTitle = (domain: string): string => NAMES[domain]?.many ?? domain;
/** "emails", inside a sentence. */
export const domainPlural = (domain: string): string =>
  NAMES[domain]?.many.toLowerCase() ?? `${domain} entities`;
