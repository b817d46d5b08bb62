import { Clipboard, Filter, Globe, People, Person } from '@blueprintjs/icons';
import { type JSX, useMemo } from 'react';
import { type Read, useRead } from '#renderer/bridge/use-read.ts';
import { type Command, CommandButton, useCommands } from '#renderer/commands/command.tsx';
import { hint, PERSON } from '#renderer/commands/keys.ts';
import { EntityParts } from '#renderer/entity/entity-parts.tsx';
import { FactsPanel } from '#renderer/entity/facts-panel.tsx';
import { FindingsPanel } from '#renderer/entity/findings-panel.tsx';
import { OfflinePinMark } from '#renderer/entity/offline-pins.tsx';
import { ageOf, panelState } from '#renderer/entity/panel-state.ts';
import { HistoryButtons, recordHints, useRecord } from '#renderer/entity/record-navigation.tsx';
import { useBranding } from '#renderer/entity/use-entity-stack.ts';
import { useShaped } from '#renderer/entity/use-shaped.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { copyText } from '#renderer/state/entity-actions.ts';
import type { ScreenProps } from '#renderer/state/tab-context.ts';
import { openWith } from '#renderer/state/tab-payload.ts';
import { useTabPart } from '#renderer/state/tabs.ts';
import { FreshnessMark } from '#renderer/ui/freshness-mark.tsx';
import { PageHeader } from '#renderer/ui/page-header.tsx';
import { Panel } from '#renderer/ui/panel.tsx';
import { Skeleton } from '#renderer/ui/skeleton.tsx';
import { defang } from '#shared/model/defang.ts';
import { type GroupProfile, groupProfile, type UserProfile, userProfile } from '#shared/model/entities.ts';
import { deploymentModes } from '#shared/model/flags.ts';
import { visibleText } from '#shared/model/format.ts';
import { saasLabel } from '#shared/model/white-label.ts';
import { LIST_WORDS, SIGN_IN_WORDS, TAB_LABELS } from './labels.ts';
import { ListPanel } from './list-panel.tsx';
import { PersonActMenu } from './person-act.tsx';
import { groupFacts, groupLine, type LinePart, userFacts, userLine } from './person-facts.tsx';
import { SignInsPanel } from './sign-ins-panel.tsx';
import './people.css';

const USER_TABS = ['overview', 'signins', 'received', 'sent', 'clicks', 'files', 'findings'] as const;
const GROUP_TABS = ['overview', 'received', 'findings'] as const;
export type PersonTab = (typeof USER_TABS)[number];

interface PersonReads {
  kind: 'user' | 'group';
  entityId: string;
  read: Read<'entity.get'>;
  user: UserProfile | null;
  group: GroupProfile | null;
  email: string | null;
  saas: string | null;
  appName: (saas: string) => string;
  modes: readonly string[];
}

function usePerson({ entityId, entityType, saas }: ScreenProps<'person'>['route']): PersonReads {
  const kind = entityType ?? 'user';
  const { connection } = useConnection();
  const branding = useBranding();
  const apps = useRead('apps.list', {});
  const answer = useRead(
    'entity.get',
    useMemo(() => ({ params: { type: kind, id: entityId } }), [kind, entityId]),
  );
  const { read, profile } = useShaped(answer, kind === 'user' ? userProfile : groupProfile, kind);
  return {
    kind,
    entityId,
    read,
    user: kind === 'user' ? profile : null,
    group: kind === 'group' ? profile : null,
    email: profile?.email ?? null,
    saas: profile?.saas ?? (saas === 'all' ? null : saas),
    appName: (id) => saasLabel(id, apps.data?.rows ?? [], branding),
    modes: deploymentModes(connection?.flags ?? {}),
  };
}

function Line({ parts }: { parts: readonly LinePart[] }): JSX.Element {
  return (
    <span className="pp-ellipsis" title={parts.map(({ text }) => text).join(' · ')}>
      {parts.map(({ text, tone }, index) => (
        <span key={text}>
          {index > 0 ? <span className="pp-t3"> · </span> : null}
          <span className={tone}>{text}</span>
        </span>
      ))}
    </span>
  );
}

/** A acts, M shows the logins on the map, C copies the address. */
function PersonActions({ person }: { person: PersonReads }): JSX.Element {
  const { kind, email } = person;
  const why = email === null ? 'The address is unknown.' : null;
  const onMap = () => openWith('login-map', { part: 'users', value: email ?? '' });
  const except = () =>
    openWith('exceptions', {
      prefill: { value: { kind: 'email', value: email ?? '', field: 'recipients' }, from: null },
    });
  const copy = () => void copyText(defang(email ?? ''), 'Address copied, defanged');
  const { map } = PERSON;
  const commands: Command[] = [
    ...(kind === 'user'
      ? [{ ...map, label: 'Login map', title: map.text, icon: Globe, why, run: onMap }]
      : []),
    { text: 'Create exception', icon: Filter, why, run: except },
    { ...PERSON.copy, label: 'Copy address', title: 'Copied defanged', icon: Clipboard, why, run: copy },
  ];
  useCommands(commands);
  return (
    <>
      <PersonActMenu person={person} />
      {commands.map((command) => (
        <CommandButton key={command.text} command={command} />
      ))}
    </>
  );
}

