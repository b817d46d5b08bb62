/** Writes records into the store: prepared statements, one transaction for each batch. */
import { gzipSync } from 'node:zlib';
import { foldText, wordsOf } from '#shared/query/text.ts';
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
import type { SqlValue, Store } from './store.ts';
import { storedVerdict, verdictRank } from './verdicts.ts';

const flag = (value: boolean | null | undefined): number | null => (value == null ? null : value ? 1 : 0);
const lower = (value: string | null | undefined): string | null => (value == null ? null : foldText(value));
const packed = (text: string | null): Uint8Array | null =>
  text === null ? null : gzipSync(Buffer.from(text, 'utf8'), { level: 1 });

function insertInto(store: Store, table: string, columns: readonly string[]) {
  const marks = columns.map(() => '?').join(', ');
  const statement = store.db.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks})`);
  return (...values: SqlValue[]): number => Number(statement.run(...values).lastInsertRowid);
}

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
  const email = insertInto(store, 'emails', [
    'entity_id',
    'saas',
    'received_at',
    'sent_at',
    'subject',
    'subject_folded',
    'subject_words',
    'from_email',
    'from_name',
    'from_domain',
    'to_email',
    'message_id',
    'thread_id',
    'direction',
    'state',
    'department',
    'size',
    'client_ip',
    'language',
    'is_read',
    'recipients_count',
    'clicks',
    'attachments_count',
    'links_count',
    'verdict',
    'verdict_rank',
    'verdict_code',
    'stack',
    'scans',
    'quarantined',
    'user_reported',
    'restore_state',
    'spf',
    'dkim',
    'dmarc',
    'link_replacement',
    'file_id',
    'detail',
  ]);
  const recipient = insertInto(store, 'recipients', [
    'email_id',
    'position',
    'kind',
    'email',
    'name',
    'state',
    'is_read',
    'clicks',
    'department',
  ]);
  const attachment = insertInto(store, 'attachments', [
    'email_id',
    'position',
    'name',
    'mime_type',
    'size',
    'md5',
    'sha1',
    'sha256',
    'is_inline',
    'verdict_code',
    'matches',
  ]);
  const link = insertInto(store, 'links', ['email_id', 'url', 'host', 'text', 'status', 'mismatched']);
  const click = insertInto(store, 'clicks', [
    'email_id',
    'clicked_at',
    'user',
    'url',
    'host',
    'ip',
    'verdict',
    'blocked',
    'client',
    'department',
  ]);
  const raw = insertInto(store, 'raw_mail', ['email_id', 'headers', 'html', 'text', 'inline', 'truncated']);

  const one = (record: EmailRecord): number => {
    const verdict = storedVerdict(record.scans, evidence);
    const { detail, recipients, attachments, links, clicks } = record;
    const quarantined = evidence
      ? null
      : flag(detail.quarantine !== undefined && /^(?:Quarantined|Restore asked)$/.test(record.state ?? ''));
    const restore = detail.decline
      ? 'declined'
      : detail.restore?.restoredAt
        ? 'restored'
        : detail.restore
          ? 'requested'
          : null;
    const id = email(
      record.entityId,
      record.saas,
      record.receivedAt,
      record.sentAt,
      record.subject,
      foldText(record.subject),
      wordsOf(record.subject),
      lower(record.from?.email),
      record.from?.name ?? null,
      lower(record.fromDomain),
      lower(recipients[0]?.email),
      record.messageId,
      record.threadId,
      record.direction,
      record.state,
      record.department,
      record.size,
      record.clientIp,
      record.language,
      flag(record.isRead),
      recipients.length,
      record.clicksCounted ? clicks.length : null,
      attachments.length,
      links.length,
      verdict.verdict,
      verdict.rank,
      verdict.code,
      verdict.stack,
      verdict.scans,
      quarantined,
      record.userReported,
      restore,
      record.spf,
      record.dkim,
      record.dmarc,
      record.linkReplacement,
      record.fileId ?? null,
      JSON.stringify(detail),
    );
    for (const [position, it] of recipients.entries())
      recipient(
        id,
        position,
        it.kind,
        foldText(it.email),
        it.name,
        it.state,
        flag(it.isRead),
        it.clicks,
        it.department,
      );
    for (const [position, it] of attachments.entries())
      attachment(
        id,
        position,
        it.name,
        it.mimeType,
        it.size,
        it.md5,
        it.sha1,
        it.sha256,
        it.isInline ? 1 : 0,
        it.verdictCode,
        it.matches,
      );
    for (const it of links) link(id, it.url, lower(it.host), it.text, it.status, flag(it.mismatched));
    for (const it of clicks)
      click(
        id,
        it.at,
        it.user,
        it.url,
        lower(it.host),
        it.ip,
        it.verdict,
        it.blocked ? 1 : 0,
        it.client ?? null,
        it.department ?? null,
      );
    if (record.raw) {
      const { headers, html, text, inline, truncated } = record.raw;
      const images = Object.keys(inline).length === 0 ? null : JSON.stringify(inline);
      raw(id, gzipSync(headers, { level: 1 }), packed(html), packed(text), packed(images), truncated ? 1 : 0);
    }
    return id;
  };

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
        it.failed ? 1 : 0,
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
