/** Writes records into the store: prepared statements, one transaction for each batch. */
import { foldText } from '#shared/query/text.ts';
import { emailWriter } from './ingest-emails.ts';
import { insertInto, lower } from './insert.ts';
import { outcomeCode } from './logins.ts';
import type {
  AppRecord,
  EmailRecord,
  ExceptionRecord,
  FileRecord,
  GroupRecord,
  LoginRecord,
  MessageRecord,
  UserRecord,
} from './records.ts';
import type { Store } from './store.ts';
import { verdictRank } from './verdicts.ts';

export interface Ingest {
  /** All records in one transaction. Answers the ids of their rows. */
  emails(records: readonly EmailRecord[]): number[];
  users(records: readonly UserRecord[]): void;
  groups(records: readonly GroupRecord[]): void;
  files(records: readonly FileRecord[]): void;
  messages(records: readonly MessageRecord[]): void;
  apps(records: readonly AppRecord[]): void;
  logins(records: readonly LoginRecord[]): void;
  exceptions(records: readonly ExceptionRecord[]): void;
}

/** `evidence`: tools that say nothing did not run; in a tenant they do not apply. */
export function ingestInto(store: Store, { evidence = false } = {}): Ingest {
  const one = emailWriter(store, evidence);
  const inOne = <T>(run: (record: T) => unknown) => {
    const all = store.db.transaction((records: readonly T[]) => {
      for (const record of records) run(record);
    });
    return (records: readonly T[]): void => all(records);
  };
  const user = insertInto(store, 'users', [
    'entity_id',
    'saas',
    'name',
    'email',
    'department',
    'title',
    'country',
    'is_admin',
    'mfa',
    'state',
    'created_at',
    'last_login_at',
    'risk',
    'manager',
    'failed_logins',
    'last_ip',
    'mailbox_size',
    'roles',
  ]);
  const group = insertInto(store, 'groups', [
    'entity_id',
    'saas',
    'name',
    'email',
    'members',
    'external_members',
    'owner',
    'is_public',
    'created_at',
    'kind',
    'description',
    'last_used_at',
  ]);
  const file = insertInto(store, 'files', [
    'entity_id',
    'saas',
    'title',
    'path',
    'mime_type',
    'size',
    'md5',
    'sha1',
    'sha256',
    'owner',
    'department',
    'created_at',
    'modified_at',
    'verdict',
    'verdict_rank',
    'verdict_code',
    'is_quarantined',
    'is_vault',
    'is_deleted',
    'is_shared_externally',
    'is_shared_publicly',
    'extension',
    'label',
    'downloads',
  ]);
  const message = insertInto(store, 'messages', [
    'entity_id',
    'saas',
    'sent_at',
    'sender',
    'channel',
    'text',
    'links_count',
    'verdict',
    'verdict_rank',
    'verdict_code',
    'state',
    'is_external',
    'replies',
    'host',
  ]);
  const app = insertInto(store, 'apps', ['name', 'position', 'body']);
  const login = insertInto(store, 'logins', [
    'saas',
    'failed',
    'at',
    'user',
    'ip',
    'lat',
    'lon',
    'country',
    'city',
    'count',
    'file_id',
  ]);
  const exception = insertInto(store, 'exceptions', [
    'exception_id',
    'tool',
    'list',
    'type',
    'string',
    'string_folded',
    'payload',
    'comment',
    'is_exclusive',
    'created_by',
    'created_at',
  ]);
  const emails = store.db.transaction((records: readonly EmailRecord[]) => records.map(one));
  return {
    emails: (records) => emails(records),
    users: inOne<UserRecord>((it) =>
      user(
        it.entityId,
        it.saas,
        it.name,
        it.email,
        it.department,
        it.title,
        it.country,
        it.isAdmin ? 1 : 0,
        it.mfa ? 1 : 0,
        it.state,
        it.createdAt,
        it.lastLoginAt,
        it.risk,
        it.manager,
        it.failedLogins,
        it.lastIp,
        it.mailboxSize,
        `|${it.roles.join('|')}|`,
      ),
    ),
    groups: inOne<GroupRecord>((it) =>
      group(
        it.entityId,
        it.saas,
        it.name,
        it.email,
        it.members,
        it.externalMembers,
        it.owner,
        it.isPublic ? 1 : 0,
        it.createdAt,
        it.kind,
        it.description,
        it.lastUsedAt,
      ),
    ),
    files: inOne<FileRecord>((it) =>
      file(
        it.entityId,
        it.saas,
        it.title,
        it.path,
        it.mimeType,
        it.size,
        it.md5,
        it.sha1,
        it.sha256,
        it.owner,
        it.department,
        it.createdAt,
        it.modifiedAt,
        it.verdict,
        verdictRank(it.verdict),
        it.verdictCode,
        it.isQuarantined ? 1 : 0,
        it.isVault ? 1 : 0,
        it.isDeleted ? 1 : 0,
        it.isSharedExternally ? 1 : 0,
        it.isSharedPublicly ? 1 : 0,
        it.extension,
        it.label,
        it.downloads,
      ),
    ),
    messages: inOne<MessageRecord>((it) =>
      message(
        it.entityId,
        it.saas,
        it.sentAt,
        it.sender,
        it.channel,
        it.text,
        it.linksCount,
        it.verdict,
        verdictRank(it.verdict),
        it.verdictCode,
        it.state,
        it.isExternal ? 1 : 0,
        it.replies,
        lower(it.host),
      ),
    ),
    apps: inOne<AppRecord>((it) => app(it.name, it.app_store_order ?? 0, JSON.stringify(it))),
    logins: inOne<LoginRecord>((it) =>
      login(
        it.saas,
        outcomeCode(it.failed),
        it.at,
        it.user,
        it.ip,
        it.lat,
        it.lon,
        it.country,
        it.city,
        it.count,
        it.fileId ?? null,
      ),
    ),
    exceptions: inOne<ExceptionRecord>((it) =>
      exception(
        it.id,
        it.tool,
        it.list,
        it.type,
        it.string,
        foldText(it.string),
        it.payload === null ? null : JSON.stringify(it.payload),
        it.comment,
        it.isExclusive ? 1 : 0,
        it.createdBy,
        it.createdAt,
      ),
    ),
  };
}
