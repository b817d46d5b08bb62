import { Envelope } from '@blueprintjs/icons';
import { type JSX, useMemo, useState } from 'react';
import { EMAIL, EMAIL_SIMILAR, hint, RESPONSE } from '#renderer/commands/keys.ts';
import { DebugLinksPanel } from '#renderer/entity/debug-links-panel.tsx';
import { EntityHead } from '#renderer/entity/entity-head.tsx';
import { EntityParts } from '#renderer/entity/entity-parts.tsx';
import { EventsPanel } from '#renderer/entity/events-panel.tsx';
import { FactsPanel } from '#renderer/entity/facts-panel.tsx';
import { FindingsPanel } from '#renderer/entity/findings-panel.tsx';
import { listCount, wholeRows } from '#renderer/entity/list-state.ts';
import { PermissionsPanel } from '#renderer/entity/permissions-panel.tsx';
import { recordHints, useRecord } from '#renderer/entity/record-navigation.tsx';
import { SharedProblem } from '#renderer/entity/shared-problem.tsx';
import { StackTable } from '#renderer/entity/stack-table.tsx';
import { EntityTimeline } from '#renderer/entity/timeline-panel.tsx';
import { usePolling } from '#renderer/entity/use-polling.ts';
import { useKnownRow } from '#renderer/state/known-rows.ts';
import type { ListPlace } from '#renderer/state/neighbours.ts';
import type { ScreenProps } from '#renderer/state/tab-context.ts';
import { setTabPart, useTabPart } from '#renderer/state/tabs.ts';
import { useClock } from '#renderer/ui/clock-context.ts';
import type { TabInfo } from '#renderer/ui/tabs-strip.tsx';
import type { EmailFinding } from '#shared/model/entities.ts';
import { AnalysisPanel } from './analysis-panel.tsx';
import { AttachmentsPanel } from './attachments-panel.tsx';
import { BodyPanel } from './body-panel.tsx';
import { ClicksPanel } from './clicks-panel.tsx';
import { EmailActions } from './email-actions.tsx';
import { emailFacts, knownFacts } from './facts.tsx';
import { TAB_LABELS } from './labels.ts';
import { lifecycleOf } from './lifecycle.ts';
import { LinksPanel } from './links-panel.tsx';
import { MessageProfile } from './message-profile.tsx';
import { OwnChecksPanel } from './own-checks-panel.tsx';
import { PlaceBar } from './place-bar.tsx';
import { profileTimeline } from './profile-timeline.ts';
import { RawHeadersPanel } from './raw-headers-panel.tsx';
import { type Located, located, partOf } from './reasons.ts';
import { ChecksPanel, type OpenReason, ReasonsPanel } from './reasons-panel.tsx';
import { RecipientsPanel } from './recipients-panel.tsx';
import { type EmailResponse, EmailResponseDialog, useResponse } from './response.tsx';
import { openRuleFrom } from './rule-from.ts';
import { ThreadPanel } from './thread-panel.tsx';
import { type EmailReads, useEmail } from './use-email.ts';
import { verdictLine } from './verdict-line.ts';
import { hasMessage } from './whole-message.tsx';
import './email.css';

const EMAIL_TABS = [
  'overview',
  'stack',
  'recipients',
  'attachments',
  'links',
  'headers',
  'body',
  'conversation',
  'splits',
  'events',
  'findings',
  'debug',
] as const;
export type EmailTab = (typeof EMAIL_TABS)[number];
/** The parts used most often get a key; 1 to 6 are taken by similar emails. */
const TAB_KEYS: Readonly<Partial<Record<EmailTab, string>>> = {
  overview: 'O',
  stack: 'T',
  recipients: 'P',
  links: 'L',
  headers: 'H',
  body: 'B',
  events: 'E',
};

