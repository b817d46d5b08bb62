/** Which connection is current, and starting its service. */
import { randomUUID } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import { ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import type { AppEvent, ConnectionState } from '#shared/bridge/operations.ts';
import type { EmbeddedSource } from '#shared/embedded.ts';
import type { Upstream } from '../kernel/context.ts';
import type { Logger } from '../kernel/ports.ts';
import { serviceBase } from '../upstream/address.ts';
import type { ConnectionHealth } from './health.ts';
import type { ConnectionRecord, Records } from './repository.ts';

export type ConnectTarget =
  | { kind: 'demo'; emails?: number; seed?: number }
  | { kind: 'none' }
  | { kind: 'tenant'; url: string }
  | { kind: 'evidence'; path: string };

export const DEMO = { emails: 20_000, seed: 1 } as const;

export interface Activation {
  state(): ConnectionState;
  /** Makes a connection current; its service starts in the background. Rejects `no-connection`. */
  activate(id: string | null): Promise<ConnectionState>;
  /**
   * Finds or creates the connection given on the command line, and activates it; for evidence, once the profile is
   * unlocked.
   */
  connect(target: ConnectTarget): Promise<void>;
  /** Connects to the evidence that was requested while the profile was locked, if any. Rejects as `connect` does. */
  connectWaiting(): Promise<void>;
  /** Activates the last connection, unless the command line named one. */
  resume(): Promise<void>;
  publishState(): void;
}

interface Deps {
  records: Records;
  states: ConnectionHealth;
  upstream: Pick<Upstream, 'send'>;
  publish(event: AppEvent): void;
  now(): number;
  log: Logger;
  product: string;
  /** The profile waits for its passphrase or keychain: nothing may be stored yet. */
  isLocked(): boolean;
}

export function createActivation({
  records,
  states: health,
  upstream,
  publish,
  now,
  log,
  product,
  isLocked,
}: Deps): Activation {
  let asked = false;
  let waiting: ConnectTarget | null = null;

  const state = () => health.of(records.active()?.id ?? null);
  const publishState = () => publish({ type: 'connection', state: state() });

  const bringUp = async (id: string) => {
    try {
      // The call reports its outcome to the connection health; the answer itself is not needed.
      await upstream.send(id, 'apps.list', {}, { retry: false });
    } catch (error) {
      const failure =
        error instanceof ParapetError ? error : new ParapetError('internal', toBridgeError(error).message);
      if (failure.code === 'offline') return;
      // Failures before the call, such as an embedded service that does not start, are reported here.
      if (health.of(id).phase === 'starting') health.failed(id, failure);
      log.info('a connection did not come up', { code: failure.code });
    }
  };

  const activate = async (id: string | null): Promise<ConnectionState> => {
    asked = true;
    if (id !== null) records.get(id);
    await records.setActive(id, now());
    if (id !== null && !health.byChoice()) {
      health.starting(id);
      void bringUp(id);
    }
    publish({ type: 'connections' });
    publishState();
    return state();
  };

  const make = async (part: Pick<ConnectionRecord, 'name' | 'kind' | 'url' | 'source'>): Promise<string> => {
    const record: ConnectionRecord = {
      ...part,
      id: randomUUID(),
      authorityPem: null,
      authServers: [],
      flags: {},
      product,
      timezone: null,
      hasCredential: false,
      sourceLabel: part.source?.kind === 'evidence' ? basename(part.source.path) : null,
      createdAt: now(),
      activatedAt: null,
      generation: 0,
      credentialKey: null,
    };
    await records.save(record);
    return record.id;
  };

  const sameSource = (a: EmbeddedSource | null, b: EmbeddedSource) => JSON.stringify(a) === JSON.stringify(b);

  const connect = async (target: ConnectTarget) => {
    asked = true;
    waiting = target.kind === 'evidence' && isLocked() ? target : null;
    if (waiting !== null) return;
    if (target.kind === 'none') {
      await activate(null);
      return;
    }
    if (target.kind === 'tenant') {
      const url = serviceBase(target.url);
      const known = records.find((record) => record.kind === 'tenant' && record.url === url);
      await activate(
        known?.id ?? (await make({ name: new URL(url).host, kind: 'tenant', url, source: null })),
      );
      return;
    }
    const source: EmbeddedSource =
      target.kind === 'demo'
        ? { kind: 'demo', emails: target.emails ?? DEMO.emails, seed: target.seed ?? DEMO.seed }
        : { kind: 'evidence', path: await existing(target.path) };
    const known = records.find((record) => sameSource(record.source, source));
    const name = source.kind === 'demo' ? 'Demo tenant' : basename(source.path);
    await activate(known?.id ?? (await make({ name, kind: source.kind, url: null, source })));
  };

  return {
    state,
    publishState,
    activate,
    connect,
    async connectWaiting() {
      if (waiting !== null) await connect(waiting);
    },
    async resume() {
      const last = records.active();
      if (asked || last === null) return;
      await activate(last.id);
    },
  };
}

/** The real path of evidence. Rejects path-missing and permission-denied in words that reveal only the path. */
export async function existing(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const denied = error instanceof Error && 'code' in error && error.code === 'EACCES';
    throw new ParapetError(
      denied ? 'permission-denied' : 'path-missing',
      denied
        ? 'The evidence cannot be read: permission was denied.'
        : `There is no evidence at ${path}. Check the path: the folder or file may have been moved or unplugged.`,
      { cause: error },
    );
  }
}
