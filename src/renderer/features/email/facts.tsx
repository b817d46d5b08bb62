import type { ComponentProps, JSX } from 'react';
import { AddressValue } from '#renderer/entity/address-value.tsx';
import { dateDoubt } from '#renderer/entity/date-doubt.ts';
import { extraFacts } from '#renderer/entity/extra-facts.ts';
import {
  entityFact,
  type FactTimes,
  flagFact,
  identifierFact,
  idFact,
  plannedFacts,
  quarantineFact,
  roleFact,
  sizeFact,
  stamp,
  textFact,
  timeFact,
  withNote,
} from '#renderer/entity/fact-parts.tsx';
import type { KnownRow } from '#renderer/state/known-rows.ts';
import { EntityValue } from '#renderer/ui/entity-value.tsx';
import type { Fact } from '#renderer/ui/facts.tsx';
import { GlyphSuspicious } from '#renderer/ui/glyphs.tsx';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import { VerdictChip } from '#renderer/ui/verdict-chip.tsx';
import { readMailDate } from '#shared/mail/dates.ts';
import { aligned } from '#shared/mail/domains.ts';
import { firstHeader } from '#shared/mail/headers.ts';
import { type ClockSetting, profileTime, toInstant } from '#shared/model/clock.ts';
import { type EmailProfile, emailProfile, type Mailbox } from '#shared/model/entities.ts';
import { RECIPIENT_FIELDS, RECIPIENT_KIND_LABELS, RECIPIENT_KINDS } from '#shared/model/enums.ts';
import { exact, plural, visibleText } from '#shared/model/format.ts';
import { fieldLabel, placeLabel } from '#shared/model/labels.ts';
import { linkReplacementLabel } from '#shared/model/link-replacement.ts';
import type { LookalikeReading } from '#shared/model/lookalike.ts';
import { RESTORE_LABELS } from '#shared/model/restore.ts';
import { attachedFacts, evidenceFacts } from './evidence-facts.tsx';
import { DIRECTION_LABELS, ENCRYPTION_LABELS } from './labels.ts';
import { type Lifecycle, lifecycleOf } from './lifecycle.ts';
import type { EmailReads } from './use-email.ts';

/** Name above, address below. */
function MailboxValue(
  props: Omit<ComponentProps<typeof AddressValue>, 'address'> & { mailbox: Mailbox },
): JSX.Element {
  const { mailbox, ...rest } = props;
  return (
    <span className="em-mailbox">
      {mailbox.name ? <span>{visibleText(mailbox.name)}</span> : null}
      {mailbox.email ? (
        <AddressValue address={mailbox.email} {...rest} />
      ) : (
        <span className="pp-unknown">No address</span>
      )}
    </span>
  );
}

interface FactsContext extends FactTimes {
  lookalike: (value: string) => LookalikeReading;
  onRecipients: () => void;
  /** Null if it cannot be set. */
  onIdentify: (() => void) | null;
  email: EmailReads;
}

const none = <span className="pp-t2">None</span>;
const domainOf = (email: string) => email.slice(email.lastIndexOf('@') + 1).toLowerCase();

function Differs({ children }: { children: string }): JSX.Element {
  return (
    <span className="em-differs">
      <GlyphSuspicious />
      {children}
    </span>
  );
}

/** Whether two addresses belong to different organisations; same organisation is a quieter difference. */
function difference(from: Mailbox | null, other: string): 'none' | 'address' | 'domain' {
  if (from === null || other.toLowerCase() === from.email.toLowerCase()) return 'none';
  return aligned(domainOf(other), domainOf(from.email)) ? 'address' : 'domain';
}

const subjectFact = (subject: string): Fact => ({
  label: 'Subject',
  value:
    subject === '' ? none : <EntityValue plain entity={{ kind: 'text', value: subject, field: 'subject' }} />,
});

/** Addresses of Reply-To that are listed; the rest are counted. */
const REPLIES = 5;

function replyTo(profile: EmailProfile, context: FactsContext): Fact {
  const list = profile.reply_to;
  if (list === null || list === undefined) return { label: 'Reply-To', value: null };
  if (list.length === 0) return { label: 'Reply-To', value: none };
  const isOther = ({ email }: Mailbox) => difference(profile.from, email) === 'domain';
  // Addresses at other organisations come first, so that harmless ones cannot push them out of the list.
  const [others, same] = [list.filter(isOther), list.filter((mailbox) => !isOther(mailbox))];
  const more = list.length - REPLIES;
  return {
    label: 'Reply-To',
    value: (
      <>
        {[...others, ...same].slice(0, REPLIES).map((mailbox) => (
          <MailboxValue key={mailbox.email} mailbox={mailbox} lookalike={context.lookalike} />
        ))}
        {more > 0 ? <span className="pp-t3">and {exact(more)} more</span> : null}
        {others.length > 0 ? <Differs>differs from From</Differs> : null}
      </>
    ),
  };
}

