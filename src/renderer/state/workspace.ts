/** Workspace values: validated when read, written in delayed batches. */
import { toBridgeError } from '#shared/bridge/errors.ts';
import { WORKSPACE_VALUES, type WorkspaceKind, type WorkspaceValue } from '#shared/bridge/workspace.ts';
import { windowBridge } from './window-bridge.ts';

/** Delay before writing: typing is written once, while the list of tabs must survive a reload right after a click. */
const delayOf = (kind: WorkspaceKind): number => (kind === 'tabs' ? 0 : 400);
const waiting = new Map<string, { value: unknown; timer: ReturnType<typeof setTimeout> }>();
/** Keys that this window is writing. */
const writing = new Set<string>();

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

/** All values of a kind by id; invalid ones are left out. */
export async function loadValues<K extends WorkspaceKind>(kind: K): Promise<Map<string, WorkspaceValue<K>>> {
  await flushWorkspace();
  const prefix = `${kind}:`;
  const { values } = await windowBridge().call('workspace.list', { prefix });
  const foundValues = new Map<string, WorkspaceValue<K>>();
  for (const { key, value } of values) {
    const parsed = WORKSPACE_VALUES[kind].safeParse(value);
    if (parsed.success) foundValues.set(key.slice(prefix.length), parsed.data as WorkspaceValue<K>);
  }
  return foundValues;
}

async function write(key: string): Promise<void> {
  const pending = waiting.get(key);
  if (!pending) return;
  clearTimeout(pending.timer);
  waiting.delete(key);
  writing.add(key);
  await windowBridge()
    .call('workspace.put', { key, value: pending.value })
    .catch((error: unknown) => {
      // A read-only profile refuses writes, which a notice at start reports; the window keeps working in memory.
      // While Parapet is not running, writes wait.
      if (toBridgeError(error).code === 'disconnected' && !waiting.has(key)) waiting.set(key, pending);
    });
  writing.delete(key);
}

/** Replaces a value after a delay, so that typing writes once; null removes it. */
export function saveValue<K extends WorkspaceKind>(
  kind: K,
  id: string | null,
  value: WorkspaceValue<K> | null,
): void {
  const key = keyOf(kind, id);
  clearTimeout(waiting.get(key)?.timer);
  waiting.set(key, { value, timer: setTimeout(() => void write(key), delayOf(kind)) });
}

/** Whether this window has a version of a value that is newer than the stored one. */
export const isBeingSaved = (kind: WorkspaceKind, id: string | null): boolean =>
  waiting.has(keyOf(kind, id)) || writing.has(keyOf(kind, id));

/** Writes pending values, before the window closes and before the connection is switched. */
export async function flushWorkspace(): Promise<void> {
  await Promise.all([...waiting.keys()].map(write));
}

/** Writes pending values whenever the window is hidden or closed. */
export function flushOnLeave(): void {
  window.addEventListener('pagehide', () => void flushWorkspace());
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') void flushWorkspace();
  });
}
