/**
 * Remote images of an email, loaded only when the analyst asks. The renderer's CSP forbids remote content, so
 * the bytes come through here: no cookies, no referrer, raster types only, capped, and never an address of
 * this machine or its network, which a hostile mail could otherwise reach through the console.
 */

import type { LookupFunction } from 'node:net';
import { BlockList, isIP } from 'node:net';
import type { Agent } from 'undici';
import { ParapetError } from '#shared/bridge/errors.ts';
import { codeOf } from '#shared/model/disk-errors.ts';
import type { Context } from '../kernel/context.ts';
import type { HandlersOf } from '../kernel/handlers.ts';
import { requireAllowed } from '../kernel/policy.ts';
import { names } from '../upstream/names.ts';

const MAX_BYTES = 5 * 1024 * 1024;
const TIMEOUT_MS = 10_000;
const AT_ONCE = 4;
const RASTER = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/bmp', 'image/avif']);

/** Addresses that are not on the public internet (IANA special-purpose registries, RFC 6890). */
const special = new BlockList();
for (const [net, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  special.addSubnet(net, prefix, 'ipv4');
for (const [net, prefix] of [
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const)
  special.addSubnet(net, prefix, 'ipv6');

/** Whether a mail's image may be loaded from an address. IPv4-mapped IPv6 is treated as its IPv4 address. */
export function isPublicAddress(address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  const plain = mapped?.[1] ?? address;
  const family = isIP(plain);
  if (family === 0) return false;
  if (family === 6 && /^::ffff:/i.test(plain)) return false;
  return !special.check(plain, family === 4 ? 'ipv4' : 'ipv6');
}

// The check is part of the connection's own DNS lookup, so that a name which resolves differently the second time (DNS
// rebinding) is checked again.
const publicLookup: LookupFunction = (hostname, options, callback) => {
  names.lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '', 0);
    const list = Array.isArray(addresses) ? addresses : [];
    const first = list[0];
    if (first === undefined || list.some((entry) => !isPublicAddress(entry.address))) {
      return callback(Object.assign(new Error('address is not public'), { code: 'ENOTPUBLIC' }), '', 0);
    }
    if (options.all) callback(null, list);
    else callback(null, first.address, first.family);
  });
};

/** Returns a data URL, or throws with a reason in plain words. */
export async function loadImage(agent: Agent, url: string, signal: AbortSignal): Promise<string> {
  const target = URL.canParse(url) ? new URL(url) : null;
  if (target === null || (target.protocol !== 'https:' && target.protocol !== 'http:'))
    throw new Error('not a web address');
  const host = target.hostname.replace(/^\[|\]$/g, '');
  // A literal IP address is never looked up.
  if (isIP(host) !== 0 && !isPublicAddress(host))
    throw new Error('the address is on this machine or its network');
  const { request } = await import('undici');
  const answer = await request(target, {
    dispatcher: agent,
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    headers: { accept: [...RASTER].join(', ') },
  });
  const type =
    String(answer.headers['content-type'] ?? '')
      .split(';')[0]
      ?.trim()
      .toLowerCase() ?? '';
  if (answer.statusCode !== 200 || !RASTER.has(type)) {
    // Destroying an unread body emits an error, which would be unhandled.
    answer.body.on('error', () => {}).destroy();
    throw new Error(answer.statusCode === 200 ? 'not a picture' : `the server answered ${answer.statusCode}`);
  }
  const chunks: Buffer[] = [];
  let size = 0;
  const received: AsyncIterable<Buffer> = answer.body;
  for await (const chunk of received) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error('larger than 5 MB');
    chunks.push(chunk);
  }
  return `data:${type};base64,${Buffer.concat(chunks).toString('base64')}`;
}

const reasonOf = (error: unknown): string => {
  const code = codeOf(error);
  if (code === 'ENOTPUBLIC') return 'the address is on this machine or its network';
  if (code === 'ENOTFOUND') return 'the host name is not known';
  if (code === 'EAI_AGAIN') return 'no name server gave an answer';
  if (code === 'ECONNREFUSED' || code === 'ECONNRESET') return 'the server refused';
  return error instanceof Error && error.name === 'TimeoutError'
    ? 'no answer in 10 s'
    : error instanceof Error
      ? error.message
      : 'failed';
};

export function createRemoteHandlers(context: Context): HandlersOf<'remote.images'> {
  return {
    'remote.images': async ({ connectionId, urls }, { signal }) => {
      requireAllowed(context.ports.policy, 'remote-images');
      if (context.connection(connectionId).kind === 'evidence') {
        throw new ParapetError(
          'not-allowed',
          'Mail opened as evidence never reaches the network: its remote content stays blocked.',
        );
      }
      if (context.upstream.isOffline(connectionId)) {
        throw new ParapetError(
          'offline',
          'Parapet is offline: remote images are not loaded. Go online and try again.',
        );
      }
      const { Agent } = await import('undici');
      const agent = new Agent({
        connect: { lookup: publicLookup, timeout: TIMEOUT_MS },
        maxResponseSize: MAX_BYTES,
      });
      const images: { url: string; dataUrl: string }[] = [];
      const failed: { url: string; reason: string }[] = [];
      const waiting = [...new Set(urls)];
      const work = async () => {
        for (let url = waiting.shift(); url !== undefined; url = waiting.shift()) {
          try {
            images.push({ url, dataUrl: await loadImage(agent, url, signal) });
          } catch (error) {
            failed.push({ url, reason: reasonOf(error) });
          }
        }
      };
      try {
        await Promise.all(Array.from({ length: AT_ONCE }, work));
      } finally {
        await agent.destroy();
      }
      return { images, failed };
    },
  };
}
