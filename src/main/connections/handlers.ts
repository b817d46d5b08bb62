/** Connections: adding, changing, removing, testing, going offline. */
import { randomUUID, X509Certificate } from 'node:crypto';
import { basename } from 'node:path';
import { ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import type { AppEvent, Connection, ConnectionSettings, ParsedInputOf } from '#shared/bridge/operations.ts';
import type { EmbeddedSource } from '#shared/embedded.ts';
import { authServersOf, authServersProblem } from '#shared/model/auth-servers.ts';
import { credentialProblem } from '#shared/model/credential.ts';
import type { Embedded } from '../embedded/manager.ts';
import type { Grants } from '../kernel/context.ts';
import type { Generations } from '../kernel/generations.ts';
import type { HandlersIn } from '../kernel/handlers.ts';
import type { Logger } from '../kernel/ports.ts';
import { serviceBase } from '../upstream/address.ts';
import type { Target } from '../upstream/client.ts';
import { offline, type UpstreamService } from '../upstream/upstream.ts';
import { type Activation, DEMO, existing } from './activation.ts';
import type { States } from './health.ts';
import { type ConnectionRecord, type Leftover, publicPart, type Records } from './repository.ts';
import type { Secrets } from './secrets.ts';

export interface ConnectionsDeps {
  records: Records;
  states: States;
  secrets: Secrets;
  embedded: Embedded;
  upstream: UpstreamService;
  activation: Activation;
  grants: Grants;
  generations: Generations;
  log: Logger;
  publish(event: AppEvent): void;
  now(): number;
  /** What of a connection is being read or sent and would be torn by a change, in words; null: nothing. */
  inUse(connectionId: string): string | null;
  /** Removes what is cached of a connection. */
  wipe(connectionId: string): Promise<void>;
  /** The connection is another service or account: nothing of the earlier one may stay on a screen. */
  replaced(connectionId: string): void;
  /** Remembers that the analyst wants no network. */
  keepOffline(offline: boolean): Promise<void>;
}

const invalid = (field: string, message: string) =>
  new ParapetError('invalid-input', message, { data: { field: `settings.${field}` } });

/** Settings as they are stored: address and names of servers normalised, certificate readable. */
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

/** A credential as it is sent. Rejects what no header can carry, above all a line break that was pasted along. */
function checkCredential(given: string | null): string | null {
  const problem = given === null ? null : credentialProblem(given);
  if (problem !== null) throw new ParapetError('invalid-input', problem, { data: { field: 'credential' } });
  return given?.trim() ?? null;
}

const sameOrigin = (a: string | null, b: string | null) =>
  a !== null && b !== null && URL.parse(a)?.origin === URL.parse(b)?.origin;

export interface ConnectionsService {
  handlers: HandlersIn<'connections' | 'evidence'>;
  /** Tries again to remove what a connection waits for; resolves whether it could or not. */
  settle(connectionId: string): Promise<void>;
  /** Removes what changes of connections left behind; what cannot be removed now stays noted. */
  sweep(): Promise<void>;
}

export function createConnections(deps: ConnectionsDeps): ConnectionsService {
  const { records, states, secrets, embedded, upstream, activation, grants, generations, publish } = deps;
  /** Connections that wait until what is cached of their earlier service is gone. */
  const waiting = new Map<string, () => void>();
  /** Changes of connections, one after the other. */
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

  /** An address on another origin never gets the credential of the one before. */
  const keptKey = (before: ConnectionRecord | null, url: string | null): string | null =>
    before !== null && sameOrigin(before.url, url) ? before.credentialKey : null;

  const readKey = async (key: string | null) => (key === null ? null : secrets.credential(key));

  /** Where the credential lies from now on, and what has to be put there first. */
  const credentialFor = async (
    record: Pick<ConnectionRecord, 'id' | 'kind' | 'url'>,
    before: ConnectionRecord | null,
    given: string | null,
  ): Promise<{ key: string | null; put: string | null }> => {
    if (record.kind !== 'tenant' || given === '') return { key: null, put: null };
    const kept = keptKey(before, record.url);
    if (given === null || given === (await readKey(kept))) return { key: kept, put: null };
    // A key of its own for each credential: whoever reads the old connection reads the old credential with it.
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
        // It stays noted; until it is gone, a connection with another service's data is not read.
        deps.log.warn('what a change of connections left could not be removed', {
          kind: leftover.kind,
          reason: toBridgeError(error).message,
        });
      }
    }
  };

  /** A write that failed may have been done all the same: what the workspace has is what counts. */
  const certain = async (write: Promise<void>, isDone: () => boolean): Promise<void> => {
    try {
      await write;
    } catch (error) {
      await records.load().catch(() => []);
      if (!isDone()) throw error;
    }
  };

  /** Nothing begins for the connection from here on. Rejects `conflict`, before anything was changed. */
  const rest = (id: string): (() => void) => {
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
    const base = { ...checked, id: before?.id ?? randomUUID() };
    const { key, put } = await credentialFor(base, before, given);
    const resourced = before !== null && JSON.stringify(before.source) !== JSON.stringify(source);
    const moved = before !== null && (before.url !== checked.url || resourced);
    // What is stored of evidence depends on whom the analyst trusts: it is read again.
    const retrusted =
      before !== null &&
      checked.kind === 'evidence' &&
      JSON.stringify(before.authServers) !== JSON.stringify(checked.authServers);
    const another = moved || retrusted || (before !== null && before.credentialKey !== key && !sameAccount);
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
    const release = another ? rest(record.id) : () => {};
    try {
      if (put !== null && key !== null) {
        // Noted first: a credential that no connection came to use does not stay behind.
        await records.leave([{ kind: 'credential', name: key }]);
        await secrets.setCredential(key, put);
      }
      // The old client ends before the new address counts: nothing of the one reaches the other.
      if (another) await upstream.drop(record.id);
      await certain(records.save(record, before === null ? [] : leftBy(before, key, another)), () => {
        const now = records.find((one) => one.id === record.id);
        return now?.generation === record.generation && now.credentialKey === key;
      });
      if (resourced || retrusted) await embedded.stop(record.id);
    } finally {
      await sweep();
      release();
    }
    states.forget(record.id);
    if (another) deps.replaced(record.id);
    publish({ type: 'connections' });
    if (records.active()?.id === record.id) await activation.activate(record.id);
    return publicPart(record);
  };

  const removeConnection = async (id: string): Promise<void> => {
    const record = records.get(id);
    const current = records.active()?.id === id;
    const release = rest(id);
    // From here on nothing, a probe for one, starts its service again on files that are about to go.
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
    states.forget(id);
    if (current) await activation.activate(null);
    publish({ type: 'connections' });
  };

  const settle = async (id: string): Promise<void> => {
    if (waiting.has(id)) await inTurn(sweep);
  };

  const handlers: HandlersIn<'connections' | 'evidence'> = {
    async 'connections.list'() {
      return { connections: records.list(), state: activation.state() };
    },

    'connections.save': (input) => inTurn(() => save(input)),

    async 'connections.remove'({ id }) {
      await inTurn(() => removeConnection(id));
      return {};
    },

    async 'connections.activate'({ id }) {
      await settle(id);
      return activation.activate(id);
    },

    async 'connections.test'({ id, settings, credential }) {
      try {
        const checked = checkSettings(settings);
        const given = checkCredential(credential);
        if (checked.url === null) return { ok: true, latencyMs: null, error: null };
        if (states.byChoice()) throw offline();
        const before = id === null ? null : records.get(id);
        const kept = given === null ? await readKey(keptKey(before, checked.url)) : given;
        const target: Target = {
          base: checked.url,
          credential: kept === '' ? null : kept,
          authorityPem: checked.authorityPem,
        };
        return { ok: true, latencyMs: await upstream.askTarget(target), error: null };
      } catch (error) {
        return { ok: false, latencyMs: null, error: toBridgeError(error) };
      }
    },

    async 'connections.offline'({ offline: wanted }) {
      const changed = states.byChoice() !== wanted;
      states.setByChoice(wanted);
      await deps.keepOffline(wanted);
      const current = records.active();
      if (changed && !wanted && current !== null) return activation.activate(current.id);
      activation.publishState();
      return activation.state();
    },

    async 'evidence.problems'({ connectionId }) {
      const { source, authServers } = records.get(connectionId);
      if (source?.kind !== 'evidence') return { imported: 0, notMail: 0, problems: [] };
      await embedded.start(connectionId, source, authServers);
      return embedded.problems(connectionId);
    },

    async 'evidence.state'({ connectionId }) {
      return { state: embedded.state(connectionId) };
    },

    async 'evidence.resolve'({ connectionId, answer }) {
      return { state: await embedded.resolve(connectionId, answer) };
    },
  };
  return { handlers, settle, sweep };
}
