import { useMemo } from 'react';
import { type Read, useRead } from '#renderer/bridge/use-read.ts';
import { type EntityStack, useEntityStack } from '#renderer/entity/use-entity-stack.ts';
import { type Events, useEvents } from '#renderer/entity/use-events.ts';
import { useConnection } from '#renderer/state/connection.ts';
import { sendRefusal } from '#renderer/state/respond.ts';
import { analyseHeaders, type HeaderAnalysis } from '#shared/mail/analysis.ts';
import { decodeBytes } from '#shared/mail/charsets.ts';
import { type ParsedHeaders, readHeaders } from '#shared/mail/headers.ts';
import { type LookalikeReading, lookalikeReader } from '#shared/model/lookalike.ts';
import { lifecycleOf } from './lifecycle.ts';

/** The reads of an email's profile, each with its own age, error and retry. */
export interface EmailReads {
  saas: string;
  entityId: string;
  profile: Read<'email.profile'>;
  tools: EntityStack;
  recipients: Read<'email.recipients'>;
  attachments: Read<'email.attachments'>;
  conversation: Read<'email.conversation'>;
  splits: Read<'email.splits'>;
  headers: Read<'email.headers'>;
  body: Read<'email.body'>;
  /** Restore fields and the caller's role; if they fail, the plain profile is used (section 8). */
  props: Read<'entity.props'>;
  events: Events;
  clicks: Read<'scan.clicks'>;
  classification: Read<'emails.classification'>;
  /** Requested only for quarantined items. */
  restorable: Read<'entity.quarantine-restorable'>;
  /** Why nothing can be sent on this connection, or null if it can. */
  sendRefusal: string | null;
  /** Null until the headers have loaded. */
  parsed: {
    headers: ParsedHeaders;
    analysis: HeaderAnalysis;
    /** Where each field begins and ends in the raw headers. */
    places: readonly (readonly [start: number, end: number])[];
  } | null;
  /** Marks look-alike characters; knows the recipients' domains. */
  lookalike: (value: string) => LookalikeReading;
  all: readonly Pick<Read<'email.profile'>, 'error' | 'loading' | 'freshness'>[];
  refreshAll: () => void;
}

/**
 * The domains a sender may try to pass for: the recipients' own. What a tool or the mail says about the
 * sender is ignored: otherwise the imitating domain itself would become a known one.
 */
function knownDomains(reads: {
  recipients: Read<'email.recipients'>['data'];
  profile: Read<'email.profile'>['data'];
}): string[] {
  const { profile } = reads;
  const recipientDomains = [...(profile?.to ?? []), ...(reads.recipients?.rows ?? []).slice(0, 50)].map(
    ({ email }) => email.slice(email.lastIndexOf('@') + 1),
  );
  const senders = new Set(
    [profile?.from, profile?.sender, ...(profile?.reply_to ?? [])].map((address) =>
      address ? address.email.slice(address.email.lastIndexOf('@') + 1).toLowerCase() : '',
    ),
  );
  return recipientDomains.filter((domain) => domain !== '' && !senders.has(domain.toLowerCase()));
}

/** Reads every part of one email's profile; each appears as soon as it is loaded. */
export function useEmail(saas: string, entityId: string): EmailReads {
  const { connection, reach } = useConnection();
  const request = useMemo(() => ({ params: { saas }, query: { entity_id: entityId } }), [saas, entityId]);
  const common = useMemo(() => ({ query: { entity_id: entityId } }), [entityId]);
  const profile = useRead('email.profile', request);
  const tools = useEntityStack(entityId);
  const recipients = useRead('email.recipients', request);
  const attachments = useRead('email.attachments', request);
  const headers = useRead('email.headers', common);
  const body = useRead('email.body', common);
  const conversation = useRead('email.conversation', request);
  const splits = useRead('email.splits', request);
  const props = useRead('entity.props', common);
  const events = useEvents(saas, entityId);
  const clicks = useRead('scan.clicks', common);

  const product = connection?.product ?? '';
  const classification = useRead(
    'emails.classification',
    useMemo(
      () => (product ? { params: { product }, body: { entity_ids: [entityId] } } : null),
      [product, entityId],
    ),
  );
  const held = lifecycleOf(profile.data, props)?.held === true;
  const restorable = useRead(
    'entity.quarantine-restorable',
    useMemo(() => (held ? { params: { id: entityId } } : null), [held, entityId]),
  );
  const raw = headers.data?.raw;
  const believed = connection?.authServers;
  const parsed = useMemo(() => {
    if (raw === undefined) return null;
    const places: [start: number, end: number][] = [];
    const headers = readHeaders(raw, decodeBytes, places);
    return { headers, analysis: analyseHeaders(headers.headers, decodeBytes, believed), places };
  }, [raw, believed]);
  const lookalike = useMemo(
    () => lookalikeReader(knownDomains({ profile: profile.data, recipients: recipients.data })),
    [profile.data, recipients.data],
  );
  const all = [
    profile,
    tools.scans,
    tools.exceptions,
    recipients,
    attachments,
    headers,
    body,
    conversation,
    splits,
    props,
    events.first,
    clicks,
    restorable,
  ];
  return {
    saas,
    entityId,
    profile,
    tools,
    recipients,
    attachments,
    conversation,
    splits,
    headers,
    body,
    props,
    events,
    clicks,
    classification,
    restorable,
    sendRefusal: sendRefusal(reach, connection?.kind),
    parsed,
    lookalike,
    all,
    refreshAll: () => {
      for (const read of all) read.refresh();
    },
  };
}
