/** Who has access to an email: the mailboxes that contain it. */
import type { Permission } from '#shared/model/entities.ts';
import type { EmailRow, RecipientRow } from './emails.ts';
import type { Store } from './store.ts';

/** States of a copy that its reader cannot open. */
const OUT_OF_REACH: ReadonlySet<string> = new Set(['Quarantined', 'Restore asked', 'Deleted']);

interface Person {
  entity_id: string;
  name: string;
}

/** For mail files, whose mailboxes are unknown, there are no rows. */
export async function emailPermissions(store: Store, row: EmailRow): Promise<Permission[]> {
  if (row.file_id !== null) return [];
  const recipients = await store.mails.recipients(row.id);
  const owners = await store.people.owners(recipients.map(({ email }) => email));
  return recipients.flatMap((recipient) => {
    const owner = owners.get(recipient.email);
    return owner ? [permissionOf(recipient, owner)] : [];
  });
}

function permissionOf({ email, state }: RecipientRow, { entity_id, name }: Person): Permission {
  const reads = state === null || !OUT_OF_REACH.has(state);
  return {
    username: name,
    userId: entity_id,
    email,
    roles: ['mailbox_owner'],
    can_view: reads,
    can_download: reads,
    can_edit: false,
    can_delete: reads,
    can_preview: reads,
    can_upload: false,
    can_invite: false,
    can_share: reads,
  };
}
