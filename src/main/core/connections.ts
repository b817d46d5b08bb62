/** Connections: adding, changing, removing, testing, going offline. */
import { randomUUID, X509Certificate } from 'node:crypto';
import { basename } from 'node:path';
import { ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import type { AppEvent, ConnectionSettings } from '#shared/bridge/operations.ts';
import type { Embedded } from '../embedded/manager.ts';
import { serviceBase } from '../upstream/address.ts';
import type { Target } from '../upstream/client.ts';
import { offline, type UpstreamService } from '../upstream/upstream.ts';
import { type Activation, DEMO, existing } from './activation.ts';
import type { Grants } from './context.ts';
import type { HandlersOf } from './handlers.ts';
import { type ConnectionRecord, publicPart, type Records } from './records.ts';
import type { Secrets } from './secrets.ts';
import type { States } from './states.ts';

type Names =
  | 'connections.list'
  | 'connections.save'
  | 'connections.remove'
  | 'connections.activate'
  | 'connections.test'
  | 'connections.offline'
  | 'evidence.problems';

export interface ConnectionsDeps {
  records: Records;
  states: States;
  secrets: Secrets;
  embedded: Embedded;
  upstream: UpstreamService;
  activation: Activation;
  grants: Grants;
  publish(event: AppEvent): void;
  now(): number;
  /** Removes what is cached of a connection. */
  wipe(connectionId: string): Promise<void>;
  /** Remembers that the analyst wants no network. */
  keepOffline(offline: boolean): Promise<void>;
}

const invalid = (field: string, message: string) =>
  new ParapetError('invalid-input', message, { data: { field: `settings.${field}` } });

/** Settings as they are stored: address normalised, certificate readable. */
function checkSettings(settings: ConnectionSettings): ConnectionSettings {
  const { authorityPem } = settings;
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

const sameOrigin = (a: string | null, b: string | null) =>
  a !== null && b !== null && URL.parse(a)?.origin === URL.parse(b)?.origin;

export function createConnectionsHandlers(deps: ConnectionsDeps): HandlersOf<Names> {
  const { records, states, secrets, embedded, upstream, activation, grants, publish } = deps;

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
  const credentialFor = async (
    before: ConnectionRecord | null,
    url: string | null,
    given: string | null,
  ): Promise<string | null> => {
    if (given !== null) return given === '' ? null : given;
    if (before === null || !before.hasCredential || !sameOrigin(before.url, url)) return null;
    return secrets.credential(before.id);
  };

  return {
    async 'connections.list'() {
      return { connections: records.list(), state: activation.state() };
    },

    async 'connections.save'({ id, settings, credential, grantId }) {
      const before = id === null ? null : records.get(id);
      const checked = checkSettings(settings);
      if (before !== null && before.kind !== checked.kind)
        throw invalid('kind', 'The kind of a connection stays as it is. Add another connection instead.');
      const source = await sourceFor(checked.kind, before, grantId);
      const wanted = checked.kind === 'tenant' ? await credentialFor(before, checked.url, credential) : null;
      const record: ConnectionRecord = {
        ...checked,
        id: before?.id ?? randomUUID(),
        hasCredential: wanted !== null,
        source,
        sourceLabel: source?.kind === 'evidence' ? basename(source.path) : null,
        createdAt: before?.createdAt ?? deps.now(),
        activatedAt: before?.activatedAt ?? null,
      };
      if (wanted !== null || before?.hasCredential) await secrets.setCredential(record.id, wanted);
      await records.save(record);
      if (before !== null && JSON.stringify(before.source) !== JSON.stringify(source))
        await embedded.stop(record.id);
      // What was cached of another address is another service's.
      if (before !== null && before.url !== record.url) await deps.wipe(record.id);
      states.forget(record.id);
      publish({ type: 'connections' });
      if (records.active()?.id === record.id) await activation.activate(record.id);
      return publicPart(record);
    },

    async 'connections.remove'({ id }) {
      const record = records.get(id);
      const current = records.active()?.id === id;
      await embedded.stop(id);
      if (record.source !== null) await embedded.erase(record.source);
      await upstream.drop(id);
      states.forget(id);
      if (record.hasCredential) await secrets.setCredential(id, null);
      await deps.wipe(id);
      await records.remove(id);
      if (current) await activation.activate(null);
      publish({ type: 'connections' });
      return {};
    },

    async 'connections.activate'({ id }) {
      return activation.activate(id);
    },

    async 'connections.test'({ id, settings, credential }) {
      try {
        const checked = checkSettings(settings);
        if (checked.url === null) return { ok: true, latencyMs: null, error: null };
        if (states.byChoice()) throw offline();
        const before = id === null ? null : records.get(id);
        const target: Target = {
          base: checked.url,
          credential: await credentialFor(before, checked.url, credential),
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
      const { source } = records.get(connectionId);
      if (source?.kind !== 'evidence') return { imported: 0, notMail: 0, problems: [] };
      await embedded.start(connectionId, source);
      return embedded.problems(connectionId);
    },
  };
}
