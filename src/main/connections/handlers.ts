/** Connections: adding, changing, removing, testing, going offline. */
import { ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import type { HandlersIn } from '../kernel/handlers.ts';
import { withAuthorities } from '../kernel/policy.ts';
import type { Routes } from '../kernel/ports.ts';
import type { Target } from '../upstream/client.ts';
import { offline } from '../upstream/upstream.ts';
import { type ChangesDeps, ConnectionChanges, keptKey } from './changes.ts';
import { checkCredential, checkSettings } from './settings.ts';

export interface ConnectionsDeps extends ChangesDeps {
  routes(address: string): Promise<Routes>;
  /** Stores the analyst's choice to stay offline. */
  keepOffline(offline: boolean): Promise<void>;
}

export interface ConnectionsService extends Pick<ConnectionChanges, 'removeLeftovers' | 'sweep' | 'manage'> {
  handlers: HandlersIn<'connections' | 'evidence'>;
}

export function createConnections(deps: ConnectionsDeps): ConnectionsService {
  const { records, health, embedded, upstream, activation } = deps;
  const changes = new ConnectionChanges(deps);
  const handlers: HandlersIn<'connections' | 'evidence'> = {
    async 'connections.list'() {
      return { connections: records.list(), state: activation.state() };
    },

    'connections.save': (input) => changes.save(input),

    async 'connections.remove'({ id }) {
      await changes.remove(id);
      return {};
    },

    async 'connections.activate'({ id }) {
      await changes.removeLeftovers(id);
      return activation.activate(id);
    },

    async 'connections.test'({ id, settings, credential }) {
      try {
        const checked = checkSettings(settings);
        const input = checkCredential(credential);
        if (checked.url === null) return { ok: true, latencyMs: null, error: null };
        if (health.byChoice()) throw offline();
        const before = id === null ? null : records.get(id);
        const secret = input === null ? await changes.readKey(keptKey(before, checked.url)) : input;
        const target: Target = {
          base: checked.url,
          credential: secret === '' ? null : secret,
          authorityPem: withAuthorities(deps.policy, checked.authorityPem),
          routes: await deps.routes(checked.url),
        };
        const { latencyMs, proxy } = await upstream.askTarget(target);
        return { ok: true, latencyMs, error: null, ...(proxy === null ? {} : { proxy }) };
      } catch (error) {
        return { ok: false, latencyMs: null, error: toBridgeError(error) };
      }
    },

    async 'connections.offline'({ offline: isOffline }) {
      const changed = health.byChoice() !== isOffline;
      health.setByChoice(isOffline);
      await deps.keepOffline(isOffline);
      const current = records.active();
      if (changed && !isOffline && current !== null) return activation.activate(current.id);
      // "Retry now": the next check by itself may be a minute away.
      if (!isOffline && current !== null) await health.probe(current.id);
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

    async 'evidence.read'({ connectionId, verify }) {
      const { source, authServers, flags } = records.get(connectionId);
      if (source?.kind !== 'evidence')
        throw new ParapetError(
          'not-allowed',
          'Only evidence can be read again; a service is queried instead.',
        );
      await embedded.start(connectionId, source, { believed: authServers, flags });
      return { state: embedded.read(connectionId, verify) };
    },

    async 'evidence.resolve'({ connectionId, answer }) {
      return { state: await embedded.resolve(connectionId, answer) };
    },
  };
  return {
    handlers,
    removeLeftovers: (id) => changes.removeLeftovers(id),
    sweep: () => changes.sweep(),
    manage: () => changes.manage(),
  };
}
