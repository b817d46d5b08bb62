/** The organisation's own mail domains: those that its users' addresses are in. No call names them. */
import { useMemo } from 'react';
import { useRead } from '#renderer/bridge/use-read.ts';
import { peopleOf, peopleQuery, personFields } from './builder/people.ts';
import { useQueryConfig } from './use-config.ts';

const USERS_ASKED = 100;
/** Below this share a domain is a guest's, not the organisation's. */
const LEAST_SHARE = 0.2;

/** The domains, in lower case, that at least a fifth of these addresses are in. */
export function domainsOf(addresses: readonly string[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const address of addresses) {
    const at = address.lastIndexOf('@');
    const domain = address.slice(at + 1).toLowerCase();
    if (at > 0 && domain !== '') counts.set(domain, (counts.get(domain) ?? 0) + 1);
  }
  const least = addresses.length * LEAST_SHARE;
  return new Set([...counts].filter(([, count]) => count >= least).map(([domain]) => domain));
}

const NONE: ReadonlySet<string> = new Set();

/** Asks a page of users, as the cache has it; none known: no domain is our own. */
export function useOwnDomains(): ReadonlySet<string> {
  const { data: config } = useQueryConfig('user', null);
  const fields = config ? personFields(config) : null;
  const address = fields?.address ?? null;
  const request = useMemo(
    () => address && { body: peopleQuery('user', { address, name: null }, [], USERS_ASKED) },
    [address],
  );
  const { data } = useRead('query.execute', request);
  return useMemo(
    () =>
      data && address ? domainsOf(peopleOf(data.rows, { address, name: null }).map(([one]) => one)) : NONE,
    [data, address],
  );
}
