/** Facts and summary lines of users and groups. */
import { extraFacts } from '#renderer/entity/extra-facts.ts';
import {
  countFact,
  entityFact,
  type FactTimes,
  flagFact,
  identifierFact,
  idFact,
  sizeFact,
  textFact,
  timeFact,
  withNote,
} from '#renderer/entity/fact-parts.tsx';
import type { Fact } from '#renderer/ui/facts.tsx';
import { type GroupProfile, groupProfile, type UserProfile, userProfile } from '#shared/model/entities.ts';
import { exact, plural, visibleText } from '#shared/model/format.ts';
import { GROUP_KINDS, STATE_LABELS } from './labels.ts';

export interface PersonContext extends FactTimes {
  appName: (saas: string) => string;
  /** Names of connection modes that hide fields (section 6). */
  modes: readonly string[];
}

/** "3 of 5 completed"; a field hidden by the connection's mode names the reason. */
function training({ security_training: record }: UserProfile, modes: readonly string[]): Fact {
  const label = 'Security training';
  if (modes.length > 0)
    return { label, value: <span className="pp-unknown">Not shown in {modes.join(' and ')}</span> };
  if (!record) return { label, value: null };
  const { assigned, completed, phishing_test_failed: failed } = record;
  const progress =
    typeof assigned === 'number' && typeof completed === 'number'
      ? `${exact(completed)} of ${exact(assigned)} completed`
      : null;
  const note =
    failed === null || failed === undefined
      ? undefined
      : failed
        ? 'failed the last phishing test'
        : 'passed the last phishing test';
  return withNote(
    label,
    progress === null ? null : (
      <span className={completed !== assigned || failed ? 'pp-caution' : undefined}>{progress}</span>
    ),
    note,
  );
}

function roles({ roles: held }: UserProfile): Fact {
  if (!held) return { label: 'Roles', value: null };
  return {
    label: 'Roles',
    value:
      held.length === 0 ? (
        <span className="pp-t2">None</span>
      ) : (
        held.map(({ role_id, role_name }) => (
          <span key={String(role_id)} className="en-line" title={`Role ID ${role_id}`}>
            {visibleText(role_name)}
          </span>
        ))
      ),
  };
}

export function userFacts(user: UserProfile, context: PersonContext): Fact[] {
  const { appName, modes } = context;
  return [
    textFact('Name', user.name),
    entityFact('Email', 'email', user.email, 'recipients'),
    textFact('Title', user.title),
    textFact('Department', user.department),
    entityFact('Manager', 'email', user.manager, 'recipients'),
    textFact('Country', user.country),
    textFact('App', user.saas && appName(user.saas)),
    textFact('State', user.state, STATE_LABELS),
    roles(user),
    flagFact('Administrator', user.is_admin),
    flagFact('Second factor', user.mfa, '', 'pp-caution'),
    timeFact('Last login', user.last_login_at, context),
    entityFact('Last IP', 'ip', user.last_ip, 'client_ip'),
    withNote(
      'Failed logins',
      typeof user.failed_logins === 'number' ? exact(user.failed_logins) : null,
      'in 30 days',
    ),
    {
      label: 'Risk',
      value:
        typeof user.risk === 'number' ? (
          <span className={riskTone(user.risk)}>{riskWords(user.risk)}</span>
        ) : null,
    },
    training(user, modes),
    sizeFact(user.mailbox_size, 'Mailbox'),
    timeFact('Created', user.created_at, context),
    identifierFact(user.entity_identifier, null),
    idFact(user.entity_id),
    ...extraFacts(user, userProfile.shape, context.clock),
  ];
}

export function groupFacts(group: GroupProfile, context: PersonContext): Fact[] {
  return [
    textFact('Name', group.name),
    entityFact('Email', 'email', group.email, 'recipients'),
    textFact('Kind', group.kind, GROUP_KINDS),
    textFact('Description', group.description),
    textFact('App', group.saas && context.appName(group.saas)),
    countFact('Members', group.members),
    {
      label: 'External members',
      value:
        typeof group.external_members === 'number' ? (
          <span className={group.external_members > 0 ? 'pp-caution' : undefined}>
            {exact(group.external_members)}
          </span>
        ) : null,
    },
    entityFact('Owner', 'email', group.owner, 'recipients'),
    flagFact('Public', group.is_public, 'pp-caution'),
    timeFact('Created', group.created_at, context),
    timeFact('Last used', group.last_used_at, context),
    identifierFact(group.entity_identifier, null),
    idFact(group.entity_id),
    ...extraFacts(group, groupProfile.shape, context.clock),
  ];
}

const HIGH_RISK = 60;
const RAISED_RISK = 30;
const riskTone = (risk: number): LinePart['tone'] =>
  risk >= HIGH_RISK ? 'pp-danger' : risk >= RAISED_RISK ? 'pp-caution' : undefined;
const riskWords = (risk: number): string => `${exact(risk)} of 100`;

export interface LinePart {
  text: string;
  tone?: 'pp-caution' | 'pp-danger' | undefined;
}

/** The summary line with the most important facts; unknown facts are omitted. */
export function userLine(user: UserProfile): LinePart[] {
  const partOf = (part: string | null | undefined): LinePart[] => (part ? [{ text: visibleText(part) }] : []);
  return [
    ...partOf(STATE_LABELS[user.state ?? ''] ?? user.state),
    ...(user.is_admin
      ? [
          user.mfa === false
            ? { text: 'administrator without a second factor', tone: 'pp-danger' as const }
            : { text: 'administrator' },
        ]
      : user.mfa === false
        ? [{ text: 'no second factor', tone: 'pp-caution' as const }]
        : []),
    ...(typeof user.risk === 'number'
      ? [{ text: `risk ${riskWords(user.risk)}`, tone: riskTone(user.risk) }]
      : []),
    ...(typeof user.failed_logins === 'number' && user.failed_logins > 0
      ? [{ text: `${plural(user.failed_logins, 'failed login')} in 30 days` }]
      : []),
    ...partOf([user.title, user.department].filter(Boolean).join(', ')),
  ];
}

export function groupLine(group: GroupProfile): LinePart[] {
  const outside = group.external_members ?? 0;
  return [
    { text: GROUP_KINDS[group.kind ?? ''] ?? visibleText(group.kind ?? 'Group') },
    ...(typeof group.members === 'number' ? [{ text: plural(group.members, 'member') }] : []),
    ...(outside > 0 ? [{ text: `${exact(outside)} external`, tone: 'pp-caution' as const }] : []),
    ...(group.is_public ? [{ text: 'anyone can join', tone: 'pp-caution' as const }] : []),
  ];
}
