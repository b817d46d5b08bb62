/** The core in a test: a temporary profile, fake ports, and a bridge over a wire in memory. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type App, createApp, type Tuning } from '#main/app.ts';
import { NO_POLICY } from '#main/kernel/policy.ts';
import type { Keychain, Ports } from '#main/kernel/ports.ts';
import type { Bridge } from '#shared/bridge/bridge.ts';
import { createBridge } from '#shared/bridge/client.ts';
import { ParapetError } from '#shared/bridge/errors.ts';
import type { Wire } from '#shared/bridge/frames.ts';
import type { Connection, ConnectionSettings, EventOf, InputOf } from '#shared/bridge/operations.ts';
import { THREADS } from './threads.ts';

/** Derives a key from a passphrase in a millisecond; `keys.test.ts` tests the product's own cost. */
const CHEAP_SEAL = { N: 2 ** 8, r: 8, p: 1 };
const root = resolve(import.meta.dirname, '../..');

export function memoryKeychain(
  entries = new Map<string, string>(),
): Keychain & { entries: Map<string, string> } {
  return {
    entries,
    get: async (account) => entries.get(account) ?? null,
    set: async (account, secret) => void entries.set(account, secret),
    remove: async (account) => void entries.delete(account),
  };
}

export function failingKeychain(code: 'secrets-unavailable' | 'secrets-locked'): Keychain {
  const fail = async (): Promise<never> => {
    throw new ParapetError(
      code,
      code === 'secrets-locked' ? 'The keychain is locked.' : 'There is no keychain.',
    );
  };
  return { get: fail, set: fail, remove: fail };
}

/** Both ends of a wire in memory; messages are copied, as on a real one. */
function wirePair(): { client: Wire; server: Wire; close(): void } {
  const closers: (() => void)[] = [];
  const end = () => {
    const handlers: ((frame: unknown) => void)[] = [];
    return { handlers, deliver: (frame: unknown) => void handlers.map((handler) => handler(frame)) };
  };
  const atClient = end();
  const atServer = end();
  const wire = (near: typeof atClient, other: typeof atClient): Wire => ({
    send: (frame) => {
      const copy: unknown = JSON.parse(JSON.stringify(frame));
      queueMicrotask(() => other.deliver(copy));
    },
    onFrame: (handler) => near.handlers.push(handler),
    onClose: (handler) => closers.push(handler),
  });
  return {
    client: wire(atClient, atServer),
    server: wire(atServer, atClient),
    close: () => {
      for (const close of closers) close();
    },
  };
}

export interface CoreOptions {
  profile?: string;
  keychain?: Keychain;
  now?: () => number;
  ticks?: () => number;
  tuning?: Tuning;
  dialogs?: Ports['dialogs'];
  policy?: Ports['policy'];
  log?: Ports['log'];
  routes?: NonNullable<Ports['routes']>;
  /** Entries to use instead of THREADS. */
  workers?: Partial<Ports['workers']>;
}

export interface Core {
  app: App;
  bridge: Bridge;
  profile: string;
  logged: string[];
  /** Closes the first renderer. */
  detach(): void;
  /** Another renderer on the same core. */
  attach(): { bridge: Bridge; close(): void };
  stop(): Promise<void>;
}

const noDialogs: Ports['dialogs'] = { save: async () => null, open: async () => null };

export function temporaryProfile(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'parapet-test-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export async function startCore(options: CoreOptions & { profile: string }): Promise<Core> {
  const logged: string[] = [];
  const log = (message: string, data?: Record<string, unknown>) => {
    logged.push(`${message} ${JSON.stringify(data ?? {})}`);
  };
  const ports: Ports = {
    host: 'browser',
    version: '0.0.0-test',
    paths: { profile: options.profile, resources: join(root, 'resources') },
    workers: {
      ...THREADS,
      ...options.workers,
    },
    dialogs: options.dialogs ?? noDialogs,
    keychain: options.keychain ?? memoryKeychain(),
    shell: { writeClipboard: async () => {}, control: () => {} },
    now: options.now ?? Date.now,
    ticks: options.ticks ?? (() => performance.now()),
    log: options.log ?? { info: log, warn: log },
    policy: options.policy ?? NO_POLICY,
    ...(options.routes === undefined ? {} : { routes: options.routes }),
  };
  const app = await createApp(ports, {
    checkOutputs: true,
    sealCost: CHEAP_SEAL,
    ...options.tuning,
    limits: { retryBaseMs: 5, ...options.tuning?.limits },
  });
  const attach = () => {
    const pair = wirePair();
    app.attach(pair.server);
    return { bridge: createBridge(pair.client), close: pair.close };
  };
  const first = attach();
  return {
    app,
    bridge: first.bridge,
    profile: options.profile,
    logged,
    detach: first.close,
    attach,
    stop: async () => {
      first.close();
      await app.stop();
    },
  };
}

/** Cores of one test file. `stopAll` stops those that still run: call it after each test. */
export function startedCores(defaults: () => CoreOptions & { profile: string }) {
  const running = new Set<Core>();
  const stop = async (core: Core) => {
    running.delete(core);
    await core.stop();
  };
  return {
    start: async (options: CoreOptions = {}) => {
      const core = await startCore({ ...defaults(), ...options });
      running.add(core);
      return core;
    },
    stop,
    stopAll: () => Promise.all([...running].map(stop)),
  };
}

export const tenantSettings = (
  url: string,
  change: Partial<ConnectionSettings> = {},
): ConnectionSettings => ({
  name: 'A tenant',
  kind: 'tenant',
  url,
  authorityPem: null,
  authServers: [],
  flags: {},
  product: 'guard',
  timezone: null,
  ...change,
});

export const addTenant = (
  bridge: Bridge,
  url: string,
  credential: string | null = null,
): Promise<Connection> =>
  bridge.call('connections.save', { id: null, settings: tenantSettings(url), credential, grantId: null });

export type Snapshot = EventOf<'service.read'>;

/** All snapshots of a read, and its failure if it failed. */
export async function readAll(
  bridge: Bridge,
  input: InputOf<'service.read'>,
): Promise<{ snapshots: Snapshot[]; error: ParapetError | null }> {
  const snapshots: Snapshot[] = [];
  try {
    await bridge.stream('service.read', input, (event) => snapshots.push(event));
    return { snapshots, error: null };
  } catch (error) {
    if (!(error instanceof ParapetError)) throw error;
    return { snapshots, error };
  }
}
