import type { Recipient } from '#shared/model/entities.ts';
import { exact, visibleText } from '#shared/model/format.ts';

const KINDS: Readonly<Record<string, string>> = { to: 'To', cc: 'Cc', bcc: 'Bcc' };

/** "To", "Cc", "Bcc"; another word as it is. */
export const recipientKind = (kind: string): string =>
  Object.hasOwn(KINDS, kind.toLowerCase()) ? (KINDS[kind.toLowerCase()] ?? kind) : visibleText(kind);

/** "Inbox, read"; what is not recorded is not said to be unread. */
export function recipientPlace({ folder, is_read: read }: Recipient): string {
  const parts = [folder ? visibleText(folder) : 'Folder not recorded', read === true ? 'read' : null];
  return parts.filter((part) => part !== null).join(', ');
}

/** "14 · 2 opened · 0 clicked"; a count is left away where the service does not say. */
export function recipientCounts(rows: readonly Recipient[]): string {
  const told = (known: (row: Recipient) => boolean) => rows.length > 0 && rows.every(known);
  const parts = [exact(rows.length)];
  if (told((row) => typeof row.is_read === 'boolean')) {
    parts.push(`${exact(rows.filter((row) => row.is_read).length)} opened`);
  }
  if (told((row) => typeof row.clicks === 'number')) {
    parts.push(`${exact(rows.filter((row) => (row.clicks ?? 0) > 0).length)} clicked`);
  }
  return parts.join(' · ');
}
