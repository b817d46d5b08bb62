/** Entities of any type by id, as returned by GET entity/{type}/{id}. */
import { dictionary } from '#shared/dictionary.ts';
import { profileOf } from './email-profile.ts';
import { fileProfileOf } from './files.ts';
import type { ScanSubject } from './mail-source.ts';
import { emailSubject, fileSubject } from './scan-details.ts';
import type { EntityRow, Message, Store } from './store.ts';

const READERS: Readonly<Record<string, (store: Store, id: string) => Promise<EntityRow | null>>> = dictionary(
  {
    email: async (store, id) => {
      const row = await store.mails.find(id);
      return row && { ...(await profileOf(store, row, id)) };
    },
    file: async (store, id) => {
      const row = await store.files.find(id);
      return row && { ...(await fileProfileOf(store, row)) };
    },
    message: async (store, id) => {
      const row = await store.entities.message(id);
      return row && { ...withTimes(row, ['sent_at']), entity_id: row.entity_id };
    },
    user: async (store, id) => {
      const row = await store.people.user(id);
      return row && userFields(store, row);
    },
    group: async (store, id) => {
      const row = await store.people.group(id);
      return row && { ...withTimes(row, ['created_at', 'last_used_at']), is_public: row['is_public'] === 1 };
    },
    click: async (store, id) => {
      const number = clickNumber(id);
      const row = number === null ? null : await store.mails.click(number);
      if (!row) return null;
      const { clicked_at, ...fields } = withTimes(row, ['clicked_at']);
      return { ...fields, entity_id: id, click_time: clicked_at, blocked: row['blocked'] === 1 };
    },
  },
);

/** A click has no id of its own and is identified by its position (`click` in query/others.ts). */
export const CLICK_PREFIX = 'click-';
const clickNumber = (entityId: string): number | null =>
  /^click-\d{1,15}$/.test(entityId) ? Number(entityId.slice(CLICK_PREFIX.length)) : null;

/** Null if there is no such entity, or an unknown type. */
export async function entityOf(store: Store, type: string, entityId: string): Promise<EntityRow | null> {
  const fields = (await READERS[type]?.(store, entityId)) ?? null;
  if (!fields) return null;
  return {
    entity_type: type,
    ...fields,
    entity_identifier: (await store.entities.state(fields.entity_id)).identifier ?? null,
  };
}

/** The subject of a scan, or null if no scannable entity has this id. */
export async function scanSubjectOf(store: Store, entityId: string): Promise<ScanSubject | null> {
  const email = await store.mails.find(entityId);
  if (email) return emailSubject(store, email);
  const file = await store.files.find(entityId);
  if (file) return fileSubject(store, file);
  const message = await store.entities.message(entityId);
  return message && messageSubject(store, message);
}

const messageSubject = (store: Store, row: Message): ScanSubject => ({
  entityId: row.entity_id,
  scans: store.source.tenant?.messageScans(row) ?? [],
  since: row.sent_at,
  from: row.sender,
  domain: row.sender.slice(row.sender.indexOf('@') + 1),
  files: [],
  links: row.links_count,
});

/** A row with its instants in wire format, without its row number. */
function withTimes(row: object, columns: readonly string[]): EntityRow {
  const { id: _id, ...fields } = row as EntityRow & { id?: number };
  const times = columns.map((column) => {
    const value: unknown = fields[column];
    return [column, typeof value === 'number' ? new Date(value).toISOString() : null];
  });
  return { ...fields, ...Object.fromEntries(times) };
}

/** Flags in wire format, and fields that only the tenant knows. */
function userFields(store: Store, row: EntityRow): EntityRow {
  const isAdmin = row['is_admin'] === 1;
  return {
    ...withTimes(row, ['created_at', 'last_login_at']),
    is_admin: isAdmin,
    mfa: row['mfa'] === 1,
    ...store.source.tenant?.userFields({ entity_id: row.entity_id, isAdmin }),
  };
}
