/** The names of what queries are about. */

const NAMES: Readonly<Record<string, { one: string; many: string }>> = {
  email: { one: 'Email', many: 'Emails' },
  file: { one: 'File', many: 'Files' },
  user: { one: 'User', many: 'Users' },
  group: { one: 'Group', many: 'Groups' },
  message: { one: 'Message', many: 'Messages' },
  click: { one: 'Click', many: 'Clicks' },
};

/** "Email", "Emails"; a domain that is not known keeps its own word. */
export const domainLabel = (domain: string): string => NAMES[domain]?.one ?? domain;
export const domainTitle = (domain: string): string => NAMES[domain]?.many ?? domain;
/** "emails", inside a sentence. */
export const domainPlural = (domain: string): string =>
  NAMES[domain]?.many.toLowerCase() ?? `${domain} entities`;
