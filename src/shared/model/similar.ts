/** The values by which emails are similar: one list for the service's count and for the query it opens. */
import type { SimilarMode } from '../api/profile-pages.ts';
import { unicodeDomain } from '../mail/domains.ts';

export interface LikeFacts {
  subject: string;
  from: string | null;
  recipients: readonly string[];
  clientIp: string | null;
  /** Hosts of its links, in order. */
  hosts: readonly (string | null | undefined)[];
  attachments: readonly {
    is_inline?: boolean | null | undefined;
    sha256?: string | null | undefined;
    sha1?: string | null | undefined;
    md5?: string | null | undefined;
  }[];
}

/** A value that others may share; `field` is the query field for it. */
export interface LikeValue {
  kind: 'text' | 'email' | 'domain' | 'hash' | 'ip';
  field: string;
  value: string;
}

/** Values of one mode. */
const MOST = 20;

const domainOfAddress = (address: string): string =>
  address.includes('@') ? address.slice(address.lastIndexOf('@') + 1).toLowerCase() : '';

/** The strongest known hash, with its query field. */
export function bestHash(
  attachment: LikeFacts['attachments'][number],
): (LikeValue & { name: string }) | null {
  const { sha256, sha1, md5 } = attachment;
  if (sha256) return { name: 'SHA-256', kind: 'hash', value: sha256, field: 'attachment_sha256' };
  if (sha1) return { name: 'SHA-1', kind: 'hash', value: sha1, field: 'attachment_sha1' };
  return md5 ? { name: 'MD5', kind: 'hash', value: md5, field: 'attachment_md5' } : null;
}

/**
 * The values by mode; similar emails share at least one. Empty: nothing to compare. Inline pictures and the
 * recipients' own hosts are excluded, as they say nothing about the sender.
 */
export function likeValues(facts: LikeFacts): Record<SimilarMode, LikeValue[]> {
  const likeValues = (kind: LikeValue['kind'], field: string, value: string | null): LikeValue[] =>
    value ? [{ kind, field, value }] : [];
  const domains = new Set(facts.recipients.map((address) => unicodeDomain(domainOfAddress(address))));
  const hosts = new Set(
    facts.hosts.flatMap((host) => (host && !domains.has(unicodeDomain(host.toLowerCase())) ? [host] : [])),
  );
  const hashes = facts.attachments
    .filter((attachment) => attachment.is_inline !== true)
    .flatMap((attachment) => bestHash(attachment) ?? []);
  return {
    subject: likeValues('text', 'subject', facts.subject),
    sender: likeValues('email', 'from_email', facts.from),
    sender_domain: likeValues('domain', 'from_domain', facts.from && domainOfAddress(facts.from)),
    attachment: hashes.slice(0, MOST).map(({ kind, field, value }) => ({ kind, field, value })),
    link: [...hosts].slice(0, MOST).flatMap((host) => likeValues('domain', 'link_domains', host)),
    client_ip: likeValues('ip', 'client_ip', facts.clientIp),
  };
}