function returnPath(profile: EmailProfile, context: FactsContext): Fact {
  const value = profile.return_path;
  if (!value) return { label: 'Return-Path', value: null };
  const other = difference(profile.from, value) === 'domain';
  return {
    label: 'Return-Path',
    value: <AddressValue address={value} lookalike={context.lookalike} />,
    ...(other ? { note: 'different domain from From' } : {}),
  };
}

function doubted(
  fact: Fact,
  value: string | null | undefined,
  received: string | null | undefined,
  { now }: FactTimes,
): Fact {
  const time = toInstant(value);
  const doubt = time === null ? null : dateDoubt(time, toInstant(received), now);
  if (doubt === null) return fact;
  const marked = (
    <>
      {fact.value} <Differs>{doubt}</Differs>
    </>
  );
  return { ...fact, value: marked };
}

/** The Date header: its text when it is not a date, and a note when it has no time zone. */
function sent(profile: EmailProfile, context: FactsContext): Fact {
  const header = context.email.parsed ? firstHeader(context.email.parsed.headers.headers, 'Date') : undefined;
  const read = header ? readMailDate(header.value) : null;
  if (!profile.sent && header && header.value.trim() !== '' && read === null)
    return {
      label: 'Sent',
      value: <Differs>{`Unreadable: “${visibleText(header.value.slice(0, 100))}”`}</Differs>,
    };
  const fact = timeFact('Sent', profile.sent, context, false);
  const notes = [
    ...(read?.isGuessed ? [`read from “${visibleText(header?.value.slice(0, 100) ?? '')}”`] : []),
    ...(read?.zone === 'missing' ? ['no time zone; read as UTC'] : []),
  ];
  return doubted(
    notes.length > 0 ? { ...fact, note: notes.join('; ') } : fact,
    profile.sent,
    profile.received,
    context,
  );
}

/** A mail of evidence without a usable Received header is listed under the date that its sender wrote. */
function received(profile: EmailProfile, context: FactsContext): Fact {
  const fact = timeFact('Received', profile.received, context);
  const headers = context.email.parsed?.headers.headers;
  const isSendersDate =
    profile.provenance &&
    headers !== undefined &&
    firstHeader(headers, 'Received') === undefined &&
    Boolean(profile.received) &&
    toInstant(profile.received) === toInstant(profile.sent);
  return doubted(
    isSendersDate ? { ...fact, note: 'from the Date header, as no server recorded it' } : fact,
    profile.received,
    null,
    context,
  );
}

/** Number of addresses a row lists; the rest are counted. */
const NAMED = 2;

function people(label: string, list: Mailbox[] | null, context: FactsContext): Fact {
  if (list === null) return { label, value: null };
  if (list.length === 0) return { label, value: none };
  const named = list.length <= NAMED ? list : list.slice(0, 1);
  const others = list.length - named.length;
  return {
    label,
    value: (
      <>
        {named.map(({ email }) => (
          <span key={email} className="en-line">
            <AddressValue address={email} lookalike={context.lookalike} field="recipients" />
          </span>
        ))}
        {others > 0 ? (
          <LinkButton onClick={context.onRecipients}>{plural(others, 'other')}</LinkButton>
        ) : null}
      </>
    ),
  };
}

/** Failed restore fields fall back to the plain profile (section 8), with a note. */
function restore(lifecycle: Lifecycle, email: EmailReads, clock: ClockSetting): Fact {
  const plain = email.props.error === null ? null : 'from the profile: the restore service did not answer';
  const { restore: request, decline, state, conflict } = lifecycle;
  if (!request && !decline) return withNote('Restore', null, plain ?? undefined);
  const restored =
    state === 'restored' && request
      ? stamp(
          { time: request.restored_time ?? request.time, by: request.restored_by ?? null, reason: null },
          clock,
        )
      : undefined;
  const notes = [
    state === 'declined' ? stamp(decline, clock) : undefined,
    restored,
    request?.requested ? `requested ${stamp(request, clock) ?? ''}`.trim() : undefined,
    conflict ? 'also marked as restored' : undefined,
    plain,
  ].filter(Boolean);
  const value = state === null ? 'Not requested' : RESTORE_LABELS[state];
  return withNote(
    'Restore',
    <span data-restore={state ?? 'none'} className={state === 'requested' ? 'pp-caution' : undefined}>
      {value}
    </span>,
    notes.length > 0 ? notes.join('; ') : undefined,
  );
}

/** The anti-phishing tool's classification, by emails_classification. */
function classification(email: EmailReads): Fact {
  const { data, error, loading } = email.classification;
  const word = data?.rows.find(({ entity_id }) => entity_id === email.entityId)?.classification;
  if (word) return { label: 'Classified', value: visibleText(fieldLabel(word)) };
  return {
    label: 'Classified',
    value: loading ? (
      <span className="pp-t3">Loading</span>
    ) : error ? (
      <span className="pp-unknown">Unknown</span>
    ) : null,
  };
}

