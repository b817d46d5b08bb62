/** Who may do what (specification section 6): the actors and labels as roles of the embedded service. */
import type { ServiceContext } from './context.ts';
import { ServiceError } from './errors.ts';

export type Permission = 'act' | 'answer-requests' | 'download' | 'identify' | 'raw-mail' | 'rescan';

interface RoleRules {
  /** The actor label that others read (specification section 6). */
  label: string;
  name: string;
  permissions: readonly Permission[];
}

const ALL: readonly Permission[] = ['act', 'answer-requests', 'download', 'identify', 'raw-mail', 'rescan'];

/** `read_only` stands for the custom roles of a tenant: it sees results and touches nothing. */
export const ROLES = {
  admin: { label: 'admin', name: 'Admin', permissions: ALL },
  provider_analyst: {
    label: 'provider_analyst',
    name: 'Provider analyst',
    permissions: ['act', 'answer-requests', 'download', 'raw-mail', 'rescan'],
  },
  help_desk: { label: 'admin', name: 'Help desk', permissions: ['answer-requests', 'rescan'] },
  read_only: { label: 'admin', name: 'Read only', permissions: [] },
  end_user: { label: 'end_user', name: 'End User', permissions: [] },
} as const satisfies Record<string, RoleRules>;

export type RoleName = keyof typeof ROLES;
export const isRoleName = (name: string): name is RoleName => Object.hasOwn(ROLES, name);
export const roleOf = (name: RoleName): RoleRules => ROLES[name];

const WORDS: Readonly<Record<Permission, string>> = {
  act: 'quarantine or delete',
  'answer-requests': 'answer restore requests',
  download: 'download matched files',
  identify: 'set identifiers',
  'raw-mail': 'read raw mail',
  rescan: 'ask for scans',
};

export const may = (role: RoleName, permission: Permission): boolean =>
  roleOf(role).permissions.includes(permission);

export const refusal = (role: RoleName, permission: Permission): string =>
  `The role ${roleOf(role).name} may not ${WORDS[permission]}`;

/** Throws a 403 that names the role and what it lacks. */
export function need(context: ServiceContext, permission: Permission): void {
  if (!may(context.role, permission))
    throw new ServiceError(403, refusal(context.role, permission), permission);
}
