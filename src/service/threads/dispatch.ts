/** Decides which thread answers each call of the contract. */
import type { EndpointName } from '#shared/api/catalogue.ts';
import type { EmbeddedSpec } from '#shared/embedded.ts';
import { routes } from '../http/routes.ts';
import type { CallTarget, DispatchRule } from './protocol.ts';

/** Reads whose time grows with the tenant. */
const LONG: ReadonlySet<EndpointName> = new Set([
  'query.execute',
  'query.export-results',
  'query.export-active-users',
  'exceptions.search',
  'email.similar-count',
  'logins.heat-map',
  'apps.statistics',
  'findings.widgets',
  'findings.list',
]);

export function dispatchRules(source: EmbeddedSpec['source']): DispatchRule[] {
  const target = (name: EndpointName, effect: 'read' | 'write'): CallTarget => {
    // The demo tenant's archive counts requests in the memory of one thread.
    if (effect === 'write' || (source.kind === 'demo' && name === 'file.matched')) return 'writer';
    return LONG.has(name) ? 'later' : 'normal';
  };
  return routes.map(({ name, method, effect, pattern }) => ({
    method,
    pattern,
    target: target(name, effect),
  }));
}