/** The tabs with the counts that are known; an unknown count is omitted, never shown as zero. */
function tabInfos(email: EmailReads): TabInfo<EmailTab>[] {
  const counts: Partial<Record<EmailTab, TabInfo<EmailTab>['count']>> = {
    stack: email.tools.stack?.rows.length,
    recipients: listCount(email.recipients.data),
    attachments: listCount(email.attachments.data),
    links: email.profile.data?.links?.length,
    conversation: listCount(email.conversation.data),
    splits: email.splits.data?.recorded === false ? undefined : listCount(email.splits.data),
    events: email.events.isAtLeast ? null : email.events.total,
  };
  return EMAIL_TABS.map((id) => ({ id, label: TAB_LABELS[id], count: counts[id], shortcut: TAB_KEYS[id] }));
}

/** The reasons of a mail of evidence, and the one that was followed to its place. */
interface Reasons {
  open: OpenReason;
  last: EmailFinding | null;
  /** The reason whose place the part shows, or null if the part was opened otherwise. */
  shown: EmailFinding | null;
  leave: () => void;
}

function useReasons(entityId: string, tab: EmailTab, go: (tab: EmailTab) => void): Reasons {
  const [followed, setFollowed] = useState<{
    entityId: string;
    finding: EmailFinding;
    from: EmailTab;
    to: EmailTab;
  } | null>(null);
  const current = followed?.entityId === entityId ? followed : null;
  return {
    open: (finding) => {
      const to = partOf(finding);
      if (to === null) return;
      setFollowed({ entityId, finding, from: tab, to });
      go(to);
    },
    last: current?.finding ?? null,
    shown: current?.to === tab ? current.finding : null,
    leave: () => go(current?.from ?? 'overview'),
  };
}

function Overview(props: PartProps): JSX.Element {
  const { email, go, onIdentify, reasons } = props;
  const { profile, parsed, tools } = email;
  const { data } = profile;
  const onRecipients = () => go('recipients');
  return (
    <div className="en-overview">
      <FactsPanel
        read={profile}
        noun="email"
        known={knownFacts(useKnownRow(email.entityId), useClock())}
        factsOf={(facts, times) =>
          emailFacts(facts, { ...times, email, lookalike: email.lookalike, onRecipients, onIdentify })
        }
      />
      <div className="en-middle">
        {hasMessage(email) ? (
          <ReasonsPanel email={email} last={reasons.last} onOpen={reasons.open} />
        ) : (
          <>
            <StackTable source={tools} noun="email" />
            <OwnChecksPanel email={email} last={reasons.last} onOpen={reasons.open} />
          </>
        )}
        <AnalysisPanel email={email} onRaw={() => go('headers')} />
        <AttachmentsPanel email={email} />
        <RecipientsPanel email={email} onAll={onRecipients} />
      </div>
      <div className="em-right">
        <EntityTimeline
          events={email.events}
          pending={lifecycleOf(data, email.props)?.pending ?? []}
          fallback={() =>
            data ? profileTimeline(data, tools.stack, parsed?.analysis.hops.at(-1)?.by ?? null) : null
          }
          first="oldest"
          noun="email"
          onAll={() => go('events')}
        />
        <BodyPanel email={email} sought={props.sought} />
      </div>
    </div>
  );
}

function EmailHead(props: {
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
      line={tools.stack ? verdictLine(tools.stack, data, wholeRows(recipients.data)) : null}
      word={data?.verdict}
      known={useKnownRow(email.entityId)}
      actions={<EmailActions email={email} response={response} place={place} />}
    />
  );
}

const HINTS = recordHints([
  hint('act', RESPONSE.act),
  hint('similar', EMAIL_SIMILAR.any),
  hint('copy IOCs', EMAIL.copy),
]);

interface PartProps {
  tab: EmailTab;
  email: EmailReads;
  go: (tab: EmailTab) => void;
  /** Opens the dialog for the identifier, or null if it cannot be set. */
  onIdentify: (() => void) | null;
  sought: readonly string[] | undefined;
  reasons: Reasons;
}

