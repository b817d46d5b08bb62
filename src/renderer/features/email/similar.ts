/** Emails like this one, by the modes of similar_email_count, as queries that can be edited. */

import { blankQuery } from '#renderer/state/drafts.ts';
import { emailConfig, exactConditionFor } from '#renderer/state/entity-actions.ts';
import { openQuery } from '#renderer/state/navigation.ts';
import type { EntityRef } from '#renderer/ui/entity-value.tsx';
import { showToast } from '#renderer/ui/toaster.ts';
import { SIMILAR_MODES, type SimilarMode } from '#shared/api/profile-pages.ts';
import { toBridgeError } from '#shared/bridge/errors.ts';
import type { Attachment, EmailProfile } from '#shared/model/entities.ts';
import { likeValues } from '#shared/model/similar.ts';

export interface Likeness {
  id: SimilarMode;
  /** The key that opens its query. */
  keys: string;
  /** "Same subject". */
  label: string;
  entities: EntityRef[];
}

/** In what an email can be like others, as far as it is known; by the list that the service counts with. */
export function likenesses(profile: EmailProfile, attachments: readonly Attachment[] = []): Likeness[] {
  const values = likeValues({
    subject: profile.subject,
    from: profile.from?.email ?? null,
    recipients: [...profile.to, ...profile.cc, ...(profile.bcc ?? [])].map(({ email }) => email),
    clientIp: profile.client_ip ?? null,
    hosts: (profile.links ?? []).map(({ host }) => host),
    attachments,
  });
  const labels: Readonly<Record<SimilarMode, readonly [one: string, several: string]>> = {
    subject: ['Same subject', 'Same subject'],
    sender: ['Same sender', 'Same sender'],
    sender_domain: ['Same sender domain', 'Same sender domain'],
    attachment: ['Same attachment', 'Any attachment'],
    link: ['Same link host', 'Any link host'],
    client_ip: ['Same client IP', 'Same client IP'],
  };
  return SIMILAR_MODES.map((id, index) => ({
    id,
    label: labels[id][values[id].length > 1 ? 1 : 0],
    entities: values[id],
    keys: String(index + 1),
  })).filter(({ entities }) => entities.length > 0);
}

/** Opens a new query: any of the likenesses. A toast says so when the service has no field for any of them. */
export async function openSimilar(chosen: readonly Likeness[], subject: string): Promise<void> {
  try {
    const config = await emailConfig();
    const conditions = chosen
      .flatMap(({ entities }) => entities)
      .map((entity) => exactConditionFor(config, entity))
      .filter((condition) => condition !== null);
    if (conditions.length === 0) throw new Error('This service has no field for this search.');
    const what = chosen.length === 1 ? chosen[0]?.label.toLowerCase() : 'similar';
    openQuery({
      ...blankQuery(),
      name: `${subject.slice(0, 60) || '(no subject)'}: ${what}`,
      filter: { operator: conditions.length === 1 ? 'and' : 'or', conditions },
    });
  } catch (error) {
    showToast({
      intent: 'error',
      title: 'Similar emails can’t be queried',
      detail: toBridgeError(error).message,
    });
  }
}
