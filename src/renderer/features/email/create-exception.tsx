import { MenuItem } from '@blueprintjs/core';
import { Filter } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { openExceptionFor } from '#renderer/state/exception-prefill.ts';
import type { EntityRef } from '#renderer/ui/entity-value.tsx';
import { shortHash } from '#renderer/ui/truncate.ts';
import { defang } from '#shared/model/defang.ts';
import { visibleText } from '#shared/model/format.ts';
import { bestHash } from './attachment-rows.ts';
import { realHost } from './real-host.ts';
import type { EmailReads } from './use-email.ts';

interface Offer {
  label: string;
  shown: string;
  value: EntityRef;
}

const MOST_OF_A_KIND = 5;

/** The values of an email that an exception can be made of. */
export function exceptionOffers(email: Pick<EmailReads, 'profile' | 'attachments'>): Offer[] {
  const profile = email.profile.data;
  if (!profile) return [];
  const from = profile.from?.email ?? '';
  const domain = from.includes('@') ? from.slice(from.lastIndexOf('@') + 1) : '';
  const hosts = [...new Set((profile.links ?? []).flatMap(({ url, host }) => realHost(url) ?? host ?? []))];
  const offers: (Offer | null)[] = [
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
      (host): Offer => ({
        label: 'Link host',
        shown: defang(host),
        value: { kind: 'domain', value: host, field: 'link_domains' },
      }),
    ),
    ...(email.attachments.data?.rows ?? [])
      .filter(({ is_inline }) => is_inline !== true)
      .slice(0, MOST_OF_A_KIND)
      .map((attachment): Offer | null => {
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

/** "Create exception from", as a submenu; the exceptions editor opens prefilled. */
export function ExceptionItems({ email }: { email: EmailReads }): JSX.Element {
  const offers = exceptionOffers(email);
  const profile = email.profile.data;
  return (
    <MenuItem text="Create exception from" icon={<Filter size={14} />} disabled={offers.length === 0}>
      {offers.map(({ label, shown, value }) => (
        <MenuItem
          key={`${label} ${value.value}`}
          text={visibleText(label)}
          labelElement={<span className="em-menu-value">{visibleText(shown)}</span>}
          onClick={() =>
            openExceptionFor({
              value,
              from: { type: 'email', entityId: email.entityId, title: profile?.subject ?? '' },
            })
          }
        />
      ))}
    </MenuItem>
  );
}
