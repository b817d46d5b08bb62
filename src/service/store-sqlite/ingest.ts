/** Writes records into the store: prepared statements, one transaction per batch. */
import { verdictRank } from '#shared/model/verdict.ts';
import { foldText } from '#shared/query/text.ts';
import type {
  AppRecord,
  EmailRecord,
  ExceptionRecord,
  FileRecord,
  GroupRecord,
  LoginRecord,
  MessageRecord,
  UserRecord,
} from '../store/records.ts';
import { lower, type Row } from '../store/stored-values.ts';
import { writeEmails } from './ingest-emails.ts';
import { insertInto } from './insert.ts';
import { outcomeCode } from './logins.ts';
import type { SqliteStore } from './sqlite-store.ts';

const userRow = (it: UserRecord): Row => ({
  entity_id: it.entityId,
  saas: it.saas,
  name: it.name,
  email: it.email,
  department: it.department,
  title: it.title,
  country: it.country,
  is_admin: it.isAdmin ? 1 : 0,
  mfa: it.mfa ? 1 : 0,
  state: it.state,
  created_at: it.createdAt,
  last_login_at: it.lastLoginAt,
  risk: it.risk,
  manager: it.manager,
  failed_logins: it.failedLogins,
  last_ip: it.lastIp,
  mailbox_size: it.mailboxSize,
  roles: `|${it.roles.join('|')}|`,
});

const groupRow = (it: GroupRecord): Row => ({
  entity_id: it.entityId,
  saas: it.saas,
  name: it.name,
  email: it.email,
  members: it.members,
  external_members: it.externalMembers,
  owner: it.owner,
  is_public: it.isPublic ? 1 : 0,
  created_at: it.createdAt,
  kind: it.kind,
  description: it.description,
  last_used_at: it.lastUsedAt,
});

const fileRow = (it: FileRecord): Row => ({
  entity_id: it.entityId,
  saas: it.saas,
  title: it.title,
  path: it.path,
  mime_type: it.mimeType,
  size: it.size,
  md5: it.md5,
  sha1: it.sha1,
  sha256: it.sha256,
  owner: it.owner,
  department: it.department,
  created_at: it.createdAt,
  modified_at: it.modifiedAt,
  verdict: it.verdict,
  verdict_rank: verdictRank(it.verdict),
  verdict_code: it.verdictCode,
  is_quarantined: it.isQuarantined ? 1 : 0,
  is_vault: it.isVault ? 1 : 0,
  is_deleted: it.isDeleted ? 1 : 0,
  is_shared_externally: it.isSharedExternally ? 1 : 0,
  is_shared_publicly: it.isSharedPublicly ? 1 : 0,
  extension: it.extension,
  label: it.label,
  downloads: it.downloads,
});

const messageRow = (it: MessageRecord): Row => ({
  entity_id: it.entityId,
  saas: it.saas,
  sent_at: it.sentAt,
  sender: it.sender,
  channel: it.channel,
  text: it.text,
  links_count: it.linksCount,
  verdict: it.verdict,
  verdict_rank: verdictRank(it.verdict),
  verdict_code: it.verdictCode,
  state: it.state,
  is_external: it.isExternal ? 1 : 0,
  replies: it.replies,
  host: lower(it.host),
});

const appRow = (it: AppRecord): Row => ({
  name: it.name,
  position: it.app_store_order ?? 0,
  body: JSON.stringify(it),
});

const loginRow = (it: LoginRecord): Row => ({
  saas: it.saas,
  failed: outcomeCode(it.failed),
  at: it.at,
  user: it.user,
  ip: it.ip,
  lat: it.lat,
  lon: it.lon,
  country: it.country,
  city: it.city,
  count: it.count,
});

const exceptionRow = (it: ExceptionRecord): Row => ({
  exception_id: it.id,
  tool: it.tool,
  list: it.list,
  type: it.type,
  string: it.string,
  string_folded: foldText(it.string),
  payload: it.payload === null ? null : JSON.stringify(it.payload),
  comment: it.comment,
  is_exclusive: it.isExclusive ? 1 : 0,
  created_by: it.createdBy,
  created_at: it.createdAt,
});

export type Ingest = ReturnType<typeof ingestInto>;

/** Each writes its records in one transaction; that of emails returns their row ids. */
export function ingestInto(store: SqliteStore) {
  const writer = <T>(table: string, rowOf: (record: T) => Row) => {
    const insert = insertInto(store, table);
    const all = store.db.transaction((records: readonly T[]) => {
      for (const record of records) insert(rowOf(record));
    });
    return (records: readonly T[]): void => all(records);
  };
  return {
    emails: (records: readonly EmailRecord[]) => writeEmails(store, records, false),
    users: writer('users', userRow),
    groups: writer('groups', groupRow),
    files: writer('files', fileRow),
    messages: writer('messages', messageRow),
    apps: writer('apps', appRow),
    logins: writer('logins', loginRow),
    exceptions: writer('exceptions', exceptionRow),
  };
}
