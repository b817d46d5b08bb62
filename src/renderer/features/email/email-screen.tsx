import { type JSX, useEffect, useState } from 'react';
import { type ScreenProps, useTabStatus } from '#renderer/state/tab-context.ts';
import { setTabTitle } from '#renderer/state/tabs.ts';
import type { Hint } from '#renderer/ui/kbd.tsx';
import { TabsStrip } from '#renderer/ui/tabs-strip.tsx';
import { visibleText } from '#shared/model/format.ts';
import { AnalysisPanel } from './analysis-panel.tsx';
import { AttachmentsPanel } from './attachments-panel.tsx';
import { BodyPanel } from './body-panel.tsx';
import './email.css';
import { EmailHead } from './email-head.tsx';
import { LinksPanel } from './links-panel.tsx';
import { Overview } from './overview.tsx';
import { RawHeadersPanel } from './raw-headers-panel.tsx';
import { RecipientsPanel } from './recipients-panel.tsx';
import { StackPanel } from './stack-panel.tsx';
import { type EmailTab, tabInfos } from './tabs.ts';
import { ThreadPanel } from './thread-panel.tsx';
import { type EmailReads, useEmail } from './use-email.ts';

const HINTS: readonly Hint[] = [{ keys: 'C', text: 'copy IOCs' }];
/** The part of each profile that was open last, for screens that are built again. */
const lastTab = new Map<string, EmailTab>();

function Part({
  tab,
  email,
  go,
}: {
  tab: EmailTab;
  email: EmailReads;
  go: (tab: EmailTab) => void;
}): JSX.Element {
  const own = email.entityId;
  switch (tab) {
    case 'overview':
      return <Overview email={email} go={go} />;
    case 'stack':
      return <StackPanel email={email} full />;
    case 'recipients':
      return <RecipientsPanel email={email} full />;
    case 'attachments':
      return <AttachmentsPanel email={email} full />;
    case 'links':
      return <LinksPanel email={email} />;
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
  }
}

/** The profile of one email; every part loads, ages and fails by itself. */
export default function EmailScreen({ route, tabId }: ScreenProps<'email'>): JSX.Element {
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
  useTabStatus({ hints: HINTS });
  const prefix = `email-${tabId}`;
  return (
    <>
      <EmailHead email={email} title={route.title} />
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
        <Part tab={tab} email={email} go={go} />
      </div>
    </>
  );
}
