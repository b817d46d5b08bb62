/** Labels for things of which a service sends only an id: fields, options, and app families. */
import { dictionary } from '#shared/dictionary.ts';

const EXACT: Readonly<Record<string, string>> = dictionary({
  re_evaluated: 'Re-evaluated',
  re_evaluated_at: 'Re-evaluated',
  largest_file_mb: 'Largest file (MB)',
});
const ACRONYMS: ReadonlySet<string> = new Set([
  'arc',
  'dkim',
  'dlp',
  'dmarc',
  'id',
  'ip',
  'mb',
  'md5',
  'mfa',
  'spf',
  'tls',
  'url',
  'utc',
]);

/** Label of a field or option: `learns_from_reports` is "Learns from reports", `client_ip` "Client IP". */
export function fieldLabel(id: string): string {
  const label = EXACT[id];
  if (label !== undefined) return label;
  const words = id.split('_').map((word) => (ACRONYMS.has(word) ? word.toUpperCase() : word));
  const text = words.join(' ').trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Where an email is, by the word of its service. */
export const placeLabel = (place: string): string =>
  place === 'Restore asked' ? 'Release requested' : place;

const FAMILIES: Readonly<Record<string, string>> = dictionary({
  box: 'Box',
  dropbox: 'Dropbox',
  evidence: 'Mail evidence',
  google: 'Google Workspace',
  office365: 'Microsoft 365',
  sharefile: 'ShareFile',
  slack: 'Slack',
});

/** The suite that an app belongs to; for an unknown one, its id in words. */
export const familyLabel = (family: string): string => FAMILIES[family] ?? fieldLabel(family);
