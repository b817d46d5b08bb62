import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AppEvent } from '#shared/bridge/operations.ts';
import { managedOf, policyFile } from '#shared/model/policy.ts';
import type { Release } from '#shared/model/update.ts';
import { NO_POLICY, type Policy } from '../kernel/policy.ts';
import type { Ports, UpdatePort } from '../kernel/ports.ts';
import { Feed, feedBase } from './feed.ts';
import { Updates } from './updates.ts';

const LIMITS = { connectMs: 1000, idleMs: 300, feedMs: 1500, slowest: 1024 * 1024 };
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const PEM = publicKey.export({ type: 'spki', format: 'pem' }).toString();
const PACKAGE = Buffer.alloc(3_000_000, 'a package ');
const NAME = 'Parapet-1.1.0-x86_64.AppImage';

type Answer = (request: http.IncomingMessage, response: http.ServerResponse) => void;
let answers: Map<string, Answer>;
let requests: string[];
let server: http.Server;
let base: string;
let dir: string;

beforeEach(async () => {
  answers = new Map();
  requests = [];
  server = http.createServer((request, response) => {
    requests.push(request.url ?? '');
    const answer = answers.get(request.url ?? '');
    if (answer === undefined) response.writeHead(404).end();
    else answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/parapet`;
  dir = mkdtempSync(path.join(os.tmpdir(), 'parapet-updates-'));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(dir, { recursive: true });
});

const sha512 = (bytes: Uint8Array) => createHash('sha512').update(bytes).digest('hex');
const releaseOf = (over: Partial<Release> = {}): Release => ({
  product: 'parapet',
  channel: 'stable',
  version: '1.1.0',
  date: '2026-11-02',
  notes: '- Added: something.',
  files: [{ kind: 'appimage', arch: 'x64', name: NAME, bytes: PACKAGE.length, sha512: sha512(PACKAGE) }],
  ...over,
});
const signed = (payload: string, key: KeyObject = privateKey) =>
  JSON.stringify({ payload, signature: sign(null, Buffer.from(payload), key).toString('base64') });
const say =
  (body: string | Buffer, headers: http.OutgoingHttpHeaders = {}): Answer =>
  (_request, response) =>
    response.writeHead(200, headers).end(body);
const offer = (over: Partial<Release> = {}, file: Answer = say(PACKAGE)) => {
  answers.set('/parapet/stable.json', say(signed(JSON.stringify(releaseOf(over)))));
  answers.set(`/parapet/${NAME}`, file);
};
const feed = () => new Feed(base, PEM, null, LIMITS);
const newest = () => feed().newest('stable');
const newestFile = () => releaseOf().files[0]!;

describe('a feed', () => {
  test('returns its newest release', async () => {
    offer();
    expect(await newest()).toEqual(releaseOf());
  });

  const other = generateKeyPairSync('ed25519').privateKey;
  const payload = JSON.stringify(releaseOf());
  test.each<[string, Answer, object]>([
    [
      'signed with another key',
      say(signed(payload, other)),
      { code: 'bad-file', message: expect.stringContaining('not signed') },
    ],
    [
      'changed by one byte',
      say(signed(payload).replace('1.1.0', '1.2.0')),
      { code: 'bad-file', message: expect.stringContaining('not signed') },
    ],
    ['without a signature', say(JSON.stringify({ payload, signature: '' })), { code: 'bad-file' }],
    ['that is a web page', say('<!doctype html><title>Log in to the network</title>'), { code: 'bad-file' }],
    ['that is YAML', say('version: 1.1.0\npath: Parapet.AppImage\n'), { code: 'bad-file' }],
    ['that is empty', say(''), { code: 'bad-file' }],
    ['signed, but not JSON', say(signed('version: 1.1.0')), { code: 'bad-file' }],
    ['of another product', say(signed(payload.replace('parapet', 'portcullis'))), { code: 'bad-file' }],
    [
      'of another channel',
      say(signed(JSON.stringify(releaseOf({ channel: 'beta' })))),
      { code: 'bad-file', message: expect.stringContaining('channel') },
    ],
    [
      'whose file is outside of its folder',
      say(signed(payload.replace(NAME, '../../home/.bashrc'))),
      { code: 'bad-file' },
    ],
    [
      'whose file has no end',
      say(signed(payload.replace(/"bytes":\d+/, '"bytes":99999999999'))),
      { code: 'bad-file' },
    ],
    [
      'that is compressed to be huge',
      say(gzipSync('a'.repeat(50_000_000)), { 'content-encoding': 'gzip' }),
      { code: 'bad-file' },
    ],
    [
      'without an end',
      (_, response) => {
        response.writeHead(200);
        const more = () => {
          if (response.writable) response.write('a'.repeat(65_536), more);
        };
        more();
      },
      { code: 'too-large' },
    ],
    [
      'cut in the middle',
      (_, response) => {
        response.writeHead(200, { 'content-length': 1000 }).write('{"payl');
        setTimeout(() => response.destroy(), 20);
      },
      { code: 'truncated', retryable: true },
    ],
    ['that says nothing', () => {}, { code: 'timeout', retryable: true }],
    [
      'that trickles in',
      (_, response) => {
        response.writeHead(200);
        const drip = setInterval(() => response.write(' '), 50);
        response.on('close', () => clearInterval(drip));
      },
      { code: 'timeout', retryable: true },
    ],
    [
      'that is not there',
      (_, response) => response.writeHead(503).end(),
      { code: 'server-error', retryable: true },
    ],
    [
      'that redirects to another origin',
      (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/stable.json' }).end(),
      { code: 'redirected' },
    ],
    [
      'that redirects to another protocol',
      (_, response) => response.writeHead(301, { location: 'file:///etc/passwd' }).end(),
      { code: 'redirected' },
    ],
    [
      'that redirects in a cycle',
      (_, response) => response.writeHead(307, { location: '/parapet/stable.json' }).end(),
      { code: 'redirected' },
    ],
  ])('%s is refused', async (_what, answer, error) => {
    answers.set('/parapet/stable.json', answer);
    await expect(newest()).rejects.toMatchObject(error);
  });

  test('may redirect within its own origin', async () => {
    offer();
    const there = answers.get('/parapet/stable.json')!;
    answers.set('/now/feed.json', there);
    answers.set('/parapet/stable.json', (_, response) =>
      response.writeHead(302, { location: '/now/feed.json' }).end(),
    );
    expect(await newest()).toMatchObject({ version: '1.1.0' });
  });

  test('without a server is unreachable', async () => {
    await expect(new Feed('http://127.0.0.1:1/', PEM, null, LIMITS).newest('stable')).rejects.toMatchObject({
      code: 'unreachable',
    });
  });

  test.each([
    'http://updates.example/',
    'ftp://updates.example/',
    'https://a:b@updates.example/',
    'https://u.example/?x=1',
    'updates',
  ])('%s is not a valid feed address', (address) => {
    expect(() => feedBase(address)).toThrow('not an https:// address');
  });
});

describe('a package', () => {
  test('gets its name once it is complete, and is readable by its owner only', async () => {
    offer();
    const folder = path.join(dir, 'updates');
    const names: string[] = [];
    const file = await feed().fetch(newestFile(), folder, () => names.push(...readdirSync(folder)));
    expect(file).toBe(path.join(folder, NAME));
    expect(readFileSync(file).equals(PACKAGE)).toBe(true);
    expect(names.length).toBeGreaterThan(0);
    expect(names).not.toContain(NAME);
    expect(readdirSync(folder)).toEqual([NAME]);
  });

  const changed = Buffer.from(PACKAGE);
  changed[1_500_000] = 0;
  test.each<[string, Answer, object]>([
    [
      'of different bytes',
      say(changed),
      { code: 'bad-file', message: expect.stringContaining('does not match') },
    ],
    [
      'larger than announced',
      say(Buffer.concat([PACKAGE, Buffer.from('x')])),
      { code: 'bad-file', message: expect.stringContaining('larger') },
    ],
    [
      'that never ends',
      (_, response) => {
        response.writeHead(200);
        const more = () => {
          if (response.writable) response.write(PACKAGE, more);
        };
        more();
      },
      { code: 'bad-file' },
    ],
    ['that ends too early', say(PACKAGE.subarray(0, 1_000_000)), { code: 'truncated', retryable: true }],
    [
      'whose connection breaks',
      (_, response) => {
        response.writeHead(200, { 'content-length': PACKAGE.length }).write(PACKAGE.subarray(0, 1_000_000));
        setTimeout(() => response.destroy(), 50);
      },
      { code: 'truncated' },
    ],
    [
      'that stops half-way',
      (_, response) => {
        response.writeHead(200, { 'content-length': PACKAGE.length }).write(PACKAGE.subarray(0, 1000));
      },
      { code: 'timeout' },
    ],
    [
      'from elsewhere',
      (_, response) => response.writeHead(302, { location: 'https://evil.example/' }).end(),
      { code: 'redirected' },
    ],
    ['that is gone', (_, response) => response.writeHead(404).end(), { code: 'server-error' }],
  ])('%s leaves nothing', async (_what, answer, error) => {
    offer({}, answer);
    await expect(feed().fetch(newestFile(), dir)).rejects.toMatchObject(error);
    expect(readdirSync(dir)).toEqual([]);
  });

  test('that was cancelled leaves nothing', async () => {
    offer({}, (_, response) => {
      response.writeHead(200).write(PACKAGE.subarray(0, 1000));
    });
    const ends = new AbortController();
    const fetching = feed().fetch(newestFile(), dir, () => ends.abort(), ends.signal);
    await expect(fetching).rejects.toMatchObject({ code: 'cancelled' });
    expect(readdirSync(dir)).toEqual([]);
  });
});

describe('updates', () => {
  let policy: Policy;
  let offline: boolean;
  let row: string | undefined;
  let installed: string[];
  let events: AppEvent[];
  const make = (version = '1.0.0', over: Partial<UpdatePort> | null = {}) => {
    const port: UpdatePort = {
      feed: base,
      key: PEM,
      kind: 'appimage',
      arch: 'x64',
      install: async (file) => void installed.push(file),
      ...over,
    };
    return new Updates({
      ports: {
        version,
        paths: { profile: dir, resources: '' },
        now: () => 1_000,
        policy,
        log: { info() {}, warn() {} },
        ...(over === null ? {} : { updates: port }),
      } satisfies Pick<Ports, 'version' | 'paths' | 'now' | 'log' | 'updates' | 'policy'>,
      workspace: {
        get: async <T>() => (row === undefined ? undefined : ({ value: row } as T)),
        write: async ([statement]) => {
          const [, value] = (statement?.params ?? []) as string[];
          row = value;
          return [];
        },
      },
      publish: (event) => events.push(event),
      isOffline: () => offline,
      limits: LIMITS,
    });
  };
  const context = { signal: new AbortController().signal };
  beforeEach(() => {
    policy = NO_POLICY;
    offline = false;
    row = undefined;
    installed = [];
    events = [];
  });

  test('are off, and no request is sent', async () => {
    offer();
    const updates = make();
    await updates.load();
    expect(await updates.handlers['updates.state']({}, context)).toMatchObject({
      unavailable: null,
      on: false,
      channel: 'stable',
      phase: 'idle',
      checkedAt: null,
      newest: null,
    });
    expect(requests).toEqual([]);
  });

  test('are found, downloaded and installed when the analyst requests it', async () => {
    offer();
    const { handlers } = make();
    const update = await handlers['updates.check']({}, context);
    expect(update).toMatchObject({
      phase: 'idle',
      checkedAt: 1_000,
      problem: null,
      newest: { version: '1.1.0', notes: '- Added: something.', bytes: PACKAGE.length },
    });
    expect(requests).toEqual(['/parapet/stable.json']);
    await expect(handlers['updates.install']({}, context)).rejects.toMatchObject({ code: 'not-allowed' });
    expect(await handlers['updates.fetch']({}, context)).toMatchObject({
      phase: 'ready',
      done: PACKAGE.length,
    });
    expect(installed).toEqual([]);
    await handlers['updates.install']({}, context);
    expect(installed).toEqual([path.join(dir, 'updates', NAME)]);
    expect(JSON.parse(row ?? '')).toMatchObject({ on: false, checkedAt: 1_000 });
  });

  test.each(['1.1.0', '1.1.1', '2.0.0-beta.1', '2.0.0'])(
    'a feed of 1.1.0 has nothing for %s',
    async (version) => {
      offer();
      const { handlers } = make(version);
      expect(await handlers['updates.check']({}, context)).toMatchObject({
        newest: null,
        problem: null,
        checkedAt: 1_000,
      });
      await expect(handlers['updates.fetch']({}, context)).rejects.toMatchObject({ code: 'not-allowed' });
      expect(requests).toEqual(['/parapet/stable.json']);
    },
  );

  test('a package that was changed while it waited is removed, not installed', async () => {
    offer();
    const { handlers } = make();
    await handlers['updates.check']({}, context);
    await handlers['updates.fetch']({}, context);
    writeFileSync(path.join(dir, 'updates', NAME), 'something else');
    await expect(handlers['updates.install']({}, context)).rejects.toMatchObject({ code: 'damaged' });
    expect(installed).toEqual([]);
    expect(readdirSync(path.join(dir, 'updates'))).toEqual([]);
  });

  test('a failed attempt is reported, and the known release stays', async () => {
    offer();
    const { handlers } = make();
    await handlers['updates.check']({}, context);
    answers.clear();
    const failed = await handlers['updates.check']({}, context);
    expect(failed).toMatchObject({
      phase: 'idle',
      problem: { code: 'server-error' },
      newest: { version: '1.1.0' },
    });
    expect(await handlers['updates.fetch']({}, context)).toMatchObject({
      phase: 'idle',
      problem: { code: 'server-error' },
    });
    expect(readdirSync(path.join(dir, 'updates'))).toEqual([]);
  });

  test('one that belongs to a package manager is announced, not fetched', async () => {
    offer();
    const { handlers } = make('1.0.0', { kind: null });
    expect((await handlers['updates.check']({}, context)).newest).toMatchObject({
      version: '1.1.0',
      bytes: null,
    });
    await expect(handlers['updates.fetch']({}, context)).rejects.toMatchObject({ code: 'not-allowed' });
  });

  test('offline by choice, or without a feed, no request is sent', async () => {
    offer();
    offline = true;
    await expect(make().handlers['updates.check']({}, context)).rejects.toMatchObject({ code: 'offline' });
    const none = make('1.0.0', null);
    expect(await none.handlers['updates.state']({}, context)).toMatchObject({
      unavailable: expect.stringContaining('browser'),
      on: false,
    });
    await expect(none.handlers['updates.check']({}, context)).rejects.toMatchObject({ code: 'not-allowed' });
    expect(requests).toEqual([]);
  });

  test('the fleet policy overrides the analyst', async () => {
    const file = '/etc/parapet/policy.json';
    const parsed = policyFile.parse({ version: 1, off: ['updates'], updates: { channel: 'beta' } });
    policy = { ...NO_POLICY, managed: managedOf(file, parsed, null) };
    row = JSON.stringify({ on: true, channel: 'stable', checkedAt: null });
    const updates = make();
    await updates.load();
    expect(await updates.handlers['updates.state']({}, context)).toMatchObject({
      on: false,
      channel: 'beta',
      managed: { on: true, channel: true, by: file },
    });
    for (const call of ['updates.check', 'updates.fetch', 'updates.install'] as const)
      await expect(updates.handlers[call]({}, context)).rejects.toMatchObject({
        code: 'not-allowed',
        message: expect.stringContaining('/etc/parapet'),
      });
    await expect(
      updates.handlers['updates.choose']({ on: true, channel: 'stable' }, context),
    ).rejects.toMatchObject({ code: 'not-allowed' });
    expect(requests).toEqual([]);
  });

  test('switching to another channel starts over', async () => {
    offer();
    answers.set(
      '/parapet/beta.json',
      say(signed(JSON.stringify(releaseOf({ channel: 'beta', version: '1.2.0-beta.1' })))),
    );
    const { handlers } = make();
    await handlers['updates.check']({}, context);
    expect(await handlers['updates.choose']({ on: true, channel: 'beta' }, context)).toMatchObject({
      on: true,
      channel: 'beta',
      newest: null,
      checkedAt: null,
    });
    expect((await handlers['updates.check']({}, context)).newest).toMatchObject({ version: '1.2.0-beta.1' });
  });
});
