/** Words for the permissions of a file or an email. Pure. */
import type { Permission } from '#shared/model/entities.ts';
import { PERMISSION_FLAGS, type PermissionFlag } from '#shared/model/enums.ts';

/** 'anyone' for everyone with the link, 'outside' for a guest, null for neither, by the roles that services use. */
export function outsideOf({ roles, userId }: Permission): 'anyone' | 'outside' | null {
  const words = roles.map((role) => role.trim().toLowerCase());
  if (userId === 'anyone' || words.includes('link') || words.includes('anyone')) return 'anyone';
  return words.includes('guest') || words.includes('external') ? 'outside' : null;
}

/**
 * An empty list in words. Mail files do not say whose mailbox they were in: an empty list does not mean that nobody
 * has access.
 */
export const nobodyListed = (
  type: 'file' | 'email',
  isEvidence: boolean,
): { title: string; reason: string } =>
  isEvidence
    ? { title: 'Permissions unknown', reason: `Mail files don’t say who can open the ${type}.` }
    : { title: 'No permissions listed', reason: `The service lists none for this ${type}.` };

/** "Full access", "No access", or the rights by name; rights that the service does not mention are listed as such. */
export function rightsOf(permission: Permission, labels: Readonly<Record<PermissionFlag, string>>): string {
  const held = PERMISSION_FLAGS.filter((flag) => permission[flag]);
  if (held.length === PERMISSION_FLAGS.length) return 'Full access';
  const unknown = PERMISSION_FLAGS.filter((flag) => permission[flag] === null);
  if (unknown.length === PERMISSION_FLAGS.length) return 'Not recorded';
  const rest = unknown.length > 0 ? ` (${unknown.length} not recorded)` : '';
  if (held.length === 0) return `No access${rest}`;
  const words = held.map((flag) => labels[flag].toLowerCase()).join(', ');
  return words.charAt(0).toUpperCase() + words.slice(1) + rest;
}

export const FLAG_LABELS: Readonly<Record<PermissionFlag, string>> = {
  can_view: 'View',
  can_download: 'Download',
  can_edit: 'Edit',
  can_delete: 'Delete',
  can_preview: 'Preview',
  can_upload: 'Upload',
  can_invite: 'Invite',
  can_share: 'Share',
};
