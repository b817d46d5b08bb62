import { type JSX, useEffect, useState } from 'react';
import { DebugLinksPanel } from '#renderer/entity/debug-links-panel.tsx';
import { FindingsPanel } from '#renderer/entity/findings-panel.tsx';
import { StackTable } from '#renderer/entity/stack-table.tsx';
import { useEntityStack } from '#renderer/entity/use-entity-stack.ts';
import { type ScreenProps, useTabStatus } from '#renderer/state/tab-context.ts';
import { setTabTitle } from '#renderer/state/tabs.ts';
import type { Hint } from '#renderer/ui/kbd.tsx';
import { TabsStrip } from '#renderer/ui/tabs-strip.tsx';
import { exact, visibleText } from '#shared/model/format.ts';
import { AnalysisPanel } from './analysis-panel.tsx';
import { AttachmentsPanel } from './attachments-panel.tsx';
import { BodyPanel } from './body-panel.tsx';
import { ClicksPanel } from './clicks-panel.tsx';
import './email.css';
import { EmailHead } from './email-head.tsx';
import { EventsPanel } from './events-panel.tsx';
import { LinksPanel } from './links-panel.tsx';
import { MessageProfile } from './message-profile.tsx';
import { Overview } from './overview.tsx';
import { RawHeadersPanel } from './raw-headers-panel.tsx';
import { RecipientsPanel } from './recipients-panel.tsx';
import { EmailResponseDialog } from './response-preview.tsx';
import { type EmailTab, tabInfos } from './tabs.ts';
import { ThreadPanel } from './thread-panel.tsx';
import { type EmailReads, useEmail } from './use-email.ts';
import { useResponse } from './use-response.ts';
import { useSettling } from './use-settling.ts';
import { KeepingBar, usePrefetch, useWalk } from './walk.tsx';

const HINTS: readonly Hint[] = [
  { keys: 'A', text: 'act' },
  { keys: 'S', text: 'similar' },
  { keys: 'C', text: 'copy IOCs' },
];
const LIST_HINTS: readonly Hint[] = [{ keys: 'J K', text: 'next, before' }, ...HINTS];
/** The part of each profile that was open last, for screens that are built again. */
const lastTab = new Map<string, EmailTab>();

/** With exceptions that hold, reasons by category and times; scan details are the ones of the profile, read once. */
function FullStack({ entityId }: { entityId: string }): JSX.Element {
  return <StackTable source={useEntityStack(entityId)} noun="email" full className="em-fill" />;
}

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
      return <FullStack entityId={own} />;
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
          emptyTitle="Not split"
          emptyReason="The service counts 0 copies that it split this email into."
        />
      );
    case 'events':
      return <EventsPanel email={email} />;
  }
}

/** The profile of one email; every part loads, ages and fails by itself. */
function EmailProfileScreen({ route, tabId }: ScreenProps<'email'>): JSX.Element {
  const email = useEmail(route.saas, route.entityId);
  const [tab, setTab] = useState<EmailTab>(lastTab.get(tabId) ?? 'overview');
  const go = (next: EmailTab) => {
    lastTab.set(tabId, next);
    setTab(next);
  };
  const subject = email.profile.data?.subject;
  useEffect(() => {
    if (subject !== undefined) setTabTitle(tabId, visibleText(subject).slice(0, 120) || '(no subject)');
  }, [subject, tabId]);
  const response = useResponse(email);
  const place = useWalk(tabId);
  usePrefetch(place, email.profile.data !== undefined && email.body.freshness !== null);
  useSettling(email);
  const identify = response.refusal('identify') === null ? () => response.start('identify') : null;
  useTabStatus({
    hints: place === null ? HINTS : LIST_HINTS,
    ...(place === null
      ? {}
      : {
          message: `Email ${exact(place.index + 1)} of ${exact(place.source.count)} from “${place.source.label}”`,
        }),
  });
  const prefix = `email-${tabId}`;
  return (
    <>
      <EmailHead email={email} title={route.title} tabId={tabId} response={response} place={place} />
      <KeepingBar />
      <TabsStrip
        label="Parts of the email"
        tabs={tabInfos(email)}
        selected={tab}
        onSelect={go}
        idPrefix={prefix}
      />
      <div
        className="em-part"
        role="tabpanel"
        id={`${prefix}-panel-${tab}`}
        aria-labelledby={`${prefix}-tab-${tab}`}
      >
        {/* Nothing of the email before stays, least of all the consent to load its pictures. */}
        <Part key={route.entityId} tab={tab} email={email} go={go} onIdentify={identify} />
      </div>
      <EmailResponseDialog email={email} response={response} />
    </>
  );
}

/** An email, or a chat message, which has a body and little else. */
export default function EmailScreen(props: ScreenProps<'email'>): JSX.Element {
  const { entityType, entityId, title } = props.route;
  if (entityType === 'message') return <MessageProfile entityId={entityId} {...(title ? { title } : {})} />;
  return <EmailProfileScreen {...props} />;
}