/** People who reported a mail and are named; the rest are counted. */
const REPORTERS = 3;

function reported({ report_phishing_info: info }: EmailProfile, clock: ClockSetting): Fact {
  if (!info) return { label: 'Reported', value: null };
  if (!info.reported) return { label: 'Reported', value: 'No' };
  const by = info.by ?? [];
  // A service may name fewer people than it counts, or count fewer than it names.
  const count = info.count == null && !info.by ? null : Math.max(info.count ?? 0, by.length);
  const named = by.slice(0, REPORTERS);
  const others = (count ?? 0) - named.length;
  const who =
    named.length > 0 && others > 0 ? `${named.join(', ')} and ${exact(others)} more` : named.join(', ');
  return withNote(
    'Reported',
    count === null ? 'Yes' : `By ${plural(count, 'user')}`,
    stamp({ time: info.time, by: who || undefined, reason: info.comment }, clock),
  );
}

/**
 * The facts that the list had, while the profile is loading, or null if it was not opened from a list. What the list has
 * no column for is left out: only the profile can say that something is not recorded.
 */
export function knownFacts(row: KnownRow | null, clock: ClockSetting): Fact[] | null {
  if (row === null) return null;
  const facts: Fact[] = [
    {
      label: 'From',
      value: row.from ? (
        <>
          {row.fromName ? <span className="en-line">{visibleText(row.fromName)}</span> : null}
          <AddressValue address={row.from} field="from_email" />
        </>
      ) : null,
    },
    { label: 'To', value: row.to ? <AddressValue address={row.to} field="recipients" /> : null },
    { label: 'Received', value: row.received ? profileTime(row.received, clock) : null },
    {
      label: 'Verdict',
      value: row.verdict ? <VerdictChip verdict={row.verdict} code={row.code} /> : null,
      note: `As listed in “${visibleText(row.list)}”`,
    },
  ];
  return facts.filter(({ value }) => value !== null);
}

const PERMISSIONS = ['act', 'answer-requests', 'raw-mail', 'rescan', 'identify', 'download'] as const;

/** The facts of an email in the order of the profile; extra fields of the service follow under their own names. */
export function emailFacts(profile: EmailProfile, context: FactsContext): Fact[] {
  const { clock, email } = context;
  const { from, sender } = profile;
  const lifecycle = lifecycleOf(profile, email.props);
  const facts: Fact[] = [
    {
      label: 'From',
      value: from ? <MailboxValue mailbox={from} lookalike={context.lookalike} field="from_email" /> : null,
    },
  ];
  if (sender && difference(from, sender.email) !== 'none') {
    facts.push({ label: 'Sender', value: <MailboxValue mailbox={sender} lookalike={context.lookalike} /> });
  }
  facts.push(
    replyTo(profile, context),
    returnPath(profile, context),
    ...RECIPIENT_KINDS.flatMap((kind) => {
      const list = profile[RECIPIENT_FIELDS[kind]] ?? null;
      // Mail that names its recipients needs no further ones.
      if (kind === 'delivered' && !list?.length) return [];
      return people(RECIPIENT_KIND_LABELS[kind], list, context);
    }),
    received(profile, context),
    sent(profile, context),
    // The title above shows one line, and the rest only on hover. Listed after people and times, because a very long
    // subject would push them out of view.
    subjectFact(profile.subject),
    ...(profile.provenance ? attachedFacts(profile.provenance, profile.saas ?? email.saas) : []),
    textFact('Folder', profile.folder && placeLabel(profile.folder)),
    ...(lifecycle
      ? [
          quarantineFact(lifecycle.quarantine, email.restorable.data, clock),
          restore(lifecycle, email, clock),
          ...plannedFacts(lifecycle.pending, clock),
        ]
      : []),
    reported(profile, clock),
    // A tool's word, and no tool has seen a mail of evidence.
    ...(profile.provenance ? [] : [classification(email)]),
    textFact('Encrypted', profile.encryption_status, ENCRYPTION_LABELS),
    textFact('Direction', profile.direction, DIRECTION_LABELS),
    sizeFact(profile.size),
    entityFact('Client IP', 'ip', profile.client_ip, 'client_ip'),
    textFact(
      'Language',
      profile.language && profile.provenance ? `${profile.language}, by its words` : profile.language,
    ),
    entityFact('Message-ID', 'message-id', profile.message_id, 'message_id'),
    textFact('Links', profile.link_replacement && linkReplacementLabel(profile.link_replacement)),
    textFact('Workflow', profile.workflow),
    flagFact('Deleted', profile.is_deleted),
    identifierFact(profile.entity_identifier, context.onIdentify),
    textFact('App', profile.saas && email.tools.appName(profile.saas)),
    idFact(profile.entity_id),
    ...(profile.provenance ? evidenceFacts(profile.provenance, context) : []),
    ...roleFact(email.props.data, PERMISSIONS),
    ...extraFacts(profile, emailProfile.shape, clock),
  );
  return facts;
}
