import type { AttachmentRow, ClickRow, EmailRow, LinkRow, RawRow, RecipientRow } from '../store/emails.ts';
import type { SqliteStore } from './sqlite-store.ts';

export function findEmail(store: SqliteStore, entityId: string): EmailRow | null {
  const statement = store.db.prepare<[string], EmailRow>('SELECT * FROM emails WHERE entity_id = ?');
  const row = statement.get(entityId);
  if (row) return row;
  const original = /^(.{1,200})\.\d{1,6}$/.exec(entityId)?.[1];
  return (original === undefined ? null : statement.get(original)) ?? null;
}

export const emailRow = (store: SqliteStore, id: number): EmailRow | null =>
  store.db.prepare<unknown[], EmailRow>('SELECT * FROM emails WHERE id = ?').get(id) ?? null;
export const emailCount = ({ db }: SqliteStore): number =>
  Number(db.prepare('SELECT count(*) FROM emails').pluck().get());
export const emailIdsAfter = ({ db }: SqliteStore, id: number, most: number): number[] =>
  db
    .prepare<unknown[], number>('SELECT id FROM emails WHERE id > ? ORDER BY id LIMIT ?')
    .pluck()
    .all(id, most);
export const conversationOf = (store: SqliteStore, threadId: string, most: number): EmailRow[] =>
  store.db
    .prepare<unknown[], EmailRow>('SELECT * FROM emails WHERE thread_id = ? ORDER BY received_at, id LIMIT ?')
    .all(threadId, most);
export const clicksOf = (store: SqliteStore, id: number): ClickRow[] =>
  store.db
    .prepare<unknown[], ClickRow>('SELECT * FROM clicks WHERE email_id = ? ORDER BY clicked_at, id')
    .all(id);
export const rawOf = (store: SqliteStore, id: number): RawRow | null =>
  store.db.prepare<unknown[], RawRow>('SELECT * FROM raw_mail WHERE email_id = ?').get(id) ?? null;

export function sightingsOf(store: SqliteStore, hashes: readonly string[]): Map<string, number> {
  const count = store.db.prepare('SELECT count(DISTINCT email_id) FROM attachments WHERE sha256 = ?').pluck();
  return new Map(hashes.map((hash) => [hash, Number(count.get(hash))]));
}

export const recipientsOf = (store: SqliteStore, id: number): RecipientRow[] =>
  store.db
    .prepare<unknown[], RecipientRow>('SELECT * FROM recipients WHERE email_id = ? ORDER BY position')
    .all(id);
export const attachmentsOf = (store: SqliteStore, id: number): AttachmentRow[] =>
  store.db
    .prepare<unknown[], AttachmentRow>(
      'SELECT * FROM attachments WHERE email_id = ? AND container IS NULL ORDER BY position',
    )
    .all(id);
export const membersOf = (store: SqliteStore, id: number): AttachmentRow[] =>
  store.db
    .prepare<unknown[], AttachmentRow>(
      'SELECT * FROM attachments WHERE email_id = ? AND container IS NOT NULL ORDER BY position',
    )
    .all(id);
export const linksOf = (store: SqliteStore, id: number): LinkRow[] =>
  store.db.prepare<unknown[], LinkRow>('SELECT * FROM links WHERE email_id = ? ORDER BY id').all(id);

export function findAttachment(
  store: SqliteStore,
  id: string,
): { email: EmailRow; row: AttachmentRow } | null {
  const [, emailId = '', position] = /^(.{1,200})-a(\d{1,5})$/.exec(id) ?? [];
  const email = findEmail(store, emailId);
  if (!email) return null;
  const row = store.db
    .prepare<unknown[], AttachmentRow>(
      'SELECT * FROM attachments WHERE email_id = ? AND position = ? AND container IS NULL',
    )
    .get(email.id, Number(position));
  return row ? { email, row } : null;
}
