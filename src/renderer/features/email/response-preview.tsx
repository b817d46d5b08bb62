import type { JSX } from 'react';
import { Figures } from '#renderer/ui/dialog.tsx';
import { ResponseDialog } from '#renderer/ui/response-dialog.tsx';
import { VerdictChip } from '#renderer/ui/verdict-chip.tsx';
import { exact, visibleText } from '#shared/model/format.ts';
import type { ResponseKind } from '#shared/model/responses.ts';
import { VERDICT_LABELS } from '#shared/model/verdict.ts';
import type { EmailReads } from './use-email.ts';
import type { Response } from './use-response.ts';
import { copiesInInbox } from './verdict-line.ts';

function Preview({ email }: { email: EmailReads }): JSX.Element {
  const profile = email.profile.data;
  const copies = email.recipients.data?.rows;
  const inboxes = copies ? copiesInInbox(copies) : null;
  const total = email.stack?.total;
  return (
    <>
      <Figures
        figures={[
          { label: 'Email', value: 1, accent: true },
          { label: 'Delivered copies', value: copies ? copies.length : 'Unknown' },
          { label: 'In an inbox', value: inboxes ?? 'Unknown' },
          {
            label: 'Clicks',
            value: email.clicks.data ? email.clicks.data.rows.length : 'Unknown',
          },
        ]}
      />
      <p className="em-preview">
        {total ? <VerdictChip verdict={total.verdict} code={total.rawCode} error={total.error} /> : null}
        <b className="pp-ellipsis" title={visibleText(profile?.subject ?? '')}>
          {visibleText(profile?.subject || '(no subject)')}
        </b>
        <span className="pp-t3 pp-mono pp-ellipsis">{visibleText(profile?.from?.email ?? '')}</span>
      </p>
    </>
  );
}

/** What speaks against it, before it is sent. */
function warningsFor(kind: ResponseKind, email: EmailReads): string[] {
  const { stack, recipients } = email;
  const verdict = stack?.total.verdict;
  const harmful = verdict === 'found' || verdict === 'suspicious' || verdict === 'found-no-click';
  const warnings: string[] = [];
  if ((kind === 'restore' || kind === 'request_restore') && harmful)
    warnings.push('Tools found something in it: restoring brings it back to its readers.');
  if ((kind === 'quarantine' || kind === 'delete') && verdict === 'clean')
    warnings.push('Every tool that answered calls it clean.');
  if (stack === null && kind !== 'report' && kind !== 'identify')
    warnings.push('What the tools said is not known.');
  const copies = recipients.data?.rows.length ?? 0;
  if (copies > 50 && kind !== 'report' && kind !== 'identify' && kind !== 'rescan')
    warnings.push(`It touches ${exact(copies)} mailboxes at once.`);
  if (kind === 'delete' && email.profile.data?.quarantine_info?.quarantined)
    warnings.push('It is in quarantine: once deleted it cannot be restored.');
  return warnings;
}

/** The dialog of the response that was begun. */
export function EmailResponseDialog({
  email,
  response,
}: {
  email: EmailReads;
  response: Response;
}): JSX.Element | null {
  const { open } = response;
  if (open === null) return null;
  const tools = (email.stack?.rows ?? []).map((row) => ({
    id: row.tool,
    label: row.label,
    said: VERDICT_LABELS[row.derived.verdict],
  }));
  return (
    <ResponseDialog
      key={open}
      kind={open}
      noun="1 email"
      preview={<Preview email={email} />}
      warnings={warningsFor(open, email)}
      tools={tools}
      identifier={email.profile.data?.entity_identifier ?? ''}
      pending={response.pending}
      error={response.error}
      onSend={(order) => void response.send(order)}
      onClose={response.close}
    />
  );
}
