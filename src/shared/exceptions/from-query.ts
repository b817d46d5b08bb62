import { dictionary } from '#shared/dictionary.ts';

/** Query fields whose values an exception can be about. */
export const FIELD_OF_QUERY: Readonly<Record<string, string>> = dictionary({
  from_email: 'from_email',
  sender_email: 'from_email',
  from: 'from_email',
  reply_to: 'from_email',
  sender: 'from_email',
  email: 'from_email',
  from_domain: 'from_domain',
  sender_domain: 'from_domain',
  from_name: 'nickname',
  sender_name: 'nickname',
  client_ip: 'client_ip',
  sender_ip: 'client_ip',
  server_ip: 'server_ip',
  to: 'recipient',
  cc: 'recipient',
  recipients: 'recipient',
  user: 'recipient',
  link_domains: 'links',
  link_urls: 'links',
  links: 'links',
  host: 'links',
  url: 'links',
  attachment_md5: 'md5',
  attachment_sha256: 'md5',
  md5: 'md5',
  sha256: 'md5',
  subject: 'subject',
});

/** The same by kind of value, when the query field does not determine it. */
const FIELD_OF_KIND: Readonly<Record<string, string>> = dictionary({
  address: 'from_email',
  email: 'from_email',
  domain: 'from_domain',
  ip: 'client_ip',
  url: 'links',
  md5: 'md5',
  sha256: 'md5',
  hash: 'md5',
});

/** The exception field for a value, or null if there is none. */
export const exceptionFieldOf = (queryField: string | undefined, kind: string): string | null =>
  FIELD_OF_QUERY[queryField ?? ''] ?? FIELD_OF_KIND[kind] ?? null;
