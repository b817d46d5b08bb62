/** Finds the email or file for a pasted Message-ID or entity id, through the service or its cached data. */

import { readOnce } from '#renderer/bridge/use-read.ts';
import { currentConnection } from '#renderer/state/connection.ts';
import { domainConfig, emailConfig } from '#renderer/state/domain-config.ts';
import { conditionFor } from '#renderer/state/entity-actions.ts';
import { rowsPayload } from '#renderer/state/rows-payload.ts';
import { EVERY_SAAS } from '#shared/api/catalogue/queries.ts';
import type { Bridge } from '#shared/bridge/bridge.ts';
import { refang } from '#shared/model/defang.ts';
import type { QueryConfig, Row } from '#shared/model/entities.ts';
import { entityCondition, entityTest } from '#shared/query/entity-condition.ts';
import type { Condition, ConditionGroup } from '#shared/query/tree.ts';

export interface Found {
  kind: 'email' | 'file';
  saas: string;
  entityId: string;
  title: string;
  verdict: string | null;
  code: string | null;
  /** The sender, or the owner. */
  from: string | null;
}

/** What the palette shows of an email or a file, and what opening it needs. */
const COLUMNS = ['subject', 'title', 'from_email', 'owner', 'verdict', 'verdict_code', 'saas'];

const IN_BRACKETS = /^<([^<>\s]{3,990})>$/;
const BARE = /^[^<>\s]{3,990}$/;
const HEADER = /^message-id:\s*/i;

/** The Message-ID in a pasted text, with its angle brackets, or null if it is none. */
export function asMessageId(text: string): string | null {
  const value = text.trim().replace(HEADER, '');
  if (IN_BRACKETS.test(value)) return value;
  return HEADER.test(text.trim()) && BARE.test(value) ? `<${value}>` : null;
}

/** Whether a text may be a Message-ID without brackets, as some tools copy it; email addresses qualify, too. */
export const mayBeMessageId = (text: string): string | null => {
  const value = text.trim();
  const index = value.indexOf('@');
  return BARE.test(value) && index > 0 && !value.includes('://') && index < value.length - 1
    ? `<${value}>`
    : null;
};

const HEADER_LINE = /^([a-z][\w-]{1,75}):\s+(\S.*)$/is;
/** Marks of replies and forwards, whose subjects look like headers. */
const REPLY = /^(?:re|fwd?|aw|wg|sv|vs|tr|rv|vl|antw|enc|odp|ynt|rif|res)$/i;

/** A pasted header line in the form `X-Mailer: Foxmail`, or null if it is none. */
export function asHeaderLine(text: string): { name: string; value: string } | null {
  const [, name = '', value = ''] = HEADER_LINE.exec(text.trim()) ?? [];
  return name === '' || REPLY.test(name) ? null : { name, value: value.replace(/\s+/g, ' ') };
}

/** Strips what logs and links add around a value: `mailto:`, the brackets of an IPv6 address, a port. */
export function bareValue(text: string): string {
  const value = refang(text.trim()).replace(/^mailto:([^?]*).*$/is, '$1');
  const inBrackets = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(value)?.[1];
  return inBrackets ?? value.replace(/^([^:/\s]+):\d{1,5}$/, '$1');
}

/** Whether a text may be an entity id: one long word with digits, without dots, slashes or an @. */
export const mayBeEntityId = (text: string): string | null => {
  const value = text.trim();
  return /^[\w-]{16,200}$/.test(value) && /\d/.test(value) ? value : null;
};

const textOf = (row: Row, ...keys: string[]): string | null => {
  for (const key of keys) {
    const value = row[key];
    if (typeof value === 'string' && value !== '') return value;
  }
  return null;
};

/** Turns a row of emails or files into something to open, or null if it has no id or no app. */
export function foundOf(kind: Found['kind'], row: Row): Found | null {
  const entityId = textOf(row, 'entity_id', 'id');
  // A service whose rows do not name their app finds the entity in all of them.
  const saas = textOf(row, 'saas', 'saas_id') ?? EVERY_SAAS;
  if (entityId === null) return null;
  return {
    kind,
    saas,
    entityId,
    title: textOf(row, 'subject', 'title') ?? (kind === 'email' ? '(no subject)' : '(no name)'),
    verdict: textOf(row, 'verdict'),
    code: textOf(row, 'verdict_code'),
    from: textOf(row, 'from_email', 'sender_email', 'from', 'owner'),
  };
}

/** At most five entities that match a condition. */
async function find(
  bridge: Bridge,
  kind: Found['kind'],
  config: QueryConfig,
  condition: Condition | ConditionGroup,
  signal: AbortSignal,
): Promise<Found[]> {
  const connection = currentConnection();
  if (!connection) return [];
  const columns = COLUMNS.filter((name) => config.fields.some(({ id }) => id === name));
  const body = rowsPayload(kind, { operator: 'and', conditions: [condition] }, 5, columns);
  const { data } = await readOnce(bridge, connection.id, 'query.execute', { body }, { signal });
  return data.rows.flatMap((row) => foundOf(kind, row) ?? []);
}

/** The emails with this Message-ID. Services store it with or without its brackets: both are tried. */
export async function findByMessageId(
  bridge: Bridge,
  messageId: string,
  signal: AbortSignal,
): Promise<Found[]> {
  const config = await emailConfig();
  for (const value of [messageId, messageId.slice(1, -1)]) {
    const condition = conditionFor(config, { kind: 'message-id', value });
    if (!condition) throw new Error('This service can’t search by Message-ID.');
    const result = await find(bridge, 'email', config, condition, signal);
    if (result.length > 0) return result;
  }
  return [];
}

export async function findByEntityId(bridge: Bridge, id: string, signal: AbortSignal): Promise<Found[]> {
  for (const kind of ['email', 'file'] as const) {
    const config = await domainConfig(kind);
    const test = entityTest(config);
    if (test === null) continue;
    const result = await find(bridge, kind, config, entityCondition(test, [id]), signal);
    if (result.length > 0) return result;
  }
  return [];
}
