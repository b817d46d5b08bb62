/** The fleet policy as the core holds it, and its refusals. */
import { ParapetError } from '#shared/bridge/errors.ts';
import {
  connectionReason,
  isOff,
  type Managed,
  offReason,
  type PolicyConnection,
  type PolicyOff,
} from '#shared/model/policy.ts';
import type { Context } from './context.ts';
import type { ChosenPath } from './ports.ts';

export interface Policy {
  /** As screens show it, or null if this machine has no policy. */
  managed: Managed | null;
  connections: readonly PolicyConnection[];
  /** Certificates to trust for every tenant, as one PEM, or null if there is none. */
  authorityPem: string | null;
}

export const NO_POLICY: Policy = { managed: null, connections: [], authorityPem: null };

/** Rejects `not-allowed`, naming the policy file that turned it off. */
export function requireAllowed({ managed }: Policy, what: PolicyOff): void {
  if (isOff(managed, what))
    throw new ParapetError('not-allowed', offReason(what, managed), { data: { policy: what } });
}

/** Rejects `not-allowed` for a connection that the policy defines. */
export function requireUnmanaged({ managed }: Policy, connectionId: string): void {
  if (managed?.connections.includes(connectionId))
    throw new ParapetError('not-allowed', connectionReason(managed), { data: { connectionId } });
}

/** The granted file, for content that is written unencrypted. */
export function redeemForClear(ctx: Pick<Context, 'grants' | 'ports'>, grantId: string): ChosenPath {
  requireAllowed(ctx.ports.policy, 'exports-in-clear');
  return ctx.grants.redeem(grantId);
}

/** An authority of the connection and those of the policy, as one PEM. */
export const withAuthorities = ({ authorityPem }: Policy, authorities: string | null): string | null =>
  authorities === null || authorityPem === null
    ? (authorities ?? authorityPem)
    : `${authorities}\n${authorityPem}`;
