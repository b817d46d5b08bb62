/** Who may do what (specification section 6): the actors and labels as roles of the embedded service. */
import { ACCESS, type OwnedCall, permissionFor } from '#shared/api/access.ts';
import type { EndpointName } from '#shared/api/catalogue.ts';
import { PERMISSIONS, type Permission, permissionWords } from '#shared/model/actors.ts';
import type { ServiceContext } from './context.ts';
import { ServiceError } from './errors.ts';

interface RoleRules {
  /** The actor label that others read (specification section 6). */
  label: string;
  name: string;
  permissions: readonly Permission[];
}

/** `read_only` stands for the custom roles of a tenant: it sees results and touches nothing. */
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

/** Throws a 403 that names the role and what it lacks. */
export function need(context: ServiceContext, permission: Permission): void {
  if (!may(context.role, permission))
    throw new ServiceError(403, refusal(context.role, permission), permission);
}

/** Throws a 403 unless the caller's role may make this call; what depends on its content is asked by its handler. */
export function admit(name: EndpointName, context: ServiceContext): void {
  const access = ACCESS[name];
  if (access !== 'everyone' && access !== 'by-action' && typeof access === 'string') need(context, access);
}

/** Throws a 403 unless the query is the caller's own, or the role may do this to those of others. */
export function needOwned(
  context: ServiceContext,
  query: { createdBy?: string | null | undefined },
  call: OwnedCall,
): void {
  const { caller, role } = context;
  need(context, permissionFor({ id: caller, permissions: roleOf(role).permissions }, query, call));
}

/** Who asks and what they may, as answers tell it. */
export const callerOf = ({ caller, role }: ServiceContext) => ({
  id: caller,
  role: { role_id: role, role_name: roleOf(role).name, label: roleOf(role).label },
  permissions: [...roleOf(role).permissions],
});
