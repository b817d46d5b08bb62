/** Who may do what (specification section 6): the actors and labels as roles of the embedded service. */
import type { EndpointName } from '#shared/api/catalogue.ts';
import type { ServiceContext } from './context.ts';
import { ServiceError } from './errors.ts';

export type Permission =
  | 'act'
  | 'answer-requests'
  | 'download'
  | 'identify'
  | 'raw-mail'
  | 'rescan'
  | 'own-queries'
  | 'all-queries'
  | 'schedule'
  | 'export-results'
  | 'export-users';

interface RoleRules {
  /** The actor label that others read (specification section 6). */
  label: string;
  name: string;
  permissions: readonly Permission[];
}

const ALL: readonly Permission[] = [
  'act',
  'answer-requests',
  'download',
  'identify',
  'raw-mail',
  'rescan',
  'own-queries',
  'all-queries',
  'schedule',
  'export-results',
  'export-users',
];

/** `read_only` stands for the custom roles of a tenant: it sees results and touches nothing. */
export const ROLES = {
  admin: { label: 'admin', name: 'Admin', permissions: ALL },
  provider_analyst: {
    label: 'provider_analyst',
    name: 'Provider analyst',
    permissions: ALL.filter((permission) => permission !== 'identify'),
  },
  help_desk: {
    label: 'admin',
    name: 'Help desk',
    permissions: ['answer-requests', 'rescan', 'own-queries', 'export-results'],
  },
  read_only: { label: 'admin', name: 'Read only', permissions: ['export-results'] },
  end_user: { label: 'end_user', name: 'End User', permissions: ['own-queries'] },
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
  'own-queries': 'save queries',
  'all-queries': 'change or remove queries of others',
  schedule: 'send results by email',
  'export-results': 'export results of queries of others',
  'export-users': 'export active users',
};

/**
 * What each call needs. everyone: all roles may read it. by-action, by-owner: its handler asks for what the action, or
 * the query it is about, needs.
 */
export type Access = 'everyone' | 'by-action' | 'by-owner' | Permission;

/** Exhaustive over the catalogue: a new call does not compile before its access is decided. */
export const ACCESS: Readonly<Record<EndpointName, Access>> = {
  'query.execute': 'everyone',
  'query.list': 'everyone',
  'query.get': 'everyone',
  'query.config': 'everyone',
  'query.save': 'own-queries',
  'query.update': 'by-owner',
  'query.delete': 'by-owner',
  'query.export': 'by-owner',
  'query.import': 'own-queries',
  'query.export-results': 'by-owner',
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
  'emails.classification': 'everyone',
  'entity.get': 'everyone',
  'entity.props': 'everyone',
  'entity.message-body': 'raw-mail',
  'entity.permissions': 'everyone',
  'entity.quarantine-restorable': 'everyone',
  'entity.rescan': 'rescan',
  'entity.identify': 'identify',
  'entity.signed-link': 'download',
  'file.profile': 'everyone',
  'file.events': 'everyone',
  'file.matched': 'download',
  'scan.details': 'everyone',
  'scan.debug-links': 'everyone',
  'scan.clicks': 'everyone',
  'scan.exceptions-status': 'everyone',
  'apps.list': 'everyone',
  'apps.statistics': 'everyone',
  'findings.widgets': 'everyone',
  'findings.list': 'everyone',
  'findings.links': 'everyone',
  'logins.heat-map': 'everyone',
  'exceptions.create': 'act',
  'exceptions.create-external': 'act',
  'exceptions.search': 'everyone',
  'exceptions.search2': 'everyone',
  'exceptions.combo-options': 'everyone',
  'exceptions.options': 'everyone',
  'exceptions.blacklist-options': 'everyone',
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

/** Throws a 403 unless the caller's role may make this call; what depends on its content is asked by its handler. */
export function admit(name: EndpointName, context: ServiceContext): void {
  const access = ACCESS[name];
  if (access !== 'everyone' && access !== 'by-action' && access !== 'by-owner') need(context, access);
}

/** Throws a 403 unless the query is the caller's own, or the role may do this to those of others. */
export function needOwned(
  context: ServiceContext,
  query: { createdBy?: string | null | undefined },
  others: 'all-queries' | 'export-results',
): void {
  const own = context.caller !== null && query.createdBy === context.caller;
  need(context, own && may(context.role, 'own-queries') ? 'own-queries' : others);
}
