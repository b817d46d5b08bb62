/** The indicators of one email: who sent it, from where, what it links to and what it carries. */
import type { HeaderAnalysis } from '#shared/mail/analysis.ts';
import type { Attachment, EmailProfile } from '#shared/model/entities.ts';
import { extractIocs, type Ioc } from '#shared/model/ioc.ts';

/**
 * Addresses and domains of the sender's side, its IPs, links and hashes; never the recipients, who are ours.
 * Parts that are not loaded are left away: the caller says what is missing.
 */
export function emailIocs(
  profile: EmailProfile,
  attachments: readonly Attachment[] = [],
  analysis: HeaderAnalysis | null = null,
): Ioc[] {
  const own = new Set(
    [...profile.to, ...profile.cc].map(({ email }) => email.slice(email.lastIndexOf('@') + 1).toLowerCase()),
  );
  const texts = [
    profile.from?.email,
    profile.sender?.email,
    ...(profile.reply_to ?? []).map(({ email }) => email),
    profile.return_path,
    profile.client_ip,
    // The oldest hop is the sender's own machine as the first server saw it.
    analysis?.hops.find((hop) => hop.ip !== null)?.ip,
    ...(profile.links ?? []).map(({ url }) => url),
    ...attachments
      .filter((one) => one.is_inline !== true)
      .flatMap(({ md5, sha1, sha256 }) => [md5, sha1, sha256]),
  ].filter((text): text is string => typeof text === 'string' && text !== '');
  return extractIocs(texts).filter(
    (ioc) =>
      !(ioc.type === 'domain' && own.has(ioc.value) && profile.direction !== 'outgoing') &&
      !(ioc.type === 'ip' && /^(?:127\.|::1$)/.test(ioc.value)),
  );
}
