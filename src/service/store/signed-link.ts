/** Links to matched files: `/signed/<signature>/<expiry>~<id>`, below /api/v1. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Store } from './store.ts';

export interface SignedLink {
  hash: string;
  token: string;
  id: string;
}

/** The parts of a path below /api/v1, or null for any other path. */
export function partsOfLink(path: string): SignedLink | null {
  const match = /^(\/signed\/[0-9a-f]{32}\/)([0-9a-z]{1,12}~)([^/]{1,600})$/.exec(path);
  return match ? { hash: match[1] ?? '', token: match[2] ?? '', id: match[3] ?? '' } : null;
}

const LINK_LIFE_MS = 5 * 60_000;

const signature = (store: Pick<Store, 'linkKey'>, text: string): Buffer =>
  createHmac('sha256', store.linkKey).update(text).digest().subarray(0, 16);

/** The three parts of `GET {hash}{token}{id}`: valid for five minutes and for this run of the service. */
export function signLink(
  store: Pick<Store, 'linkKey'>,
  id: string,
  now: number,
): SignedLink & { expires: string } {
  const until = now + LINK_LIFE_MS;
  const token = `${until.toString(36)}~`;
  const hash = `/signed/${signature(store, `${token}${id}`).toString('hex')}/`;
  return { hash, token, id, expires: new Date(until).toISOString() };
}

/** True when this service signed the link and it has not expired. */
export function isGoodLink(
  store: Pick<Store, 'linkKey'>,
  { hash, token, id }: SignedLink,
  now: number,
): boolean {
  const linkSignature = Buffer.from(hash.slice('/signed/'.length, -1), 'hex');
  const expected = signature(store, `${token}${id}`);
  return (
    linkSignature.length === expected.length &&
    timingSafeEqual(linkSignature, expected) &&
    Number.parseInt(token, 36) >= now
  );
}
