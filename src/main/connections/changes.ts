/** Changes of connections, one after another, with everything that they leave behind. */
import { randomUUID } from 'node:crypto';
import { ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import {
  type AppEvent,
  type Connection,
  type ConnectionSettings,
  connectionSettings,
  type ParsedInputOf,
} from '#shared/bridge/operations.ts';
import type { EmbeddedSource } from '#shared/embedded.ts';
import { sameOrigin } from '#shared/model/hosts.ts';
import { managedId } from '#shared/model/policy.ts';
import type { Embedded } from '../embedded/manager.ts';
import type { Grants } from '../kernel/context.ts';
import type { Generations } from '../kernel/generations.ts';
import { requireUnmanaged } from '../kernel/policy.ts';
import type { Logger, Ports } from '../kernel/ports.ts';
import type { UpstreamService } from '../upstream/upstream.ts';
import { type Activation, DEMO, evidenceName, existing } from './activation.ts';
import type { ConnectionHealth } from './health.ts';
import { type ConnectionRecord, type Leftover, publicPart, type Records } from './repository.ts';
import type { Secrets } from './secrets.ts';
import { checkCredential, checkSettings, invalid, sameAddress } from './settings.ts';

export interface ChangesDeps {
  records: Records;
  health: ConnectionHealth;
  secrets: Secrets;
  embedded: Embedded;
  upstream: UpstreamService;
  activation: Activation;
  grants: Grants;
  generations: Generations;
  log: Logger;
  policy: Ports['policy'];
  /** White-label product of a new connection. */
  product: string;
  publish(event: AppEvent): void;
  now(): number;
  /** Which work in progress a change of the connection would break, in words, or null if there is none. */
  inUse(connectionId: string): string | null;
  /** Removes everything cached for a connection. */
  wipe(connectionId: string): Promise<void>;
  /** The connection now means another service or account: clears the earlier one's data from screens. */
  replaced(connectionId: string): void;
}

/** A URL of another origin never gets the earlier credential. */
export const keptKey = (before: ConnectionRecord | null, url: string | null): string | null =>
  before !== null && sameOrigin(before.url, url) ? before.credentialKey : null;

const leftBy = (before: ConnectionRecord, key: string | null, another: boolean): Leftover[] => [
  ...(before.credentialKey !== null && before.credentialKey !== key
    ? [{ kind: 'credential' as const, name: before.credentialKey }]
    : []),
  ...(another ? [{ kind: 'cache' as const, name: before.id }] : []),
];

const isOf = (source: EmbeddedSource) => (record: ConnectionRecord) =>
  JSON.stringify(record.source) === JSON.stringify(source);

export class ConnectionChanges {
  readonly #deps: ChangesDeps;
  /** Connections that wait until the cached data of their earlier service is removed. */
  readonly #waiting = new Map<string, () => void>();
  /** The end of the previous change; the next one starts after it. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(deps: ChangesDeps) {
    this.#deps = deps;
  }

  save(input: ParsedInputOf<'connections.save'>): Promise<Connection> {
    return this.#inTurn(() => this.#saveAsAllowed(input));
  }

  remove(id: string): Promise<void> {
    return this.#inTurn(() => this.#removeConnection(id));
  }

  /** Tries again to remove the data a connection is waiting for; resolves in either case. */
  async removeLeftovers(id: string): Promise<void> {
    if (this.#waiting.has(id)) await this.#inTurn(() => this.sweep());
  }

  /** Adds the connections of the policy and changes those whose definition changed. */
  manage(): Promise<void> {
    return this.#inTurn(() => this.#manage()).catch((error: unknown) =>
      this.#deps.log.warn('the connections of the policy could not be saved', {
        reason: toBridgeError(error).message,
      }),
    );
  }

  async readKey(key: string | null): Promise<string | null> {
    return key === null ? null : this.#deps.secrets.credential(key);
  }

  /** Removes what earlier changes of connections left behind; what cannot be removed now stays recorded. */
  async sweep(): Promise<void> {
    const leftovers = await this.#deps.records.leftovers().catch((error: unknown) => {
      this.#deps.log.warn('what changes of connections left could not be read', { reason: String(error) });
      return null;
    });
    if (leftovers === null) return;
    for (const id of [...this.#waiting.keys()])
      if (!leftovers.some(({ kind, name }) => kind === 'cache' && name === id)) this.#goOn(id);
    for (const leftover of leftovers) {
      try {
        await this.#clear(leftover);
        await this.#deps.records.removed(leftover);
        if (leftover.kind !== 'cache') continue;
        this.#goOn(leftover.name);
      } catch (error) {
        // It stays recorded; until it is removed, a connection that holds another service's data is not read.
        this.#deps.log.warn('what a change of connections left could not be removed', {
          kind: leftover.kind,
          reason: toBridgeError(error).message,
        });
      }
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work, work);
    this.#last = mine.catch(() => {});
    return mine;
  }

  /** What the policy defines of a connection cannot be changed. */
  async #saveAsAllowed(input: ParsedInputOf<'connections.save'>): Promise<Connection> {
    const { name, url, timezone } = input.settings;
    const defined = this.#deps.policy.connections.find(({ id }) => managedId(id) === input.id);
    if (
      defined !== undefined &&
      (defined.name !== name ||
        !sameAddress(defined.url, url) ||
        (defined.timezone !== undefined && defined.timezone !== timezone))
    )
      requireUnmanaged(this.#deps.policy, managedId(defined.id));
    return this.#save(input);
  }

  async #save({
    id,
    settings,
    credential,
    grantId,
    sameAccount,
  }: ParsedInputOf<'connections.save'>): Promise<Connection> {
    const before = id === null ? null : this.#deps.records.get(id);
    const checked = checkSettings(settings);
    const input = checkCredential(credential);
    if (before !== null && before.kind !== checked.kind)
      throw invalid('kind', 'The kind of a connection cannot be changed. Add another connection instead.');
    const source = await this.#sourceFor(checked.kind, before, grantId);
    // Evidence that is opened again uses its existing connection.
    const same =
      before === null && source?.kind === 'evidence' ? this.#deps.records.find(isOf(source)) : null;
    if (same !== null) return publicPart(same);
    const base = { ...checked, id: before?.id ?? randomUUID() };
    const { key, put } = await this.#credentialFor(base, before, input);
    const resourced = before !== null && JSON.stringify(before.source) !== JSON.stringify(source);
    const moved = before !== null && (before.url !== checked.url || resourced);
    // Stored evidence depends on which servers the analyst trusts, so it is read again.
    const trustChanged =
      before !== null &&
      checked.kind === 'evidence' &&
      JSON.stringify(before.authServers) !== JSON.stringify(checked.authServers);
    const another =
      moved || trustChanged || (before !== null && before.credentialKey !== key && !sameAccount);
    const record: ConnectionRecord = {
      ...base,
      hasCredential: key !== null,
      source,
      sourceLabel: source?.kind === 'evidence' ? evidenceName(source.path) : null,
      createdAt: before?.createdAt ?? this.#deps.now(),
      activatedAt: before?.activatedAt ?? null,
      generation: (before?.generation ?? 0) + (another ? 1 : 0),
      credentialKey: key,
    };
    const release = another ? this.#suspend(record.id) : () => {};
    try {
      if (put !== null && key !== null) {
        // Recorded first, so that a credential that no connection came to use is cleaned up.
        await this.#deps.records.leave([{ kind: 'credential', name: key }]);
        await this.#deps.secrets.setCredential(key, put);
      }
      // The old client is closed before the new address takes effect, so that nothing crosses over.
      if (another) await this.#deps.upstream.drop(record.id);
      await this.#certain(
        this.#deps.records.save(record, before === null ? [] : leftBy(before, key, another)),
        () => {
          const now = this.#deps.records.find((current) => current.id === record.id);
          return now?.generation === record.generation && now.credentialKey === key;
        },
      );
      if (resourced || trustChanged) await this.#deps.embedded.stop(record.id);
    } finally {
      await this.sweep();
      release();
    }
    this.#deps.health.forget(record.id);
    if (another) this.#deps.replaced(record.id);
    this.#deps.publish({ type: 'connections' });
    if (this.#deps.records.active()?.id === record.id) await this.#deps.activation.activate(record.id);
    return publicPart(record);
  }

  async #manage(): Promise<void> {
    for (const { id, name, url, ...settings } of this.#deps.policy.connections) {
      const before = this.#deps.records.find((record) => record.id === managedId(id));
      const timezone = settings.timezone ?? before?.timezone ?? null;
      if (before === null)
        await this.#deps.records.save({
          ...{ id: managedId(id), name, kind: 'tenant', url, timezone, product: this.#deps.product },
          ...{ authorityPem: null, authServers: [], flags: {}, source: null, sourceLabel: null },
          ...{ hasCredential: false, credentialKey: null, generation: 0 },
          ...{ createdAt: this.#deps.now(), activatedAt: null },
        });
      else if (before.name !== name || before.url !== url || before.timezone !== timezone) {
        const settings = connectionSettings.parse({ ...before, name, url, timezone });
        await this.#save({ id: before.id, settings, credential: null, grantId: null, sameAccount: false });
      }
    }
  }

  async #removeConnection(id: string): Promise<void> {
    const record = this.#deps.records.get(id);
    requireUnmanaged(this.#deps.policy, id);
    const current = this.#deps.records.active()?.id === id;
    const release = this.#suspend(id);
    // From here on nothing (such as a probe) may restart its service on files that are about to be removed.
    const readmit = this.#deps.embedded.retire(id);
    try {
      await this.#deps.embedded.stop(id);
      await this.#deps.upstream.drop(id);
      const index: Leftover[] =
        record.source === null ? [] : [{ kind: 'index', name: JSON.stringify(record.source) }];
      await this.#certain(
        this.#deps.records.remove(id, [...leftBy(record, null, true), ...index]),
        () => this.#deps.records.find((record) => record.id === id) === null,
      );
      await this.sweep();
    } catch (error) {
      readmit();
      throw error;
    } finally {
      release();
    }
    this.#deps.health.forget(id);
    if (current) await this.#deps.activation.activate(null);
    this.#deps.publish({ type: 'connections' });
  }

  async #sourceFor(
    kind: ConnectionSettings['kind'],
    before: ConnectionRecord | null,
    grantId: string | null,
  ): Promise<ConnectionRecord['source']> {
    if (kind === 'tenant') return null;
    if (kind === 'demo') return before?.source?.kind === 'demo' ? before.source : { kind: 'demo', ...DEMO };
    if (grantId !== null)
      return { kind: 'evidence', path: await existing(this.#deps.grants.redeem(grantId).path) };
    if (before?.source?.kind === 'evidence') return before.source;
    throw new ParapetError('invalid-input', 'Choose the folder or file that holds the evidence.', {
      data: { field: 'grantId' },
    });
  }

  /** The key under which the credential will be stored, and the credential to store there first. */
  async #credentialFor(
    record: Pick<ConnectionRecord, 'id' | 'kind' | 'url'>,
    before: ConnectionRecord | null,
    credential: string | null,
  ): Promise<{ key: string | null; put: string | null }> {
    if (record.kind !== 'tenant' || credential === '') return { key: null, put: null };
    const key = keptKey(before, record.url);
    if (credential === null || credential === (await this.readKey(key))) return { key, put: null };
    // Each credential gets its own key, so that readers of the old connection still get the old credential.
    return { key: before === null ? record.id : `${record.id}.${randomUUID()}`, put: credential };
  }

  async #clear({ kind, name }: Leftover): Promise<void> {
    if (kind === 'credential') await this.#deps.secrets.setCredential(name, null);
    else if (kind === 'index') {
      const used = this.#deps.records.find(({ source }) => JSON.stringify(source) === name) !== null;
      if (!used) await this.#deps.embedded.erase(JSON.parse(name) as EmbeddedSource);
    } else {
      if (!this.#waiting.has(name)) this.#waiting.set(name, this.#deps.generations.hold(name));
      await this.#deps.wipe(name);
    }
  }

  #goOn(id: string): void {
    this.#waiting.get(id)?.();
    this.#waiting.delete(id);
  }

  /** A failed write may still have been committed: the state of the workspace decides. */
  async #certain(write: Promise<void>, isDone: () => boolean): Promise<void> {
    try {
      await write;
    } catch (error) {
      await this.#deps.records.load().catch(() => []);
      if (!isDone()) throw error;
    }
  }

  /** Blocks new work for the connection from here on. Rejects `conflict` before anything is changed. */
  #suspend(id: string): () => void {
    const use = this.#deps.inUse(id);
    if (use === null) return this.#deps.generations.hold(id);
    throw new ParapetError(
      'conflict',
      `${use} Nothing was changed. Wait for it to end, or cancel it, then try again.`,
      { retryable: true, data: { connectionId: id } },
    );
  }
}