function PersonHead(props: { person: PersonReads; tabId: string; title: string; saas: string }): JSX.Element {
  const { person, tabId, title, saas } = props;
  const { kind, read, user, group, entityId } = person;
  const parts = user ? userLine(user) : group ? groupLine(group) : null;
  return (
    <>
      <PageHeader
        title={title}
        longTitle
        icon={kind === 'user' ? <Person size={16} /> : <People size={16} />}
        freshness={<FreshnessMark {...ageOf(read)} />}
        filters={
          <>
            <HistoryButtons tabId={tabId} />
            <OfflinePinMark profile={{ kind, saas, entityId }} />
          </>
        }
        actions={<PersonActions person={person} />}
      />
      <div className="en-verdict">
        {parts ? <Line parts={parts} /> : read.loading ? <Skeleton width={420} tall /> : <span />}
      </div>
    </>
  );
}

function FactsOf({ person }: { person: PersonReads }): JSX.Element {
  const { kind, read, user, group, appName, modes } = person;
  return (
    <FactsPanel
      read={read}
      noun={kind}
      factsOf={(_, times) => {
        const context = { ...times, appName, modes };
        return user ? userFacts(user, context) : group ? groupFacts(group, context) : [];
      }}
    />
  );
}

function SignIns({ person, full }: { person: PersonReads; full?: boolean }): JSX.Element {
  const { email, saas, appName, user, read } = person;
  if (email === null || saas === null)
    return (
      <Panel
        title={SIGN_IN_WORDS.title}
        errorTitle={SIGN_IN_WORDS.failed}
        {...panelState(read)}
        notKnown={LIST_WORDS.notKnown}
        rows={6}
        className="en-fill"
        empty={
          read.data === undefined
            ? null
            : {
                title: SIGN_IN_WORDS.unknown,
                reason: email === null ? LIST_WORDS.noAddress : SIGN_IN_WORDS.noApp,
              }
        }
      />
    );
  return (
    <SignInsPanel
      email={email}
      saas={saas}
      appName={appName(saas)}
      last={user?.last_login_at ?? null}
      {...(full ? { full } : {})}
    />
  );
}

function Overview({ person }: { person: PersonReads }): JSX.Element {
  const { kind, email, entityId, read } = person;
  if (kind === 'group')
    return (
      <div className="en-overview pl-group">
        <FactsOf person={person} />
        <div className="pl-columns">
          <ListPanel kind="received" email={email} profile={read} />
          <FindingsPanel entityId={entityId} noun={kind} />
        </div>
      </div>
    );
  return (
    <div className="en-overview">
      <FactsOf person={person} />
      <SignIns person={person} />
      <div className="pl-columns">
        <ListPanel kind="clicks" email={email} profile={read} />
        <FindingsPanel entityId={entityId} noun={kind} />
      </div>
    </div>
  );
}

function Part({ tab, person }: { tab: PersonTab; person: PersonReads }): JSX.Element {
  switch (tab) {
    case 'overview':
      return <Overview person={person} />;
    case 'signins':
      return <SignIns person={person} full />;
    case 'findings':
      return <FindingsPanel entityId={person.entityId} noun={person.kind} />;
    default:
      return <ListPanel key={tab} kind={tab} email={person.email} profile={person.read} />;
  }
}

const ACT_HINT = hint('act', PERSON.act);
const COPY_HINT = hint('copy address', PERSON.copy);
const HINTS = {
  user: recordHints([ACT_HINT, hint('login map', PERSON.map), COPY_HINT]),
  group: recordHints([ACT_HINT, COPY_HINT]),
};

/** The profile of a user or of a group: every part loads, ages and fails by itself. */
export default function PersonScreen({ route, tabId }: ScreenProps<'person'>): JSX.Element {
  const person = usePerson(route);
  const { kind, read, user, group } = person;
  const tabs = kind === 'user' ? USER_TABS : GROUP_TABS;
  const tab = useTabPart<PersonTab>(tabId, tabs);
  const name = user?.name ?? group?.name ?? person.email;
  const title = visibleText(name ?? route.title ?? (kind === 'user' ? 'User' : 'Group'));
  useRecord(tabId, kind, name, read.data !== undefined, HINTS[kind]);
  return (
    <>
      <PersonHead person={person} tabId={tabId} title={title} saas={route.saas} />
      <EntityParts
        noun={kind}
        tabId={tabId}
        parts={tabs.map((id) => ({ id, label: TAB_LABELS[id] }))}
        part={tab}
        render={(part) => <Part key={route.entityId} tab={part} person={person} />}
      />
    </>
  );
}