function Part(props: PartProps): JSX.Element {
  const { email, reasons } = props;
  const { shown, leave } = reasons;
  const place = useMemo(() => (shown === null ? undefined : located(email, shown)), [email, shown]);
  if (shown === null || place === undefined) return <PartContent {...props} />;
  return (
    <div className="em-placed">
      <PlaceBar
        finding={shown}
        place={place}
        onLeave={leave}
        onRule={shown.weight < 0 ? null : () => openRuleFrom(shown, email)}
      />
      <div className="em-placed-part">
        <PartContent {...props} place={place} />
      </div>
    </div>
  );
}

const NOT_SPLIT = { title: 'Not split', reason: 'The service reports no split copies.' };
const SPLITS_NOT_RECORDED = {
  title: 'Splits not recorded',
  reason: 'A mail file does not record whether the email was split.',
};

function PartContent(props: PartProps & { place?: Located }): JSX.Element {
  const { tab, email, sought, reasons, place } = props;
  const { entityId } = email;
  const isRecorded = email.splits.data?.recorded !== false;
  switch (tab) {
    case 'overview':
      return <Overview {...props} />;
    case 'stack':
      return hasMessage(email) ? (
        <ChecksPanel email={email} last={reasons.last} onOpen={reasons.open} />
      ) : (
        <StackTable source={email.tools} noun="email" full className="en-fill" />
      );
    case 'recipients':
      return (
        <div className="em-copies">
          <RecipientsPanel email={email} full />
          <PermissionsPanel of={{ type: 'email', saas: email.saas, entityId: email.entityId }} full />
        </div>
      );
    case 'attachments':
      return <AttachmentsPanel email={email} full place={place} />;
    case 'links':
      return (
        <div className="em-links">
          <LinksPanel email={email} place={place} />
          <ClicksPanel email={email} />
        </div>
      );
    case 'headers':
      return (
        <div className="em-headers">
          <AnalysisPanel email={email} full />
          <RawHeadersPanel email={email} place={place} />
        </div>
      );
    case 'body':
      return <BodyPanel email={email} full sought={sought} place={place} />;
    case 'conversation':
      return (
        <ThreadPanel
          title="Conversation"
          read={email.conversation}
          email={email}
          empty={{ title: 'No conversation', reason: 'The service reports no other emails in this thread.' }}
        />
      );
    case 'findings':
      return <FindingsPanel entityId={entityId} noun="email" />;
    case 'debug':
      return <DebugLinksPanel entityId={entityId} noun="email" />;
    case 'splits':
      return (
        <ThreadPanel
          title="Split emails"
          read={email.splits}
          email={email}
          isRecorded={isRecorded}
          empty={isRecorded ? NOT_SPLIT : SPLITS_NOT_RECORDED}
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
  const reasons = useReasons(route.entityId, tab, go);
  const response = useResponse(email);
  const { data } = email.profile;
  const isRead = data !== undefined && email.body.freshness !== null;
  const place = useRecord(tabId, 'email', data && (data.subject || '(no subject)'), isRead, HINTS);
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
      <SharedProblem reads={email.all} onRetry={email.refreshAll}>
        <EntityParts
          noun="email"
          tabId={tabId}
          parts={tabInfos(email)}
          part={tab}
          // Each email starts without state, most importantly without consent to load remote images.
          render={(part) => (
            <Part
              key={route.entityId}
              tab={part}
              email={email}
              go={go}
              onIdentify={identify}
              sought={place?.source.sought}
              // Parts that are only printed show no place.
              reasons={part === tab ? reasons : { ...reasons, last: null, shown: null }}
            />
          )}
        />
      </SharedProblem>
      <EmailResponseDialog email={email} sending={response} />
    </>
  );
}

/** An email or a chat message, which has little more than a body. */
export default function EmailScreen(props: ScreenProps<'email'>): JSX.Element {
  if (props.route.entityType === 'message') return <MessageProfile {...props} />;
  return <EmailProfileScreen {...props} />;
}
