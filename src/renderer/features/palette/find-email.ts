/** From a pasted Message-ID to the email, through the service or what is saved of it. */

import { readOnce } from '#renderer/bridge/use-read.ts';
import { currentConnection } from '#renderer/state/connection.ts';
import { conditionFor, emailConfig } from '#renderer/state/entity-actions.ts';
import type { ExecutePayload } from '#shared/api/catalogue/queries.ts';
import type { Bridge } from '#shared/bridge/bridge.ts';
import type { Row } from '#shared/model/entities.ts';

export interface FoundEmail {
  saas: string;
  entityId: string;
  subject: string;
  verdict: string | null;
  code: string | null;
  from: string | null;
}

/** What the palette shows of an email, and what opening it needs. */
const COLUMNS = ['subject', 'from_email', 'verdict', 'verdict_code', 'saas'];

const IN_BRACKETS = /^<([^<>\s]{3,990})>$/;
const HEADER = /^message-id:\s*/i;

/** The Message-ID that a pasted text is, in its angle brackets; null when it is none. */
export function asMessageId(text: string): string | null {
  const value = text.trim().replace(HEADER, '');
  if (IN_BRACKETS.test(value)) return value;
  return HEADER.test(text.trim()) && /^[^<>\s]{3,990}$/.test(value) ? `<${value}>` : null;
}

const textOf = (row: Row, ...keys: string[]): string | null => {
  for (const key of keys) {
    const value = row[key];
    if (typeof value === 'string' && value !== '') return value;
  }
  return null;
};

function emailOf(row: Row): FoundEmail | null {
  const entityId = textOf(row, 'entity_id', 'id');
  const saas = textOf(row, 'saas', 'saas_id');
  if (entityId === null || saas === null) return null;
  return {
    saas,
    entityId,
    subject: textOf(row, 'subject', 'title') ?? '(no subject)',
    verdict: textOf(row, 'verdict'),
    code: textOf(row, 'verdict_code'),
    from: textOf(row, 'from_email', 'sender_email', 'from'),
  };
}

/** The emails with this Message-ID, at most five. Services store it with or without its brackets: both are tried. */
export async function findByMessageId(
  bridge: Bridge,
  messageId: string,
  signal: AbortSignal,
): Promise<FoundEmail[]> {
  const connection = currentConnection();
  if (!connection) return [];
  const config = await emailConfig();
  const known = new Set(config.fields.map(({ id }) => id));
  const columns = COLUMNS.filter((id) => known.has(id));
  for (const value of [messageId, messageId.slice(1, -1)]) {
    const condition = conditionFor(config, { kind: 'message-id', value });
    if (!condition) throw new Error('This service can’t search by Message-ID.');
    const body: ExecutePayload = {
      query_domain: 'email',
      saas_id: 'all',
      query_entity_type: 'email',
      condition: { operator: 'and', conditions: [condition] },
      columns,
      sort_by: [],
      size: 5,
      include_copies: false,
      count_only: false,
    };
    const { data } = await readOnce(bridge, connection.id, 'query.execute', { body }, { signal });
    const found = data.rows.map(emailOf).filter((email) => email !== null);
    if (found.length > 0) return found;
  }
  return [];
}
