/**
 * Reads a feed of releases and downloads packages from it. The address needs no trust: everything used is signed, and
 * only bytes that match the signature are stored under the package's name.
 */
import { createHash, createPublicKey, verify } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Agent, Dispatcher } from 'undici';
import { ParapetError } from '#shared/bridge/errors.ts';
import { codeOf } from '#shared/model/disk-errors.ts';
import {
  type Release,
  type ReleaseFile,
  release,
  signedRelease,
  type UpdateChannel,
} from '#shared/model/update.ts';
import { commitPart, fileError, newPart, openPart, removePart } from '../files/temp-file.ts';
import type { Routes } from '../kernel/ports.ts';
import { isLoopback } from '../upstream/address.ts';
import { openAgent } from '../upstream/agent.ts';
import { transportError } from '../upstream/errors.ts';
import { TunnelError } from '../upstream/tunnel.ts';

export interface FeedLimits {
  connectMs: number;
  /** Without receiving a byte. */
  idleMs: number;
  /** For the whole feed. */
  feedMs: number;
  /** Bytes per second below which a package is given up once the time for a feed is over. */
  slowest: number;
}
const FEED_LIMITS: FeedLimits = {
  connectMs: 10_000,
  idleMs: 30_000,
  feedMs: 60_000,
  slowest: 16 * 1024,
};

const FEED_MAX = 512 * 1024;
const REDIRECTS = 3;

const refused = (message: string) => new ParapetError('bad-file', `${message} Nothing from it was used.`);
const tooSlow = () =>
  new ParapetError('timeout', 'The update server took too long to answer. Try again later.', {
    retryable: true,
  });

/** The address of a feed's folder: https, or http on this machine. Throws for any other. */
export function feedBase(text: string): URL {
  const url = URL.parse(text.endsWith('/') ? text : `${text}/`);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (
    url === null ||
    !isSafe ||
    url.username !== '' ||
    url.password !== '' ||
    url.search !== '' ||
    url.hash !== ''
  )
    throw new ParapetError('invalid-input', 'The address of the update feed is not an https:// address.');
  return url;
}

/** Everything that can go wrong during a transfer, in words. */
function feedError(error: unknown): unknown {
  if (error instanceof ParapetError) return error;
  if (error instanceof TunnelError) return transportError(error, 'updates', false);
  const code = codeOf(error);
  const name = error instanceof Error ? error.name : '';
  if (name === 'TimeoutError' || /TIMEOUT|ETIMEDOUT/.test(code)) return tooSlow();
  if (name === 'AbortError') return new ParapetError('cancelled', 'Cancelled.');
  if (/CONTENT_LENGTH_MISMATCH|UND_ERR_SOCKET|ECONNRESET|HPE_/.test(code))
    return new ParapetError('truncated', 'The connection to the update server broke off. Try again.', {
      retryable: true,
    });
  return new ParapetError('unreachable', 'The update server cannot be reached.', {
    retryable: true,
    cause: error,
  });
}

export class Feed {
  readonly #base: URL;
  readonly #key: ReturnType<typeof createPublicKey>;
  readonly #authorityPem: string | null;
  readonly #limits: FeedLimits;
  readonly #routes: (address: string) => Promise<Routes>;

