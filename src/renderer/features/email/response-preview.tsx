import type { JSX } from 'react';
import { EntityResponseDialog, moves, stackWarnings } from '#renderer/entity/entity-response.tsx';
import type { Response } from '#renderer/entity/use-sending.ts';
import { exact } from '#shared/model/format.ts';
import type { ResponseKind } from '#shared/model/responses.ts';
import { noClicks } from './click-words.ts';
import type { EmailReads } from './use-email.ts';
import { copiesInInbox } from './verdict-line.ts';

/** What speaks against it, before it is sent. */
function warningsFor(kind: ResponseKind, email: EmailReads): string[] {
  const warnings = stackWarnings(kind, email.tools.stack, 'its readers');
  const copies = email.recipients.data?.rows.length ?? 0;
  if (copies > 50 && moves(kind)) warnings.push(`It touches ${exact(copies)} mailboxes at once.`);
  if (kind === 'delete' && email.profile.data?.quarantine_info?.quarantined)
    warnings.push('It is in quarantine: once deleted it cannot be restored.');
  return warnings;
}

/** The dialog of the response that was begun. */
export function EmailResponseDialog(props: { email: EmailReads; sending: Response }): JSX.Element {
  const { email, sending } = props;
  const profile = email.profile.data;
  const copies = email.recipients.data?.rows;
  const told = email.clicks.data;
  const isKnown = told && (told.rows.length > 0 || noClicks(told, profile).known);
  const clicks = isKnown ? told.rows.length : 'Unknown';
  return (
    <EntityResponseDialog
      noun="email"
      sending={sending}
      stack={email.tools.stack}
      figures={[
        { label: 'Email', value: 1, accent: true },
        { label: 'Delivered copies', value: copies ? copies.length : 'Unknown' },
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
