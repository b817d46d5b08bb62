/** Entities of any type by id, as returned by GET entity/{type}/{id}. */
import { dictionary } from '#shared/dictionary.ts';
import { findEmail } from '../store-sqlite/emails.ts';
import { stateOf } from '../store-sqlite/entity-state.ts';
import { findFile } from '../store-sqlite/files.ts';
import type { Store } from '../store-sqlite/store.ts';
import { profileOf } from './email-profile.ts';
import { fileProfileOf } from './files.ts';
import type { ScanSubject } from './mail-source.ts';
import { emailSubject, fileSubject } from './scan-details.ts';

type Fields = Record<string, unknown> & { entity_id: string };

export interface MessageRow {
  entity_id: string;
  saas: string;
  sent_at: number;
  sender: string;
  channel: string;
  text: string;
  links_count: number;
  verdict: string;
  verdict_code: string | null;
}

const firstRow = <T>(store: Store, sql: string, ...values: (string | number)[]): T | null =>
  store.db.prepare<unknown[], T>(sql).get(...values) ?? null;

export const findMessage = (store: Store, entityId: string): MessageRow | null =>
  firstRow<MessageRow>(store, 'SELECT * FROM messages WHERE entity_id = ?', entityId);

const READERS: Readonly<Record<string, (store: Store, id: string) => Fields | null>> = dictionary({
  email: (store, id) => {
    const row = findEmail(store, id);
    return row && { ...profileOf(store, row, id) };
  },
  file: (store, id) => {
    const row = findFile(store, id);
    return row && { ...fileProfileOf(store, row) };
  },
  message: (store, id) => {
    const row = findMessage(store, id);
    return row && { ...withTimes(row, ['sent_at']), entity_id: row.entity_id };
  },
  user: (store, id) => {
    const row = firstRow<Fields>(
      store,
      'SELECT * FROM users WHERE entity_id = ? OR email = ? LIMIT 1',
      id,
      id,
    );
    return row && userFields(store, row);
  },
  group: (store, id) => {
    const row = firstRow<Fields>(store, 'SELECT * FROM groups WHERE entity_id = ?', id);
    return row && { ...withTimes(row, ['created_at', 'last_used_at']), is_public: row['is_public'] === 1 };
  },
  click: (store, id) => {
    const number = clickNumber(id);
    const row =
      number === null
        ? null
        : firstRow<Fields>(
            store,
            `SELECT k.*, e.saas, e.entity_id AS email_id, e.subject FROM clicks k JOIN emails e ON e.id = k.email_id
             WHERE k.id = ?`,
            number,
          );
    if (!row) return null;
    const { clicked_at, ...fields } = withTimes(row, ['clicked_at']);
    return { ...fields, entity_id: id, click_time: clicked_at, blocked: row['blocked'] === 1 };
  },
});

/** A click has no id of its own and is identified by its position (`click` in query/others.ts). */
export const CLICK_PREFIX = 'click-';
const clickNumber = (entityId: string): number | null =>
  /^click-\d{1,15}$/.test(entityId) ? Number(entityId.slice(CLICK_PREFIX.length)) : null;

/** Null if there is no such entity, or an unknown type. */
export function entityOf(store: Store, type: string, entityId: string): Fields | null {
  const read = READERS[type];
  const fields = read?.(store, entityId) ?? null;
  if (!fields) return null;
  return {
    entity_type: type,
    ...fields,
    entity_identifier: stateOf(store, fields.entity_id).identifier ?? null,
  };
}

/** The type and own id of the entity with this id; a delivered copy resolves to its email. */
export function typeOf(store: Store, entityId: string): { type: string; id: string } | null {
  for (const type of ['email', 'file', 'message', 'user', 'group']) {
    const entity = READERS[type]?.(store, entityId);
    if (entity) return { type, id: entity.entity_id };
  }
  return null;
}

/** The subject of a scan, or null if no scannable entity has this id. */
export function scanSubjectOf(store: Store, entityId: string): ScanSubject | null {
  const email = findEmail(store, entityId);
  if (email) return emailSubject(store, email);
  const file = findFile(store, entityId);
  if (file) return fileSubject(store, file);
  const message = findMessage(store, entityId);
  return message && messageSubject(store, message);
}

const messageSubject = (store: Store, row: MessageRow): ScanSubject => ({
  entityId: row.entity_id,
  scans: store.source.tenant?.messageScans(row) ?? [],
  since: row.sent_at,
  from: row.sender,
  domain: row.sender.slice(row.sender.indexOf('@') + 1),
  files: () => [],
  links: row.links_count,
});

/** A row with its instants in wire format, without its row number. */
function withTimes(row: object, columns: readonly string[]): Fields {
  const { id: _id, ...fields } = row as Fields & { id?: number };
  const times = columns.map((column) => {
    const value: unknown = fields[column];
    return [column, typeof value === 'number' ? new Date(value).toISOString() : null];
  });
  return { ...fields, ...Object.fromEntries(times) };
}

/** Flags in wire format, and fields that only the tenant knows. */
function userFields(store: Store, row: Fields): Fields {
  const isAdmin = row['is_admin'] === 1;
  return {
    ...withTimes(row, ['created_at', 'last_login_at']),
    is_admin: isAdmin,
    mfa: row['mfa'] === 1,
    ...store.source.tenant?.userFields({ entity_id: row.entity_id, isAdmin }),
  };
}
