/** The possible responses to this email, why others are disabled, and sending them. */
import type { JSX } from 'react';
import { EntityResponseDialog, isHarmful, moves, stackWarnings } from '#renderer/entity/entity-response.tsx';
import { listCount, wholeRows } from '#renderer/entity/list-state.ts';
import { type Response, useSending } from '#renderer/entity/use-sending.ts';
import { roleRefusal } from '#shared/model/actors.ts';
import { exact } from '#shared/model/format.ts';
import { RESPONSES, type ResponseKind } from '#shared/model/responses.ts';
import { noClicks } from './labels.ts';
import { type Lifecycle, lifecycleOf } from './lifecycle.ts';
import type { EmailReads } from './use-email.ts';
import { copiesInInbox } from './verdict-line.ts';

/** Why the state of the email rules the response out, or null if it does not, or is unknown. */
export function stateRefusal(
  kind: ResponseKind,
  lifecycle: Lifecycle | null,
  more: { direction?: string | null; deleted?: boolean | null; restorable?: string | null },
): string | null {
  if (lifecycle === null) return null;
  const { held, state } = lifecycle;
  switch (kind) {
    case 'quarantine':
      if (held) return 'Already in quarantine.';
      return more.direction === 'outgoing' ? 'Outgoing email cannot be recalled.' : null;
    case 'restore':
      if (!held) return 'Not in quarantine.';
      return more.restorable ?? null;
    case 'decline':
      return held && state === 'requested' ? null : 'No release requested.';
    case 'request_restore':
      if (!held) return 'Not in quarantine.';
      return state === 'requested' ? 'Release already requested.' : null;
    case 'delete':
      return more.deleted ? 'Already deleted.' : null;
    default:
      return null;
  }
}

/** The main actions of the header: answering a release request, otherwise quarantine or restore. */
export function mainKinds({ lifecycle }: { lifecycle: Lifecycle | null }): ResponseKind[] {
  if (!lifecycle?.held) return ['quarantine'];
  return lifecycle.state === 'requested' ? ['restore', 'decline'] : ['restore'];
}

export interface EmailResponse extends Response {
  lifecycle: Lifecycle | null;
}

export function useResponse(email: EmailReads): EmailResponse {
  const profile = email.profile.data;
  const lifecycle = lifecycleOf(profile, email.props);
  const { underway, ...sending } = useSending({
    type: 'email',
    entityId: email.entityId,
    name: profile?.subject || '(no subject)',
    recipient: profile?.to?.[0]?.email,
  });
  const restorable = email.restorable.data;
  const refusal = (kind: ResponseKind): string | null => {
    const { permission } = RESPONSES[kind];
    return (
      email.sendRefusal ??
      underway(kind) ??
      (profile ? null : 'Profile not loaded.') ??
      (permission === null ? null : roleRefusal(email.props.data ?? {}, permission)) ??
      stateRefusal(kind, lifecycle, {
        direction: profile?.direction ?? null,
        deleted: profile?.is_deleted ?? null,
        restorable: restorable?.restorable === false ? (restorable.reason ?? 'Cannot be restored.') : null,
      })
    );
  };
  return { ...sending, lifecycle, refusal, harmful: isHarmful(email.tools.stack) };
}

function warningsFor(kind: ResponseKind, email: EmailReads): string[] {
  const warnings = stackWarnings(kind, email.tools.stack, 'its recipients');
  const { data } = email.recipients;
  const copies = listCount(data) ?? data?.rows.length ?? 0;
  if (copies > 50 && moves(kind)) warnings.push(`Affects ${exact(copies)} mailboxes at once.`);
  if (kind === 'delete' && email.profile.data?.quarantine_info?.quarantined)
    warnings.push('In quarantine: once deleted, it cannot be restored.');
  return warnings;
}

export function EmailResponseDialog(props: { email: EmailReads; sending: Response }): JSX.Element {
  const { email, sending } = props;
  const profile = email.profile.data;
  const { recipients } = email;
  const copies = wholeRows(recipients.data);
  const clickList = email.clicks.data;
  const isKnown = clickList && (clickList.rows.length > 0 || noClicks(clickList, profile).isKnown);
  const clicks = (isKnown ? listCount(clickList) : undefined) ?? 'Unknown';
  return (
    <EntityResponseDialog
      noun="email"
      sending={sending}
      stack={email.tools.stack}
      figures={[
        { label: 'Email', value: 1, accent: true },
        { label: 'Delivered copies', value: listCount(recipients.data) ?? 'Unknown' },
        { label: 'In an inbox', value: (copies ? copiesInInbox(copies) : null) ?? 'Unknown' },
        { label: 'Clicks', value: clicks },
      ]}
      title={profile?.subject || '(no subject)'}
      from={profile?.from?.email ?? ''}
      warningsFor={(kind) => warningsFor(kind, email)}
      identifier={profile?.entity_identifier}
    />
  );
}
