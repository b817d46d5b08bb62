/** Values of the workspace: read checked, written late and together. */
import { toBridgeError } from '#shared/bridge/errors.ts';
import { WORKSPACE_VALUES, type WorkspaceKind, type WorkspaceValue } from '#shared/bridge/workspace.ts';
import { windowBridge } from './window-bridge.ts';

/** What is typed is written once; which tabs there are is soon no more than a click away from a reload. */
const delayOf = (kind: WorkspaceKind): number => (kind === 'tabs' ? 0 : 400);
const waiting = new Map<string, { value: unknown; timer: ReturnType<typeof setTimeout> }>();

const keyOf = (kind: WorkspaceKind, id: string | null) => (id === null ? kind : `${kind}:${id}`);

/** A value, or null when there is none or it does not fit its schema (of another version). */
export async function loadValue<K extends WorkspaceKind>(
  kind: K,
  id: string | null,
): Promise<WorkspaceValue<K> | null> {
  const pending = waiting.get(keyOf(kind, id));
  const value = pending
    ? pending.value
    : (await windowBridge().call('workspace.get', { key: keyOf(kind, id) })).value;
  const parsed = WORKSPACE_VALUES[kind].safeParse(value);
  return parsed.success ? (parsed.data as WorkspaceValue<K>) : null;
}

/** Every value of a kind, by its id; what does not fit is left out. */
export async function loadValues<K extends WorkspaceKind>(kind: K): Promise<Map<string, WorkspaceValue<K>>> {
  await flushWorkspace();
  const prefix = `${kind}:`;
  const { values } = await windowBridge().call('workspace.list', { prefix });
  const found = new Map<string, WorkspaceValue<K>>();
  for (const { key, value } of values) {
    const parsed = WORKSPACE_VALUES[kind].safeParse(value);
    if (parsed.success) found.set(key.slice(prefix.length), parsed.data as WorkspaceValue<K>);
  }
  return found;
}

async function write(key: string): Promise<void> {
  const pending = waiting.get(key);
  if (!pending) return;
  clearTimeout(pending.timer);
  waiting.delete(key);
  await windowBridge()
    .call('workspace.put', { key, value: pending.value })
    .catch((error: unknown) => {
      // A read-only profile refuses writes, as a notice says at start; the window keeps working from memory.
      // Without Parapet they wait for it.
      if (toBridgeError(error).code === 'disconnected' && !waiting.has(key)) waiting.set(key, pending);
    });
}

/** Replaces a value a moment later, so that typing writes once; null removes it. */
export function saveValue<K extends WorkspaceKind>(
  kind: K,
  id: string | null,
  value: WorkspaceValue<K> | null,
): void {
  const key = keyOf(kind, id);
  clearTimeout(waiting.get(key)?.timer);
  waiting.set(key, { value, timer: setTimeout(() => void write(key), delayOf(kind)) });
}

/** Writes what waits: before the window closes and before a switch of connection. */
export async function flushWorkspace(): Promise<void> {
  await Promise.all([...waiting.keys()].map(write));
}

/** Writes what waits whenever the window is hidden or goes. */
export function flushOnLeave(): void {
  window.addEventListener('pagehide', () => void flushWorkspace());
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') void flushWorkspace();
  });
}
