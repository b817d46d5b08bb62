import { Envelope } from '@blueprintjs/icons';
import type { JSX } from 'react';
import { EntityHead } from '#renderer/entity/entity-head.tsx';
import type { ListPlace } from '#renderer/state/neighbours.ts';
import { EmailActions } from './email-actions.tsx';
import type { EmailReads } from './use-email.ts';
import type { EmailResponse } from './use-response.ts';
import { verdictLine } from './verdict-line.ts';

/** Subject, age, actions, and the one line that says what the email is. */
export function EmailHead(props: {
  email: EmailReads;
  title: string | undefined;
  tabId: string;
  response: EmailResponse;
  place: ListPlace | null;
}): JSX.Element {
  const { email, response, place } = props;
  const { profile, tools, recipients } = email;
  const { data } = profile;
  return (
    <EntityHead
      noun="email"
      tabId={props.tabId}
      of={{ kind: 'email', saas: email.saas, entityId: email.entityId }}
      title={data ? data.subject || '(no subject)' : (props.title ?? 'Email')}
      icon={<Envelope size={16} />}
      profile={profile}
      tools={tools}
      line={tools.stack ? verdictLine(tools.stack, data, recipients.data?.rows) : null}
      word={data?.verdict}
      actions={<EmailActions email={email} response={response} place={place} />}
    />
  );
}
