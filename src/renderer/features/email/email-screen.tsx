import { type JSX, useEffect } from 'react';
import { DebugLinksPanel } from '#renderer/entity/debug-links-panel.tsx';
import { EntityParts } from '#renderer/entity/entity-parts.tsx';
import { EventsPanel } from '#renderer/entity/events-panel.tsx';
import { FindingsPanel } from '#renderer/entity/findings-panel.tsx';
import {
  recordHints,
  usePrefetch,
  useRecordNavigation,
  useRecordStatus,
} from '#renderer/entity/record-navigation.tsx';
import { StackTable } from '#renderer/entity/stack-table.tsx';
import { usePolling } from '#renderer/entity/use-polling.ts';
import type { ScreenProps } from '#renderer/state/tab-context.ts';
import { setTabPart, setTabTitle, useTabPart } from '#renderer/state/tabs.ts';
import { visibleText } from '#shared/model/format.ts';
import { AnalysisPanel } from './analysis-panel.tsx';
import { AttachmentsPanel } from './attachments-panel.tsx';
import { BodyPanel } from './body-panel.tsx';
import { ClicksPanel } from './clicks-panel.tsx';
import './email.css';
import { EmailHead } from './email-head.tsx';
import { LinksPanel } from './links-panel.tsx';
import { MessageProfile } from './message-profile.tsx';
import { Overview } from './overview.tsx';
import { RawHeadersPanel } from './raw-headers-panel.tsx';
import { RecipientsPanel } from './recipients-panel.tsx';
import { EmailResponseDialog } from './response-preview.tsx';
import { EMAIL_TABS, type EmailTab, tabInfos } from './tabs.ts';
import { ThreadPanel } from './thread-panel.tsx';
import { type EmailReads, useEmail } from './use-email.ts';
import { useResponse } from './use-response.ts';

const HINTS = recordHints([
  { keys: 'A', text: 'act' },
  { keys: 'S', text: 'similar' },
  { keys: 'C', text: 'copy IOCs' },
]);

function Part({
  tab,
  email,
  go,
  onIdentify,
}: {
  tab: EmailTab;
  email: EmailReads;
  go: (tab: EmailTab) => void;
  onIdentify: (() => void) | null;
}): JSX.Element {
  const own = email.entityId;
  switch (tab) {
    case 'overview':
      return <Overview email={email} go={go} onIdentify={onIdentify} />;
    case 'stack':
      return <StackTable source={email.tools} noun="email" full className="en-fill" />;
    case 'recipients':
      return <RecipientsPanel email={email} full />;
    case 'attachments':
      return <AttachmentsPanel email={email} full />;
    case 'links':
      return (
        <div className="em-links">
          <LinksPanel email={email} />
          <ClicksPanel email={email} />
        </div>
      );
    case 'headers':
      return (
        <div className="em-headers">
          <AnalysisPanel email={email} full />
          <RawHeadersPanel email={email} />
        </div>
      );
    case 'body':
      return <BodyPanel email={email} full />;
    case 'conversation':
      return (
        <ThreadPanel
          title="Conversation"
          read={email.conversation}
          saas={email.saas}
          own={own}
          emptyTitle="No conversation"
          emptyReason="The service counts 0 other emails in the thread of this one."
        />
      );
    case 'findings':
      return <FindingsPanel entityId={own} noun="email" />;
    case 'debug':
      return <DebugLinksPanel entityId={own} noun="email" />;
    case 'splits':
      return (
        <ThreadPanel
          title="Split emails"
          read={email.splits}
          saas={email.saas}
          own={own}
          {...(email.splits.data?.recorded === false
            ? {
                notRecorded: true,
                emptyTitle: 'Splits are not recorded',
                emptyReason: 'A mail file does not tell whether a service split the email.',
              }
            : {
                emptyTitle: 'Not split',
                emptyReason: 'The service counts 0 copies that it split this email into.',
              })}
        />
      );
    case 'events':
      return <EventsPanel events={email.events} noun="email" />;
  }
}

/** The profile of one email; every part loads, ages and fails by itself. */
function EmailProfileScreen({ route, tabId }: ScreenProps<'email'>): JSX.Element {
  const email = useEmail(route.saas, route.entityId);
  const tab = useTabPart(tabId, EMAIL_TABS);
  const go = (next: EmailTab) => setTabPart(tabId, next);
  const subject = email.profile.data?.subject;
  useEffect(() => {
    if (subject !== undefined) setTabTitle(tabId, visibleText(subject).slice(0, 120) || '(no subject)');
  }, [subject, tabId]);
  const response = useResponse(email);
  const place = useRecordNavigation(tabId, 'email');
  usePrefetch(place, email.profile.data !== undefined && email.body.freshness !== null);
  useRecordStatus(place, 'email', HINTS);
  usePolling({
    stack: email.tools.stack,
    pending: response.lifecycle?.pending ?? [],
    requested: response.lifecycle?.state === 'requested',
    online: email.sendRefusal === null,
    reads: [email.tools.scans, email.props, email.events.first, email.profile, email.recipients],
  });
  const identify = response.refusal('identify') === null ? () => response.start('identify') : null;
  return (
    <>
      <EmailHead email={email} title={route.title} tabId={tabId} response={response} place={place} />
      <EntityParts noun="email" tabId={tabId} parts={tabInfos(email)} part={tab}>
        {/* Nothing of the email before stays, least of all the consent to load its pictures. */}
        <Part key={route.entityId} tab={tab} email={email} go={go} onIdentify={identify} />
      </EntityParts>
      <EmailResponseDialog email={email} sending={response} />
    </>
  );
}

/** An email, or a chat message, which has a body and little else. */
export default function EmailScreen(props: ScreenProps<'email'>): JSX.Element {
  if (props.route.entityType === 'message') return <MessageProfile {...props} />;
  return <EmailProfileScreen {...props} />;
}
