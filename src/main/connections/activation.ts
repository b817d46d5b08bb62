/** Which connection is current, and starting its service. */
import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import {
  type AppEvent,
  type ConnectionState,
  CONNECTION_NAME_MAX as NAME_MAX,
} from '#shared/bridge/operations.ts';
import type { EmbeddedSource } from '#shared/embedded.ts';
import { diskFailure, isDenied, withheld } from '#shared/model/disk-errors.ts';
import { productIn } from '#shared/model/white-label.ts';
import { realPath } from '#workers/real-path.ts';
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

interface Deps {
  records: Records;
  states: ConnectionHealth;
  upstream: Pick<Upstream, 'send'> & { proxyOf(connectionId: string): string | null };
  publish(event: AppEvent): void;
  now(): number;
  log: Logger;
  product: string;
  /** The profile waits for its passphrase or keychain: nothing may be stored yet. */
  isLocked(): boolean;
}

export class Activation {
  readonly #records: Deps['records'];
  readonly #health: Deps['states'];
  readonly #upstream: Deps['upstream'];
  readonly #publish: Deps['publish'];
  readonly #now: Deps['now'];
  readonly #log: Deps['log'];
  readonly #product: Deps['product'];
  readonly #isLocked: Deps['isLocked'];
  #isChosen = false;
  #waiting: ConnectTarget | null = null;

  constructor({ records, states: health, upstream, publish, now, log, product, isLocked }: Deps) {
    this.#records = records;
    this.#health = health;
    this.#upstream = upstream;
    this.#publish = publish;
    this.#now = now;
    this.#log = log;
    this.#product = product;
    this.#isLocked = isLocked;
  }

  state(): ConnectionState {
    const id = this.#records.active()?.id ?? null;
    const proxy = id === null ? null : this.#upstream.proxyOf(id);
    return { ...this.#health.of(id), ...(proxy === null ? {} : { proxy }) };
  }

  publishState(): void {
    this.#publish({ type: 'connection', state: this.state() });
  }

  /** Makes a connection current; its service starts in the background. Rejects `no-connection`. */
  async activate(id: string | null): Promise<ConnectionState> {
    this.#isChosen = true;
    if (id !== null) this.#records.get(id);
    await this.#records.setActive(id, this.#now());
    if (id !== null && !this.#health.byChoice()) {
      this.#health.starting(id);
      void this.#bringUp(id);
    }
    this.#publish({ type: 'connections' });
    this.publishState();
    return this.state();
  }

  /**
   * Finds or creates the connection given on the command line, and activates it; for evidence, once the profile is
   * unlocked.
   */
  async connect(target: ConnectTarget): Promise<void> {
    this.#isChosen = true;
    this.#waiting = target.kind === 'evidence' && this.#isLocked() ? target : null;
    if (this.#waiting !== null) return;
    if (target.kind === 'none') {
      await this.activate(null);
      return;
    }
    if (target.kind === 'tenant') {
      const url = serviceBase(target.url);
      const tenant = this.#records.find((record) => record.kind === 'tenant' && record.url === url);
      await this.activate(
        tenant?.id ?? (await this.#make({ name: new URL(url).host, kind: 'tenant', url, source: null })),
      );
      return;
    }
    const source: EmbeddedSource =
      target.kind === 'demo'
        ? { kind: 'demo', emails: target.emails ?? DEMO.emails, seed: target.seed ?? DEMO.seed }
        : { kind: 'evidence', path: await existing(target.path) };
    const existingRecord = this.#records.find((record) => this.#sameSource(record.source, source));
    const name = source.kind === 'demo' ? 'Demo tenant' : evidenceName(source.path).slice(0, NAME_MAX);
    await this.activate(
      existingRecord?.id ?? (await this.#make({ name, kind: source.kind, url: null, source })),
    );
  }

  /** Connects to the evidence that was requested while the profile was locked, if any. Rejects as `connect` does. */
  async connectWaiting(): Promise<void> {
    if (this.#waiting !== null) await this.connect(this.#waiting);
  }

  /** Activates the last connection, unless the command line named one. */
  async resume(): Promise<void> {
    const last = this.#records.active();
    if (this.#isChosen || last === null) return;
    await this.activate(last.id);
  }

  async #bringUp(id: string) {
    try {
      // The call reports its outcome to the connection health.
      const { rows } = await this.#upstream.send(id, 'apps.list', {}, { retry: false });
      await this.#adoptProduct(
        id,
        rows.map(({ name }) => name),
      );
    } catch (error) {
      const failure =
        error instanceof ParapetError ? error : new ParapetError('internal', toBridgeError(error).message);
      if (failure.code === 'offline') return;
      // Failures before the call, such as an embedded service that does not start, are reported here.
      if (this.#health.of(id).phase === 'starting') this.#health.failed(id, failure);
      this.#log.info('a connection did not come up', { code: failure.code });
    }
  }

  /** Derives `{product}` from the tenant's tools unless the analyst has set it; with a wrong one, calls fail. */
  async #adoptProduct(id: string, tools: readonly string[]): Promise<void> {
    const record = this.#records.find((record) => record.id === id);
    if (record?.kind !== 'tenant' || record.product !== this.#product) return;
    const product = productIn(tools, record.product);
    if (product === null) return;
    await this.#records.save({ ...record, product });
    this.#publish({ type: 'connections' });
  }

  async #make(part: Pick<ConnectionRecord, 'name' | 'kind' | 'url' | 'source'>): Promise<string> {
    const record: ConnectionRecord = {
      ...part,
      id: randomUUID(),
      authorityPem: null,
      authServers: [],
      flags: {},
      product: this.#product,
      timezone: null,
      hasCredential: false,
      sourceLabel: part.source?.kind === 'evidence' ? evidenceName(part.source.path) : null,
      createdAt: this.#now(),
      activatedAt: null,
      generation: 0,
      credentialKey: null,
    };
    await this.#records.save(record);
    return record.id;
  }

  #sameSource(a: EmbeddedSource | null, b: EmbeddedSource) {
    return JSON.stringify(a) === JSON.stringify(b);
  }
}

/** The last part of a path; the root of a disk has none. */
export const evidenceName = (path: string): string => basename(path) || path;

/** The real path of evidence. Rejects path-missing and permission-denied in words that reveal only the path. */
export async function existing(path: string): Promise<string> {
  try {
    return await realPath(path);
  } catch (error) {
    const denied = isDenied(error);
    const failure = diskFailure(error) ?? withheld(error);
    if (failure !== null)
      throw new ParapetError('bad-file', `The evidence at ${path} cannot be read: ${failure}.`, {
        retryable: true,
        cause: error,
      });
    throw new ParapetError(
      denied ? 'permission-denied' : 'path-missing',
      denied
        ? 'The evidence cannot be read: permission was denied.'
        : `There is no evidence at ${path}. Check the path: the folder or file may have been moved or unplugged.`,
      { cause: error },
    );
  }
}
