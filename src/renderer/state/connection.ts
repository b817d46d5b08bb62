/** All connections, the current one, and its state. */
import { create } from 'zustand';
import { setActiveConnectionId } from '#renderer/bridge/active-connection.ts';
import { dropReads, invalidateReads, renewAllReads, renewReads } from '#renderer/bridge/read-store.ts';
import type { Connection, ConnectionState } from '#shared/bridge/operations.ts';
import { onAppEvent } from './app-events.ts';
import { windowBridge } from './window-bridge.ts';
import { onWireBack } from './wire-health.ts';

interface Store {
  connections: Connection[];
  state: ConnectionState;
}

const NONE: ConnectionState = { connectionId: null, phase: 'none', since: 0, latencyMs: null, error: null };
const useStore = create<Store>(() => ({ connections: [], state: NONE }));

export type Reach = 'online' | 'offline' | 'starting' | 'failed' | 'none';

/** Reachability for views: offline covers both kinds. */
export function reachOf(state: ConnectionState): Reach {
  if (state.phase === 'offline-user' || state.phase === 'offline-auto') return 'offline';
  return state.phase;
}

interface ConnectionView extends Store {
  connection: Connection | null;
  reach: Reach;
}

export function useConnection(): ConnectionView {
  const { connections, state } = useStore();
  const connection = connections.find(({ id }) => id === state.connectionId) ?? null;
  return { connections, state, connection, reach: reachOf(state) };
}

export function currentConnection(): Connection | null {
  const { connections, state } = useStore.getState();
  return connections.find(({ id }) => id === state.connectionId) ?? null;
}

export const knownConnections = (): ReadonlySet<string> =>
  new Set(useStore.getState().connections.map(({ id }) => id));

export const demoConnection = (): Connection | undefined =>
  useStore.getState().connections.find(({ kind }) => kind === 'demo');

export const connectionName = (id: string): string | null =>
  useStore.getState().connections.find((connection) => connection.id === id)?.name ?? null;

/** Calls back with the id of the current connection, now and at each change. */
export function onConnectionChange(listener: (id: string | null) => void): () => void {
  listener(useStore.getState().state.connectionId);
  return useStore.subscribe((now, before) => {
    if (now.state.connectionId !== before.state.connectionId) listener(now.state.connectionId);
  });
}

/** A state that is older than the last one by less than this, ms, is outdated; by more: the clock was set back. */
const OVERTAKEN_MS = 10_000;

function take(state: ConnectionState): void {
  const before = useStore.getState().state;
  const olderBy = before.since - state.since;
  if (olderBy > 0 && olderBy < OVERTAKEN_MS && state.connectionId === before.connectionId) return;
  useStore.setState({ state });
  setActiveConnectionId(state.connectionId);
  const came = state.phase !== before.phase && state.connectionId === before.connectionId;
  if (came && state.connectionId !== null) renewReads(state.connectionId);
}

/** The connection now refers to another service or account, so views of the previous one are remounted. */
function replace(connectionId: string): void {
  dropReads(connectionId);
  const { state } = useStore.getState();
  if (state.connectionId !== connectionId) return;
  take({ ...state, connectionId: null, phase: 'none', error: null });
  void load().catch(() => undefined);
}

/** Connections from before a restart that no longer exist: a session that saves nothing recreates them. */
let gone: readonly Connection[] = [];
const earlierIds = new Map<string, string>();

/** The id of the same source before Parapet was restarted, or null if unchanged, or none. */
export const earlierIdOf = (id: string | null): string | null =>
  id === null ? null : (earlierIds.get(id) ?? null);

function noteNewIds(connections: readonly Connection[]): void {
  for (const { id, kind, url, sourceLabel } of connections) {
    const same = gone.find(
      (connection) =>
        connection.kind === kind && connection.url === url && connection.sourceLabel === sourceLabel,
    );
    if (same && same.id !== id && !earlierIds.has(id)) earlierIds.set(id, same.id);
  }
}

async function load(restarted = false): Promise<void> {
  const { connections, state } = await windowBridge().call('connections.list', {});
  const ids = new Set(connections.map(({ id }) => id));
  if (restarted) gone = [...gone, ...useStore.getState().connections.filter(({ id }) => !ids.has(id))];
  noteNewIds(connections);
  useStore.setState({ connections });
  take(state);
}

/** Loads the connections and follows their changes; resolves with the first answer. */
export async function startConnections(): Promise<void> {
  onAppEvent('connection', ({ state }) => take(state));
  onAppEvent('connections', () => void load().catch(() => undefined));
  onAppEvent('replaced', ({ connectionId }) => replace(connectionId));
  onAppEvent('invalidated', ({ connectionId, tags }) => invalidateReads(connectionId, tags));
  onWireBack(
    () =>
      void load(true)
        .then(renewAllReads)
        .catch(() => undefined),
  );
  await load();
}

/** Makes a connection current. Rejects with a ParapetError. */
export async function activateConnection(id: string): Promise<void> {
  take(await windowBridge().call('connections.activate', { id }));
  await load();
}

/** Goes offline by choice, or asks the service again. Answers the state afterwards. Rejects with a ParapetError. */
export async function setOffline(offline: boolean): Promise<ConnectionState> {
  const state = await windowBridge().call('connections.offline', { offline });
  take(state);
  return state;
}

export async function removeConnection(id: string): Promise<void> {
  await windowBridge().call('connections.remove', { id });
  await load();
}

export const reloadConnections = (): Promise<void> => load();
