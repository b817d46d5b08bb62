import { Envelope } from '@blueprintjs/icons';
import type { JSX } from 'react';
import type { ListPlace } from '#renderer/state/neighbours.ts';
import { FreshnessMark } from '#renderer/ui/freshness-mark.tsx';
import { PageHeader } from '#renderer/ui/page-header.tsx';
import { Skeleton, useDelayed } from '#renderer/ui/skeleton.tsx';
import { VerdictChip } from '#renderer/ui/verdict-chip.tsx';
import { visibleText } from '#shared/model/format.ts';
import { EmailActions } from './email-actions.tsx';
import type { EmailReads } from './use-email.ts';
import type { Response } from './use-response.ts';
import { verdictLine } from './verdict-line.ts';
import { HistoryButtons } from './walk.tsx';

/** Without the tools' answers the service's own word is all there is, and it is said to be that. */
function WithoutTools({ email }: { email: EmailReads }): JSX.Element {
  const { scans, profile } = email;
  const late = useDelayed(scans.loading);
  const word = profile.data?.verdict;
  if (scans.loading) return late ? <Skeleton width={420} tall /> : <span />;
  return (
    <>
      <VerdictChip verdict="unknown" word="Verdict not known" />
      <span className="pp-ellipsis">
        What the tools said could not be loaded.
        {word
          ? ` The service’s own word is “${visibleText(word)}”.`
          : ' This does not mean the email is clean.'}
      </span>
    </>
  );
}

function VerdictRow({ email }: { email: EmailReads }): JSX.Element {
  const { stack, profile, recipients } = email;
  if (stack === null) {
    return (
      <div className="em-verdict">
        <WithoutTools email={email} />
      </div>
    );
  }
  const line = verdictLine(stack, profile.data, recipients.data?.rows);
  const text = line.parts.map((part) => part.text).join('');
  return (
    <div className="em-verdict" data-verdict={line.verdict}>
      <span className="em-nowrap">
        <VerdictChip solid verdict={line.verdict} word={line.word} code={line.code} />
      </span>
      <span className="pp-ellipsis" title={visibleText(text)}>
        {line.parts.map((part) => (
          <span key={part.text} className={part.tone === 'plain' ? undefined : `em-part-${part.tone}`}>
            {visibleText(part.text)}
          </span>
        ))}
      </span>
    </div>
  );
}

/** Subject, age, actions, and the one line that says what the email is. */
export function EmailHead({
  email,
  title,
  tabId,
  response,
  place,
}: {
  email: EmailReads;
  title: string | undefined;
  tabId: string;
  response: Response;
  place: ListPlace | null;
}): JSX.Element {
  const { profile } = email;
  const subject = profile.data ? profile.data.subject || '(no subject)' : (title ?? 'Email');
  return (
    <>
      <PageHeader
        title={visibleText(subject)}
        icon={<Envelope size={16} />}
        freshness={
          <FreshnessMark
            freshness={profile.freshness}
            loading={profile.loading || profile.revalidating}
            error={profile.error}
          />
        }
        filters={<HistoryButtons tabId={tabId} />}
        actions={<EmailActions email={email} response={response} place={place} />}
      />
      <VerdictRow email={email} />
    </>
  );
}
