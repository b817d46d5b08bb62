import type { ExceptionOffer } from '#renderer/entity/exception-items.tsx';
import { shortHash } from '#renderer/ui/truncate.ts';
import { defang } from '#shared/model/defang.ts';
import { webHost } from '#shared/model/hosts.ts';
import { bestHash } from '#shared/model/similar.ts';
import type { EmailReads } from './use-email.ts';

const MOST_OF_A_KIND = 5;

/** The values of an email that an exception can be made of. */
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
