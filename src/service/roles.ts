/** The actors and labels of the specification (section 6) as roles of the embedded service. */
import { PERMISSIONS, type Permission, permissionWords } from '#shared/model/actors.ts';

interface RoleRules {
  /** The actor label shown to others (specification section 6). */
  label: string;
  name: string;
  permissions: readonly Permission[];
}

/** `read_only` represents a tenant's custom roles: it sees results and changes nothing. */
export const ROLES = {
  admin: { label: 'admin', name: 'Admin', permissions: PERMISSIONS },
  provider_analyst: {
    label: 'provider_analyst',
    name: 'Provider analyst',
    permissions: PERMISSIONS.filter((permission) => permission !== 'identify'),
  },
  help_desk: {
    label: 'admin',
    name: 'Help desk',
    permissions: ['answer-requests', 'rescan', 'own-queries', 'export-results', 'portal'],
  },
  read_only: { label: 'admin', name: 'Read only', permissions: ['export-results', 'portal'] },
  end_user: { label: 'end_user', name: 'End User', permissions: ['own-queries'] },
} as const satisfies Record<string, RoleRules>;

export type RoleName = keyof typeof ROLES;
export const isRoleName = (name: string): name is RoleName => Object.hasOwn(ROLES, name);
export const roleOf = (name: RoleName): RoleRules => ROLES[name];

export const may = (role: RoleName, permission: Permission): boolean =>
  roleOf(role).permissions.includes(permission);

export const refusal = (role: RoleName, permission: Permission): string =>
  `The role ${roleOf(role).name} may not ${permissionWords(permission)}`;