  /**
   * `key` is the public Ed25519 key in PEM form. `authorityPem` is trusted for these requests in addition to the
   * machine's own.
   */
  constructor(
    address: string,
    key: string,
    authorityPem: string | null = null,
    limits: FeedLimits = FEED_LIMITS,
    routes: (address: string) => Promise<Routes> = async () => [null],
  ) {
    this.#base = feedBase(address);
    this.#key = createPublicKey(key);
    if (this.#key.asymmetricKeyType !== 'ed25519')
      throw new TypeError('The key of a feed must be an Ed25519 key');
    this.#authorityPem = authorityPem;
    this.#limits = limits;
    this.#routes = routes;
  }

  /** The newest release of a channel. Rejects unreachable, timeout, truncated, redirected, too-large, bad-file. */
  async newest(channel: UpdateChannel, signal?: AbortSignal): Promise<Release> {
    const bytes = await this.#within(this.#limits.feedMs, signal, async (ends, agent) => {
      const body = await this.#get(`${channel}.json`, agent, ends);
      const pieces: Buffer[] = [];
      let size = 0;
      const received: AsyncIterable<Buffer> = body;
      for await (const piece of received) {
        size += piece.length;
        if (size > FEED_MAX)
          throw new ParapetError('too-large', 'The update feed is larger than a feed may be.');
        pieces.push(piece);
      }
      return Buffer.concat(pieces);
    });
    return this.#read(bytes, channel);
  }

  #read(bytes: Buffer, channel: UpdateChannel): Release {
    let signed: { payload: string; signature: string };
    try {
      signed = signedRelease.parse(JSON.parse(bytes.toString('utf8')));
    } catch {
      throw refused('The response of the update server is not a feed.');
    }
    const { payload, signature } = signed;
    if (!verify(null, Buffer.from(payload), this.#key, Buffer.from(signature, 'base64')))
      throw refused('The update feed is not signed with the key of this Parapet.');
    let foundRelease: Release;
    try {
      foundRelease = release.parse(JSON.parse(payload));
    } catch {
      throw refused('The update feed has a format that this Parapet does not know.');
    }
    if (foundRelease.channel !== channel) throw refused('The update feed belongs to another channel.');
    return foundRelease;
  }

  /**
   * Fetches a package into a folder and returns its path there. It gets its name only when every byte matches the feed;
   * before that, and after a failure, there is at most a part.
   */
  async fetch(
    file: ReleaseFile,
    folder: string,
    onBytes: (received: number) => void = () => {},
    signal?: AbortSignal,
  ): Promise<string> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const target = path.join(folder, file.name);
    const part = newPart(target);
    const within = this.#limits.feedMs + Math.ceil((file.bytes / this.#limits.slowest) * 1000);
    try {
      await this.#within(within, signal, async (ends, agent) => {
        const body = await this.#get(file.name, agent, ends);
        await writePart(body, part, file, onBytes);
      });
      return await commitPart(part, target, { replace: true });
    } catch (error) {
      await removePart(part);
      throw fileError(error, file.name);
    }
  }

  /** One agent per request, closed afterwards: no connection to the feed stays open. */
  async #within<T>(
    ms: number,
    signal: AbortSignal | undefined,
    work: (ends: AbortSignal, agent: Agent) => Promise<T>,
  ): Promise<T> {
    const { agent } = await openAgent({
      origin: this.#base,
      authorityPem: this.#authorityPem,
      routes: await this.#routes(this.#base.href),
      connectMs: this.#limits.connectMs,
      headersMs: this.#limits.idleMs,
      bodyMs: this.#limits.idleMs,
    });
    const deadline = AbortSignal.timeout(ms);
    try {
      return await work(signal === undefined ? deadline : AbortSignal.any([signal, deadline]), agent);
    } catch (error) {
      throw feedError(error);
    } finally {
      await agent.destroy();
    }
  }

  async #get(name: string, agent: Agent, signal: AbortSignal): Promise<Dispatcher.ResponseData['body']> {
    const { request } = await import('undici');
    let url = new URL(name, this.#base);
    for (let hop = 0; hop <= REDIRECTS; hop++) {
      // A few compressed bytes could expand to any size.
      const headers = { accept: '*/*', 'accept-encoding': 'identity', 'cache-control': 'no-cache' };
      const {
        statusCode,
        headers: answered,
        body,
      } = await request(url, { dispatcher: agent, headers, signal });
      if (statusCode === 200) return body;
      // Destroying an unread body emits an error, which would be unhandled.
      body.on('error', () => {}).destroy();
      const to = answered.location;
      if (statusCode < 300 || statusCode > 399 || typeof to !== 'string')
        throw new ParapetError('server-error', `The update server answered ${statusCode}.`, {
          retryable: true,
        });
      const next = URL.parse(to, url.href);
      if (next?.origin !== this.#base.origin)
        throw new ParapetError(
          'redirected',
          'The update server redirects elsewhere, where Parapet does not follow.',
        );
      url = next;
    }
    throw new ParapetError('redirected', 'The update server redirects endlessly.');
  }
}

async function writePart(
  body: Dispatcher.ResponseData['body'],
  part: string,
  { bytes, sha512 }: ReleaseFile,
  onBytes: (received: number) => void,
): Promise<void> {
  const handle = await openPart(part);
  const hash = createHash('sha512');
  let bytesRead = 0;
  try {
    const received: AsyncIterable<Buffer> = body;
    for await (const piece of received) {
      bytesRead += piece.length;
      if (bytesRead > bytes) throw refused('The package is larger than the feed says.');
      hash.update(piece);
      await handle.writeFile(piece);
      onBytes(bytesRead);
    }
    if (bytesRead < bytes)
      throw new ParapetError('truncated', 'The package ended too early. Try again.', {
        retryable: true,
      });
    if (hash.digest('hex') !== sha512) throw refused('The package does not match the signature of its feed.');
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Removes the packages of a folder. */
export async function clearPackages(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => []))
    await rm(path.join(folder, name), { recursive: true, force: true });
}
