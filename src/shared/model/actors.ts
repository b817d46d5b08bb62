/** Actors in words (specification section 6), and what a role may do. */

import type { ACTOR_LABELS } from './enums.ts';
import { hasKey } from './narrow.ts';

const LABELS: Readonly<Record<(typeof ACTOR_LABELS)[number], string>> = {
  provider_analyst: 'Provider analyst',
  admin: 'Admin',
  microsoft: 'Microsoft',
  end_user: 'End User',
};

/** The label in words; an unknown one as it is, null without one. */
export function actorLabel(label: string | null | undefined): string | null {
  if (!label) return null;
  return hasKey(LABELS, label) ? LABELS[label] : label;
}

/** Permissions in words that complete "may not …". A service may have others. */
const PERMISSION_WORDS = {
  act: 'quarantine or delete',
  'answer-requests': 'answer restore requests',
  download: 'download matched files',
  identify: 'set identifiers',
  'raw-mail': 'read headers and bodies',
  rescan: 'ask for scans',
  'own-queries': 'save queries',
  'all-queries': 'change or remove queries of others',
  schedule: 'send results by email',
  'export-results': 'export queries of others or their results',
  'export-users': 'export active users',
  /** An End User acts by email, an Admin in the portal. */
  portal: 'read exceptions, debug links or who can reach a file',
} as const;
export type Permission = keyof typeof PERMISSION_WORDS;
export const PERMISSIONS = Object.keys(PERMISSION_WORDS) as readonly Permission[];

/** "read headers and bodies"; an unknown permission as it is. */
export const permissionWords = (permission: string): string =>
  hasKey(PERMISSION_WORDS, permission) ? PERMISSION_WORDS[permission] : permission.replaceAll('-', ' ');

export interface RoleView {
  role?: { role_id: string; role_name: string; label?: string | null | undefined } | null | undefined;
  permissions?: readonly string[] | null | undefined;
}

/** Why the caller's role may not do this, or null if it may, or the service does not say. */
export function roleRefusal({ role, permissions }: RoleView, permission: string): string | null {
  if (!permissions || permissions.includes(permission)) return null;
  const name = role?.role_name ? `Your role, ${role.role_name},` : 'Your role';
  return `${name} may not ${permissionWords(permission)}.`;
}
