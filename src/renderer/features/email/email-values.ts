import type { ExceptionOffer } from '#renderer/entity/exception-items.tsx';
import { shortHash } from '#renderer/ui/truncate.ts';
import type { HeaderAnalysis } from '#shared/mail/analysis.ts';
import { defang } from '#shared/model/defang.ts';
import type { Attachment, EmailProfile } from '#shared/model/entities.ts';
import { webHost } from '#shared/model/hosts.ts';
import { extractIocs, type Ioc } from '#shared/model/ioc.ts';
import { bestHash } from '#shared/model/similar.ts';
import { type DerivedVerdict, deriveVerdict } from '#shared/model/verdict.ts';
import type { EmailReads } from './use-email.ts';

/** The verdict on one attachment; unknown without a code or a count. */
export function attachmentVerdict(attachment: Attachment): DerivedVerdict {
  return deriveVerdict({
    tool: '',
    applicable: true,
    verdict_code: attachment.verdict_code,
    matches: attachment.matches,
  });
}

const RUNS =
  /\.(?:html?|xht|svg|exe|scr|js|jse|vbs|vbe|wsf|hta|lnk|bat|cmd|ps1|com|pif|jar|iso|img|vhdx?|one|chm|msi|cpl|url)$/i;

/**
 * A name that ends in two extensions, the last of which opens something else than the first promises:
 * `INV.pdf.html` → ['INV.pdf', '.html']; null for any other name.
 */
export function doubleExtension(name: string): [string, string] | null {
  const last = RUNS.exec(name);
  if (last === null) return null;
  const lead = name.slice(0, last.index);
  return /\.[a-z0-9]{2,5}\s*$/i.test(lead) ? [lead, last[0]] : null;
}

/** "3 · 143 KB" needs every size; null when one is not known. */
export function totalSize(attachments: readonly Attachment[]): number | null {
  let sum = 0;
  for (const { size } of attachments) {
    if (typeof size !== 'number') return null;
    sum += size;
  }
  return sum;
}

// The indicators of one email: who sent it, from where, what it links to and what it carries.

/**
 * Addresses and domains of the sender's side, its IPs, links and hashes; never the recipients, who are ours.
 * Parts that are not loaded are omitted: the caller says which.
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

const MOST_OF_A_KIND = 5;

/** The values of an email that can become an exception. */
export function exceptionOffers(email: Pick<EmailReads, 'profile' | 'attachments'>): ExceptionOffer[] {
  const profile = email.profile.data;
  if (!profile) return [];
  const from = profile.from?.email ?? '';
  const domain = from.includes('@') ? from.slice(from.lastIndexOf('@') + 1) : '';
  const hosts = [...new Set((profile.links ?? []).flatMap(({ url, host }) => webHost(url) ?? host ?? []))];
  const offers: (ExceptionOffer | null)[] = [
    from
      ? { label: 'Sender', shown: from, value: { kind: 'email', value: from, field: 'from_email' } }
      : null,
    domain
      ? {
          label: 'Sender domain',
          shown: domain,
          value: { kind: 'domain', value: domain, field: 'from_domain' },
        }
      : null,
    profile.client_ip
      ? {
          label: 'Client IP',
          shown: profile.client_ip,
          value: { kind: 'ip', value: profile.client_ip, field: 'client_ip' },
        }
      : null,
    profile.subject
      ? {
          label: 'Subject',
          shown: profile.subject,
          value: { kind: 'text', value: profile.subject, field: 'subject' },
        }
      : null,
    ...hosts.slice(0, MOST_OF_A_KIND).map(
      (host): ExceptionOffer => ({
        label: 'Link host',
        shown: defang(host),
        value: { kind: 'domain', value: host, field: 'link_domains' },
      }),
    ),
    ...(email.attachments.data?.rows ?? [])
      .filter(({ is_inline }) => is_inline !== true)
      .slice(0, MOST_OF_A_KIND)
      .map((attachment): ExceptionOffer | null => {
        const hash = bestHash(attachment);
        return hash === null
          ? null
          : {
              label: `${hash.name} of ${attachment.name}`,
              shown: shortHash(hash.value),
              value: { kind: 'hash', value: hash.value, field: hash.field },
            };
      }),
  ];
  return offers.filter((offer) => offer !== null);
}
