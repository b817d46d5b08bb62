/** Which call needs which permission (specification section 6). The service enforces it; screens disable controls by it. */
import { type Permission, type RoleView, roleRefusal } from '#shared/model/actors.ts';
import { RESPONSES } from '#shared/model/responses.ts';
import type { EndpointName } from './catalogue.ts';

/**
 * everyone: all roles. by-action: the action's permission (`actionPermission`). others: this permission for queries of
 * others; own queries need the permission to save.
 */
type Access = 'everyone' | 'by-action' | Permission | { others: Permission };

/** Exhaustive over the catalogue: a new call does not compile before its access is decided. */
export const ACCESS = {
  'query.execute': 'everyone',
  'query.list': 'everyone',
  'query.get': 'everyone',
  'query.config': 'everyone',
  'query.save': 'own-queries',
  'query.update': { others: 'all-queries' },
  'query.delete': { others: 'all-queries' },
  'query.export': { others: 'export-results' },
  'query.import': 'own-queries',
  'query.export-results': { others: 'export-results' },
  'query.export-active-users': 'export-users',
  'query.action': 'by-action',
  'policies.operation': 'act',
  'policies.send-result': 'schedule',
  'manual-actions.create': 'by-action',
  'email.profile': 'everyone',
  'email.recipients': 'everyone',
  'email.attachments': 'everyone',
  'email.conversation': 'everyone',
  'email.splits': 'everyone',
  'email.headers': 'raw-mail',
  'email.body': 'raw-mail',
  'email.similar-count': 'everyone',
  'email.report': 'everyone',
  'campaigns.list': 'everyone',
  'campaigns.get': 'everyone',
  'emails.classification': 'everyone',
  'entity.get': 'everyone',
  'entity.props': 'everyone',
  'entity.message-body': 'raw-mail',
  'entity.permissions': 'portal',
  'entity.quarantine-restorable': 'everyone',
  'entity.rescan': 'rescan',
  'entity.identify': 'identify',
  'entity.signed-link': 'download',
  'file.profile': 'everyone',
  'file.events': 'everyone',
  'file.matched': 'download',
  'scan.details': 'everyone',
  'scan.debug-links': 'portal',
  'scan.clicks': 'everyone',
  'scan.exceptions-status': 'portal',
  'apps.list': 'everyone',
  'apps.statistics': 'everyone',
  'findings.widgets': 'everyone',
  'findings.list': 'everyone',
  'findings.links': 'everyone',
  'logins.heat-map': 'everyone',
  'logins.users': 'everyone',
  'logins.places': 'everyone',
  'exceptions.create': 'act',
  'exceptions.create-external': 'act',
  'exceptions.search': 'portal',
  'exceptions.search2': 'portal',
  'exceptions.combo-options': 'portal',
  'exceptions.options': 'portal',
  'exceptions.blacklist-options': 'portal',
  'evidence.rules': 'everyone',
  'evidence.mark': 'everyone',
} satisfies Readonly<Record<EndpointName, Access>>;

/** Calls for which the query's owner matters. */
export type OwnedCall = {
  [N in EndpointName]: (typeof ACCESS)[N] extends { others: Permission } ? N : never;
}[EndpointName];

/** The permission that an action on a query's rows needs. */
export const actionPermission = (action: string): Permission =>
  Object.entries(RESPONSES).find(([kind]) => kind === action)?.[1].permission ?? 'act';

/** The caller as the service describes them; no permissions: the service does not say. */
export interface CallerView extends RoleView {
  id?: string | null | undefined;
}

interface OwnedQuery {
  createdBy?: string | null | undefined;
}

/** The permission that the caller needs for this call on this query; for an own query, the one to save queries. */
export function permissionFor(
  { id, permissions }: CallerView,
  { createdBy }: OwnedQuery,
  call: OwnedCall,
): Permission {
  const isOwner = id != null && createdBy === id && permissions?.includes('own-queries');
  return isOwner ? 'own-queries' : ACCESS[call].others;
}

/** The properties of a call's subject that decide who may make it. */
export interface CallSubject {
  query?: OwnedQuery;
  /** Id of a query action. */
  action?: string;
}

/** Why the caller's role may not make this call, or null if it may, or the service does not say. */
export function callRefusal(
  caller: CallerView | null | undefined,
  call: EndpointName,
  { query, action }: CallSubject = {},
): string | null {
  const access: Access = ACCESS[call];
  if (!caller || access === 'everyone') return null;
  if (access === 'by-action')
    return action === undefined ? null : roleRefusal(caller, actionPermission(action));
  if (typeof access === 'string') return roleRefusal(caller, access);
  return query ? roleRefusal(caller, permissionFor(caller, query, call as OwnedCall)) : null;
}
