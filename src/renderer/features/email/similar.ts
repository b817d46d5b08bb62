/** Emails like this one, by the modes of similar_email_count, as queries that can be edited. */

import { blankQuery } from '#renderer/state/drafts.ts';
import { conditionFor, emailConfig } from '#renderer/state/entity-actions.ts';
import { openQuery } from '#renderer/state/navigation.ts';
import type { EntityRef } from '#renderer/ui/entity-value.tsx';
import { showToast } from '#renderer/ui/toaster.ts';
import type { SimilarMode } from '#shared/api/profile-pages.ts';
import { toBridgeError } from '#shared/bridge/errors.ts';
import type { Attachment, EmailProfile } from '#shared/model/entities.ts';
import { bestHash } from './attachment-rows.ts';

export interface Likeness {
  id: SimilarMode;
  /** The key that opens its query. */
  keys: string;
  /** "Same subject". */
  label: string;
  entities: EntityRef[];
}

const MOST = 20;

/** In what an email can be like others, as far as it is known. Inline pictures and the recipients' hosts say nothing. */
export function likenesses(profile: EmailProfile, attachments: readonly Attachment[] = []): Likeness[] {
  const own = new Set(profile.to.map(({ email }) => email.slice(email.lastIndexOf('@') + 1).toLowerCase()));
  const hashes = attachments
    .filter((one) => one.is_inline !== true)
    .flatMap((one) => bestHash(one) ?? [])
    .slice(0, MOST);
  const hosts = [...new Set((profile.links ?? []).flatMap(({ host }) => (host ? [host] : [])))]
    .filter((host) => !own.has(host))
    .slice(0, MOST);
  const from = profile.from?.email ?? '';
  const fromDomain = from.includes('@') ? from.slice(from.lastIndexOf('@') + 1) : '';
  const all: Omit<Likeness, 'keys'>[] = [
    {
      id: 'subject',
      label: 'Same subject',
      entities: profile.subject === '' ? [] : [{ kind: 'text', value: profile.subject, field: 'subject' }],
    },
    {
      id: 'sender',
      label: 'Same sender',
      entities: from === '' ? [] : [{ kind: 'email', value: from, field: 'from_email' }],
    },
    {
      id: 'sender_domain',
      label: 'Same sender domain',
      entities: fromDomain === '' ? [] : [{ kind: 'domain', value: fromDomain, field: 'from_domain' }],
    },
    {
      id: 'attachment',
      label: hashes.length > 1 ? 'Any of its attachments' : 'Same attachment',
      entities: hashes.map(({ value, field }) => ({ kind: 'hash', value, field })),
    },
    {
      id: 'link',
      label: hosts.length > 1 ? 'Any of its link hosts' : 'Same link host',
      entities: hosts.map((value) => ({ kind: 'domain', value, field: 'link_domains' })),
    },
    {
      id: 'client_ip',
      label: 'Same client IP',
      entities: profile.client_ip ? [{ kind: 'ip', value: profile.client_ip, field: 'client_ip' }] : [],
    },
  ];
  return all
    .map((one, index) => ({ ...one, keys: String(index + 1) }))
    .filter(({ entities }) => entities.length > 0);
}

/** Opens a new query: any of the likenesses. A toast says so when the service has no field for any of them. */
export async function openSimilar(chosen: readonly Likeness[], subject: string): Promise<void> {
  try {
    const config = await emailConfig();
    const conditions = chosen
      .flatMap(({ entities }) => entities)
      .map((entity) => conditionFor(config, entity))
      .filter((condition) => condition !== null);
    if (conditions.length === 0) throw new Error('This service has no field to look for such emails.');
    const what = chosen.length === 1 ? chosen[0]?.label.toLowerCase() : 'similar';
    openQuery({
      ...blankQuery(),
      name: `${subject.slice(0, 60) || '(no subject)'}: ${what}`,
      filter: { operator: conditions.length === 1 ? 'and' : 'or', conditions },
    });
  } catch (error) {
    showToast({
      intent: 'error',
      title: 'No query for similar emails',
      detail: toBridgeError(error).message,
    });
  }
}
