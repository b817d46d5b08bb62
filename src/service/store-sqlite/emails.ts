/** Reads one email: its row and its parts. */
import type { AttachmentRow, EmailRow, LinkRow, RecipientRow } from '../store/emails.ts';
import type { Store } from './store.ts';

/** By its own id, or by that of a delivered copy (`<id>.<position>`). */
export function findEmail(store: Store, entityId: string): EmailRow | null {
  const statement = store.db.prepare<[string], EmailRow>('SELECT * FROM emails WHERE entity_id = ?');
  const row = statement.get(entityId);
  if (row) return row;
  const original = /^(.{1,200})\.\d{1,6}$/.exec(entityId)?.[1];
  return (original === undefined ? null : statement.get(original)) ?? null;
}

export const recipientsOf = (store: Store, id: number): RecipientRow[] =>
  store.db
    .prepare<unknown[], RecipientRow>('SELECT * FROM recipients WHERE email_id = ? ORDER BY position')
    .all(id);
export const attachmentsOf = (store: Store, id: number): AttachmentRow[] =>
  store.db
    .prepare<unknown[], AttachmentRow>(
      'SELECT * FROM attachments WHERE email_id = ? AND container IS NULL ORDER BY position',
    )
    .all(id);
/** The files in its attached archives. */
export const membersOf = (store: Store, id: number): AttachmentRow[] =>
  store.db
    .prepare<unknown[], AttachmentRow>(
      'SELECT * FROM attachments WHERE email_id = ? AND container IS NOT NULL ORDER BY position',
    )
    .all(id);
export const linksOf = (store: Store, id: number): LinkRow[] =>
  store.db.prepare<unknown[], LinkRow>('SELECT * FROM links WHERE email_id = ? ORDER BY id').all(id);

/** The attachment with id `<email>-a<position>` and its email, or null if there is none. */
export function findAttachment(store: Store, id: string): { email: EmailRow; row: AttachmentRow } | null {
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
