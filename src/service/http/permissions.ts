/** Refuses what the caller's role may not do. */
import { ACCESS, type OwnedCall, permissionFor } from '#shared/api/access.ts';
import type { EndpointName } from '#shared/api/catalogue.ts';
import type { Permission } from '#shared/model/actors.ts';
import { may, refusal, roleOf } from '../roles.ts';
import type { ServiceContext } from './context.ts';
import { ServiceError } from './errors.ts';

/** Throws a 403 that names the role and the missing permission. */
export function need(context: ServiceContext, permission: Permission): void {
  if (!may(context.role, permission))
    throw new ServiceError(403, refusal(context.role, permission), permission);
}

/**
 * Throws a 403 unless the caller's role may make this call; permissions that depend on the content are checked by the
 * handler.
 */
export function admit(name: EndpointName, context: ServiceContext): void {
  const access = ACCESS[name];
  if (access !== 'everyone' && access !== 'by-action' && typeof access === 'string') need(context, access);
}

type Owned = { createdBy?: string | null | undefined };
const neededFor = ({ caller, role }: ServiceContext, query: Owned, call: OwnedCall): Permission =>
  permissionFor({ id: caller, permissions: roleOf(role).permissions }, query, call);

/** Throws a 403 unless the query is the caller's own, or the role may do this to queries of others. */
export const needOwned = (context: ServiceContext, query: Owned, call: OwnedCall): void =>
  need(context, neededFor(context, query, call));

export const mayOwned = (context: ServiceContext, query: Owned, call: OwnedCall): boolean =>
  may(context.role, neededFor(context, query, call));

/** The caller and their permissions, as responses give them. */
export const callerOf = ({ caller, role }: ServiceContext) => ({
  id: caller,
  role: { role_id: role, role_name: roleOf(role).name, label: roleOf(role).label },
  permissions: [...roleOf(role).permissions],
});
