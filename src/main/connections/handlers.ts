/** Connections: adding, changing, removing, testing, going offline. */
import { randomUUID, X509Certificate } from 'node:crypto';
import { basename } from 'node:path';
import { ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import {
  type AppEvent,
  type Connection,
  type ConnectionSettings,
  connectionSettings,
  type ParsedInputOf,
} from '#shared/bridge/operations.ts';
import type { EmbeddedSource } from '#shared/embedded.ts';
import { authServersOf, authServersProblem } from '#shared/model/auth-servers.ts';
import { credentialProblem } from '#shared/model/credential.ts';
import { sameOrigin } from '#shared/model/hosts.ts';
import { managedId } from '#shared/model/policy.ts';
import type { Embedded } from '../embedded/manager.ts';
import type { Grants } from '../kernel/context.ts';
import type { Generations } from '../kernel/generations.ts';
import type { HandlersIn } from '../kernel/handlers.ts';
import { requireUnmanaged, withAuthorities } from '../kernel/policy.ts';
import type { Logger, Ports } from '../kernel/ports.ts';
import { serviceBase } from '../upstream/address.ts';
import type { Target } from '../upstream/client.ts';
import { offline, type UpstreamService } from '../upstream/upstream.ts';
import { type Activation, DEMO, existing } from './activation.ts';
import type { ConnectionHealth } from './health.ts';
import { type ConnectionRecord, type Leftover, publicPart, type Records } from './repository.ts';
import type { Secrets } from './secrets.ts';

export interface ConnectionsDeps {
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
  /** Which work in progress a change of the connection would break, in words; null: none. */
  inUse(connectionId: string): string | null;
  /** Removes everything cached for a connection. */
  wipe(connectionId: string): Promise<void>;
  /** The connection now means another service or account: clears the earlier one's data from screens. */
  replaced(connectionId: string): void;
  /** Stores the analyst's choice to stay offline. */
  keepOffline(offline: boolean): Promise<void>;
}

/** Whether a typed address comes to the same base; one that is none is refused where it is saved. */
function sameAddress(saved: string, typed: string | null): boolean {
  try {
    return typed !== null && serviceBase(typed) === saved;
  } catch {
    return false;
  }
}

const invalid = (field: string, message: string) =>
  new ParapetError('invalid-input', message, { data: { field: `settings.${field}` } });

/** Settings as stored: URL and server names normalised, certificate parsed. */
function checkSettings(given: ConnectionSettings): ConnectionSettings {
  const { authorityPem } = given;
  const distrust = authServersProblem(given.authServers);
  if (distrust !== null) throw invalid('authServers', distrust);
  const settings = { ...given, authServers: authServersOf(given.authServers) };
  if (settings.kind !== 'tenant') return { ...settings, url: null, authorityPem: null };
  if (settings.url === null || settings.url.trim() === '')
    throw invalid('url', 'A tenant needs the address of its service.');
  if (authorityPem !== null) {
    try {
      new X509Certificate(authorityPem);
    } catch {
      throw invalid(
        'authorityPem',
        'That is not a certificate in PEM form. It begins with -----BEGIN CERTIFICATE-----.',
      );
    }
  }
  return { ...settings, url: serviceBase(settings.url) };
}

/** A credential as it is sent. Rejects what an HTTP header cannot carry, above all a pasted line break. */
function checkCredential(given: string | null): string | null {
  const problem = given === null ? null : credentialProblem(given);
  if (problem !== null) throw new ParapetError('invalid-input', problem, { data: { field: 'credential' } });
  return given?.trim() ?? null;
}

export interface ConnectionsService {
  handlers: HandlersIn<'connections' | 'evidence'>;
  /** Tries again to remove the data a connection is waiting for; resolves in either case. */
  removeLeftovers(connectionId: string): Promise<void>;
  /** Removes what earlier changes of connections left behind; what cannot be removed now stays recorded. */
  sweep(): Promise<void>;
  /** Adds the connections of the policy and changes those whose definition changed. */
  manage(): Promise<void>;
}

export function createConnections(deps: ConnectionsDeps): ConnectionsService {
  const { records, health, secrets, embedded, upstream, activation, grants, generations, publish } = deps;
  /** Connections that wait until the cached data of their earlier service is removed. */
  const waiting = new Map<string, () => void>();
  /** Serialises changes of connections. */
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work, work);
    last = mine.catch(() => {});
    return mine;
  };

  const sourceFor = async (
    kind: ConnectionSettings['kind'],
    before: ConnectionRecord | null,
    grantId: string | null,
  ): Promise<ConnectionRecord['source']> => {
    if (kind === 'tenant') return null;
    if (kind === 'demo') return before?.source?.kind === 'demo' ? before.source : { kind: 'demo', ...DEMO };
    if (grantId !== null) return { kind: 'evidence', path: await existing(grants.redeem(grantId).path) };
    if (before?.source?.kind === 'evidence') return before.source;
    throw new ParapetError('invalid-input', 'Choose the folder or file that holds the evidence.', {
      data: { field: 'grantId' },
    });
  };

  /** A URL of another origin never gets the earlier credential. */
  const keptKey = (before: ConnectionRecord | null, url: string | null): string | null =>
    before !== null && sameOrigin(before.url, url) ? before.credentialKey : null;

  const readKey = async (key: string | null) => (key === null ? null : secrets.credential(key));

  /** The key under which the credential will be stored, and the credential to store there first. */
  const credentialFor = async (
    record: Pick<ConnectionRecord, 'id' | 'kind' | 'url'>,
    before: ConnectionRecord | null,
    given: string | null,
  ): Promise<{ key: string | null; put: string | null }> => {
    if (record.kind !== 'tenant' || given === '') return { key: null, put: null };
    const kept = keptKey(before, record.url);
    if (given === null || given === (await readKey(kept))) return { key: kept, put: null };
    // Each credential gets its own key, so that readers of the old connection still get the old credential.
    return { key: before === null ? record.id : `${record.id}.${randomUUID()}`, put: given };
  };

  const remove = async ({ kind, name }: Leftover): Promise<void> => {
    if (kind === 'credential') await secrets.setCredential(name, null);
    else if (kind === 'index') {
      const used = records.find(({ source }) => JSON.stringify(source) === name) !== null;
      if (!used) await embedded.erase(JSON.parse(name) as EmbeddedSource);
    } else {
      if (!waiting.has(name)) waiting.set(name, generations.hold(name));
      await deps.wipe(name);
    }
  };

  const goOn = (id: string): void => {
    waiting.get(id)?.();
    waiting.delete(id);
  };

  const sweep = async (): Promise<void> => {
    const left = await records.leftovers().catch((error: unknown) => {
      deps.log.warn('what changes of connections left could not be read', { reason: String(error) });
      return null;
    });
    if (left === null) return;
    for (const id of [...waiting.keys()])
      if (!left.some(({ kind, name }) => kind === 'cache' && name === id)) goOn(id);
    for (const leftover of left) {
      try {
        await remove(leftover);
        await records.removed(leftover);
        if (leftover.kind !== 'cache') continue;
        goOn(leftover.name);
      } catch (error) {
        // It stays recorded; until it is removed, a connection that holds another service's data is not read.
        deps.log.warn('what a change of connections left could not be removed', {
          kind: leftover.kind,
          reason: toBridgeError(error).message,
        });
      }
    }
  };

  /** A failed write may still have been committed: the state of the workspace decides. */
  const certain = async (write: Promise<void>, isDone: () => boolean): Promise<void> => {
    try {
      await write;
    } catch (error) {
      await records.load().catch(() => []);
      if (!isDone()) throw error;
    }
  };

  /** Blocks new work for the connection from here on. Rejects `conflict` before anything is changed. */
  const suspend = (id: string): (() => void) => {
    const use = deps.inUse(id);
    if (use === null) return generations.hold(id);
    throw new ParapetError(
      'conflict',
      `${use} Nothing was changed. Wait for it to end, or cancel it, then try again.`,
      { retryable: true, data: { connectionId: id } },
    );
  };

  const leftBy = (before: ConnectionRecord, key: string | null, another: boolean): Leftover[] => [
    ...(before.credentialKey !== null && before.credentialKey !== key
      ? [{ kind: 'credential' as const, name: before.credentialKey }]
      : []),
    ...(another ? [{ kind: 'cache' as const, name: before.id }] : []),
  ];

  const isOf = (source: EmbeddedSource) => (record: ConnectionRecord) =>
    JSON.stringify(record.source) === JSON.stringify(source);

  const save = async ({
    id,
    settings,
    credential,
    grantId,
    sameAccount,
  }: ParsedInputOf<'connections.save'>): Promise<Connection> => {
    const before = id === null ? null : records.get(id);
    const checked = checkSettings(settings);
    const given = checkCredential(credential);
    if (before !== null && before.kind !== checked.kind)
      throw invalid('kind', 'The kind of a connection stays as it is. Add another connection instead.');
    const source = await sourceFor(checked.kind, before, grantId);
    // Opened again, evidence is the connection that it is already.
    const same = before === null && source?.kind === 'evidence' ? records.find(isOf(source)) : null;
    if (same !== null) return publicPart(same);
    const base = { ...checked, id: before?.id ?? randomUUID() };
    const { key, put } = await credentialFor(base, before, given);
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
      sourceLabel: source?.kind === 'evidence' ? basename(source.path) : null,
      createdAt: before?.createdAt ?? deps.now(),
      activatedAt: before?.activatedAt ?? null,
      generation: (before?.generation ?? 0) + (another ? 1 : 0),
      credentialKey: key,
    };
    const release = another ? suspend(record.id) : () => {};
    try {
      if (put !== null && key !== null) {
        // Recorded first, so that a credential no connection came to use is cleaned up.
        await records.leave([{ kind: 'credential', name: key }]);
        await secrets.setCredential(key, put);
      }
      // The old client is closed before the new address takes effect, so that nothing crosses over.
      if (another) await upstream.drop(record.id);
      await certain(records.save(record, before === null ? [] : leftBy(before, key, another)), () => {
        const now = records.find((one) => one.id === record.id);
        return now?.generation === record.generation && now.credentialKey === key;
      });
      if (resourced || trustChanged) await embedded.stop(record.id);
    } finally {
      await sweep();
      release();
    }
    health.forget(record.id);
    if (another) deps.replaced(record.id);
    publish({ type: 'connections' });
    if (records.active()?.id === record.id) await activation.activate(record.id);
    return publicPart(record);
  };

  /** What the policy defines of a connection stays as it is. */
  const saveAsAllowed = async (input: ParsedInputOf<'connections.save'>): Promise<Connection> => {
    const { name, url, timezone } = input.settings;
    const defined = deps.policy.connections.find(({ id }) => managedId(id) === input.id);
    if (
      defined !== undefined &&
      (defined.name !== name ||
        !sameAddress(defined.url, url) ||
        (defined.timezone !== undefined && defined.timezone !== timezone))
    )
      requireUnmanaged(deps.policy, managedId(defined.id));
    return save(input);
  };

  const manage = async (): Promise<void> => {
    for (const { id, name, url, ...given } of deps.policy.connections) {
      const before = records.find((record) => record.id === managedId(id));
      const timezone = given.timezone ?? before?.timezone ?? null;
      if (before === null)
        await records.save({
          ...{ id: managedId(id), name, kind: 'tenant', url, timezone, product: deps.product },
          ...{ authorityPem: null, authServers: [], flags: {}, source: null, sourceLabel: null },
          ...{ hasCredential: false, credentialKey: null, generation: 0 },
          ...{ createdAt: deps.now(), activatedAt: null },
        });
      else if (before.name !== name || before.url !== url || before.timezone !== timezone) {
        const settings = connectionSettings.parse({ ...before, name, url, timezone });
        await save({ id: before.id, settings, credential: null, grantId: null, sameAccount: false });
      }
    }
  };

  const removeConnection = async (id: string): Promise<void> => {
    const record = records.get(id);
    requireUnmanaged(deps.policy, id);
    const current = records.active()?.id === id;
    const release = suspend(id);
    // From here on nothing, a probe for example, may restart its service on files about to be removed.
    const readmit = embedded.retire(id);
    try {
      await embedded.stop(id);
      await upstream.drop(id);
      const index: Leftover[] =
        record.source === null ? [] : [{ kind: 'index', name: JSON.stringify(record.source) }];
      await certain(
        records.remove(id, [...leftBy(record, null, true), ...index]),
        () => records.find((one) => one.id === id) === null,
      );
      await sweep();
    } catch (error) {
      readmit();
      throw error;
    } finally {
      release();
    }
    health.forget(id);
    if (current) await activation.activate(null);
    publish({ type: 'connections' });
  };

  const removeLeftovers = async (id: string): Promise<void> => {
    if (waiting.has(id)) await inTurn(sweep);
  };

  const handlers: HandlersIn<'connections' | 'evidence'> = {
    async 'connections.list'() {
      return { connections: records.list(), state: activation.state() };
    },

    'connections.save': (input) => inTurn(() => saveAsAllowed(input)),

    async 'connections.remove'({ id }) {
      await inTurn(() => removeConnection(id));
      return {};
    },

    async 'connections.activate'({ id }) {
      await removeLeftovers(id);
      return activation.activate(id);
    },

    async 'connections.test'({ id, settings, credential }) {
      try {
        const checked = checkSettings(settings);
        const given = checkCredential(credential);
        if (checked.url === null) return { ok: true, latencyMs: null, error: null };
        if (health.byChoice()) throw offline();
        const before = id === null ? null : records.get(id);
        const kept = given === null ? await readKey(keptKey(before, checked.url)) : given;
        const target: Target = {
          base: checked.url,
          credential: kept === '' ? null : kept,
          authorityPem: withAuthorities(deps.policy, checked.authorityPem),
        };
        return { ok: true, latencyMs: await upstream.askTarget(target), error: null };
      } catch (error) {
        return { ok: false, latencyMs: null, error: toBridgeError(error) };
      }
    },

    async 'connections.offline'({ offline: wanted }) {
      const changed = health.byChoice() !== wanted;
      health.setByChoice(wanted);
      await deps.keepOffline(wanted);
      const current = records.active();
      if (changed && !wanted && current !== null) return activation.activate(current.id);
      activation.publishState();
      return activation.state();
    },

    async 'evidence.problems'({ connectionId }) {
      const { source, authServers, flags } = records.get(connectionId);
      if (source?.kind !== 'evidence') return { imported: 0, notMail: 0, problems: [] };
      await embedded.start(connectionId, source, { believed: authServers, flags });
      return embedded.problems(connectionId);
    },

    async 'evidence.state'({ connectionId }) {
      return { state: embedded.state(connectionId) };
    },

    async 'evidence.read'({ connectionId }) {
      const { source, authServers, flags } = records.get(connectionId);
      if (source?.kind !== 'evidence')
        throw new ParapetError('not-allowed', 'Only evidence is read again; a service is asked.');
      await embedded.start(connectionId, source, { believed: authServers, flags });
      return { state: embedded.read(connectionId) };
    },

    async 'evidence.resolve'({ connectionId, answer }) {
      return { state: await embedded.resolve(connectionId, answer) };
    },
  };
  return {
    handlers,
    removeLeftovers,
    sweep,
    manage: () =>
      inTurn(manage).catch((error: unknown) =>
        deps.log.warn('the connections of the policy could not be saved', {
          reason: toBridgeError(error).message,
        }),
      ),
  };
}
