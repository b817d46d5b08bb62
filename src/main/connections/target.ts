import { ParapetError } from '#shared/bridge/errors.ts';
import type { Embedded } from '../embedded/manager.ts';
import { type Policy, withAuthorities } from '../kernel/policy.ts';
import type { Routes } from '../kernel/ports.ts';
import type { Target } from '../upstream/client.ts';
import type { Records } from './repository.ts';
import type { Secrets } from './secrets.ts';

interface Deps {
  records: Records;
  embedded: Embedded;
  secrets: Secrets;
  policy: Policy;
  routes(address: string): Promise<Routes>;
}

/**
 * Where a connection's requests go, and with which credential; an embedded service is started. Rejects `no-connection`,
 * and `unauthorized` if the credential is gone.
 */
export async function targetOf(
  { records, embedded, secrets, policy, routes }: Deps,
  id: string,
): Promise<Target> {
  const { source, authServers, flags, credentialKey, url, authorityPem } = records.get(id);
  if (source !== null) {
    const { base, token } = await embedded.start(id, source, { believed: authServers, flags });
    return { base, credential: token, authorityPem: null };
  }
  const credential = credentialKey === null ? null : await secrets.credential(credentialKey);
  if (credentialKey !== null && credential === null)
    throw new ParapetError(
      'unauthorized',
      'The credential of this connection is not where it was kept, so nothing was sent. Enter it again in the connection settings.',
    );
  const base = url ?? '';
  return {
    base,
    credential,
    authorityPem: withAuthorities(policy, authorityPem),
    routes: await routes(base),
  };
}
