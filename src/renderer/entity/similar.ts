/** Emails like this one, by the modes of similar_email_count, as queries that can be edited. */

import { readOnce } from '#renderer/bridge/use-read.ts';
import { currentConnection } from '#renderer/state/connection.ts';
import { emailConfig } from '#renderer/state/domain-config.ts';
import { blankQuery } from '#renderer/state/drafts.ts';
import { exactConditionFor } from '#renderer/state/entity-actions.ts';
import { openPivot } from '#renderer/state/navigation.ts';
import { attempt } from '#renderer/state/show-failure.ts';
import { windowBridge } from '#renderer/state/window-bridge.ts';
import type { EntityRef } from '#renderer/ui/entity-value.tsx';
import { showToast } from '#renderer/ui/toaster.ts';
import { SIMILAR_MODES, type SimilarMode } from '#shared/api/profile-pages.ts';
import { type Attachment, allRecipients, type EmailProfile } from '#shared/model/entities.ts';
import { likeValues } from '#shared/model/similar.ts';

export interface Likeness {
  id: SimilarMode;
  /** "Same subject". */
  label: string;
  entities: EntityRef[];
}

const LIKENESS_LABELS: Readonly<Record<SimilarMode, readonly [one: string, several: string]>> = {
  subject: ['Same subject', 'Same subject'],
  sender: ['Same sender', 'Same sender'],
  sender_domain: ['Same sender domain', 'Same sender domain'],
  attachment: ['Same attachment', 'Any attachment'],
  link: ['Same link host', 'Any link host'],
  client_ip: ['Same client IP', 'Same client IP'],
};

const NOUNS: Readonly<Record<SimilarMode, string>> = {
  subject: 'subject',
  sender: 'sender',
  sender_domain: 'sender domain',
  attachment: 'attachment with a hash',
  link: 'link to a host of its own',
  client_ip: 'client IP',
};

/** The ways in which this email can be similar to others, as far as known; the same list as the service's counts use. */
export function likenesses(profile: EmailProfile, attachments: readonly Attachment[] = []): Likeness[] {
  const values = likeValues({
    subject: profile.subject,
    from: profile.from?.email ?? null,
    recipients: allRecipients(profile).map(({ email }) => email),
    clientIp: profile.client_ip ?? null,
    hosts: (profile.links ?? []).map(({ host }) => host),
    attachments,
  });
  return SIMILAR_MODES.map((id) => ({
    id,
    label: LIKENESS_LABELS[id][values[id].length > 1 ? 1 : 0],
    entities: values[id],
  })).filter(({ entities }) => entities.length > 0);
}

/** The label inside a sentence: "same client IP". */
export const inSentence = (label: string): string => `${label.charAt(0).toLowerCase()}${label.slice(1)}`;

/** Opens a new query for any of these similarities. A toast explains when the service has no field for any of them. */
export const openSimilar = (chosen: readonly Likeness[], subject: string): Promise<unknown> =>
  attempt('Similar emails can’t be queried', async () => {
    const config = await emailConfig();
    const conditions = chosen
      .flatMap(({ entities }) => entities)
      .map((entity) => exactConditionFor(config, entity))
      .filter((condition) => condition !== null);
    if (conditions.length === 0) throw new Error('This service has no field for this search.');
    const what = chosen.length === 1 && chosen[0] ? inSentence(chosen[0].label) : 'similar';
    openPivot({
      ...blankQuery(),
      name: `${subject.slice(0, 60) || '(no subject)'}: ${what}`,
      filter: { operator: conditions.length === 1 ? 'and' : 'or', conditions },
    });
  });

/** The same for an email that is not open, whose profile is read first. Without a mode: all modes. */
export async function findSimilar(saas: string, entityId: string, mode?: SimilarMode): Promise<void> {
  const connection = currentConnection();
  if (!connection) return;
  const request = { params: { saas }, query: { entity_id: entityId } };
  const bridge = windowBridge();
  await attempt('Email could not be read', async () => {
    const [profile, attachments] = await Promise.all([
      readOnce(bridge, connection.id, 'email.profile', request),
      (mode ?? 'attachment') === 'attachment'
        ? readOnce(bridge, connection.id, 'email.attachments', request)
        : null,
    ]);
    const chosen = likenesses(profile.data, attachments?.data.rows).filter(({ id }) => (mode ?? id) === id);
    if (chosen.length > 0) await openSimilar(chosen, profile.data.subject);
    else
      showToast({
        intent: 'caution',
        title: 'Nothing to compare',
        detail:
          mode === undefined ? 'This email has nothing to search by.' : `This email has no ${NOUNS[mode]}.`,
      });
  });
}
