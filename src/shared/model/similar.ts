/** In what an email can be like others: one list of values for the service's count and for the query that opens. */
import type { SimilarMode } from '../api/profile-pages.ts';

/** What is known of an email. */
export interface LikeFacts {
  subject: string;
  from: string | null;
  /** Everybody it went to. */
  recipients: readonly string[];
  clientIp: string | null;
  /** Hosts of its links, in their order. */
  hosts: readonly (string | null | undefined)[];
  attachments: readonly {
    is_inline?: boolean | null | undefined;
    sha256?: string | null | undefined;
    sha1?: string | null | undefined;
    md5?: string | null | undefined;
  }[];
}

/** A value that others may have; `field`: where emails are asked for it. */
export interface LikeValue {
  kind: 'text' | 'email' | 'domain' | 'hash' | 'ip';
  field: string;
  value: string;
}

/** Values of one mode. */
const MOST = 20;

const domainOfAddress = (address: string): string =>
  address.includes('@') ? address.slice(address.lastIndexOf('@') + 1).toLowerCase() : '';

/** The strongest hash that is known, with the field that asks for it. */
export function bestHash(
  attachment: LikeFacts['attachments'][number],
): (LikeValue & { name: string }) | null {
  const { sha256, sha1, md5 } = attachment;
  if (sha256) return { name: 'SHA-256', kind: 'hash', value: sha256, field: 'attachment_sha256' };
  if (sha1) return { name: 'SHA-1', kind: 'hash', value: sha1, field: 'attachment_sha1' };
  return md5 ? { name: 'MD5', kind: 'hash', value: md5, field: 'attachment_md5' } : null;
}

/**
 * The values of which others have at least one, by mode; none: nothing to compare. Inline pictures and the
 * recipients' own hosts say nothing of a sender.
 */
export function likeValues(facts: LikeFacts): Record<SimilarMode, LikeValue[]> {
  const one = (kind: LikeValue['kind'], field: string, value: string | null): LikeValue[] =>
    value ? [{ kind, field, value }] : [];
  const own = new Set(facts.recipients.map(domainOfAddress));
  const hosts = new Set(facts.hosts.flatMap((host) => (host && !own.has(host.toLowerCase()) ? [host] : [])));
  const hashes = facts.attachments
    .filter((attachment) => attachment.is_inline !== true)
    .flatMap((attachment) => bestHash(attachment) ?? []);
  return {
    subject: one('text', 'subject', facts.subject),
    sender: one('email', 'from_email', facts.from),
    sender_domain: one('domain', 'from_domain', facts.from && domainOfAddress(facts.from)),
    attachment: hashes.slice(0, MOST).map(({ kind, field, value }) => ({ kind, field, value })),
    link: [...hosts].slice(0, MOST).flatMap((host) => one('domain', 'link_domains', host)),
    client_ip: one('ip', 'client_ip', facts.clientIp),
  };
}
