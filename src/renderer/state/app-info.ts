/** Application info: version, host, storage of secrets, start-up notices; and cache usage. */
import { useEffect } from 'react';
import { create } from 'zustand';
import type { AppInfo, OutputOf } from '#shared/bridge/operations.ts';
import { isOff, offReason } from '#shared/model/policy.ts';
import { onAppEvent } from './app-events.ts';
import { windowBridge } from './window-bridge.ts';
import { onWireBack } from './wire-health.ts';
import { flushWorkspace } from './workspace.ts';

type CacheStats = OutputOf<'cache.stats'>;
/** Cache usage changes with every page of rows; the counts are requested at most this often. */
const STATS_EVERY_MS = 2000;
const SHOWN_EVERY_MS = 10_000;

const useStore = create<{ info: AppInfo | null; cache: CacheStats | null }>(() => ({
  info: null,
  cache: null,
}));
let waiting: ReturnType<typeof setTimeout> | undefined;

/** Requests the cache statistics; the previous ones stay if that fails. */
export async function loadCacheStats(): Promise<void> {
  clearTimeout(waiting);
  waiting = undefined;
  const cache = await windowBridge()
    .call('cache.stats', {})
    .catch(() => null);
  if (cache) useStore.setState({ cache });
}

/** Another version has a different page, so the window must reload. */
async function loadAgain(): Promise<void> {
  const info = await windowBridge().call('app.info', {});
  if (info.version !== useStore.getState().info?.version) {
    await flushWorkspace();
    location.reload();
  }
  setAppInfo(info);
}

export async function startAppInfo(): Promise<void> {
  const load = async () => setAppInfo(await windowBridge().call('app.info', {}));
  onAppEvent('info', () => void load().catch(() => undefined));
  onAppEvent('cache', ({ bytes, budgetBytes }) => {
    useStore.setState(({ cache }) => ({ cache: cache && { ...cache, bytes, budgetBytes } }));
    waiting ??= setTimeout(() => void loadCacheStats(), STATS_EVERY_MS);
  });
  onWireBack(() => void loadAgain().catch(() => undefined));
  await load();
  void loadCacheStats();
}

/** Null until the first answer. */
export const useAppInfo = (): AppInfo | null => useStore((store) => store.info);
export const appInfo = (): AppInfo | null => useStore.getState().info;
/** Reloads the window if the profile was unlocked, in this window or another one: drafts, tabs and settings are others. */
export function setAppInfo(info: AppInfo): void {
  const before = useStore.getState().info;
  useStore.setState({ info });
  if (before?.secrets.locked && !info.secrets.locked) location.reload();
}
/** Why the policy forbids files without a password, or null if it does not. */
export function useClearFilesOff(): string | null {
  const managed = useAppInfo()?.managed ?? null;
  return isOff(managed, 'exports-in-clear') ? offReason('exports-in-clear', managed) : null;
}
/** Cache usage and budget; null until known. */
export const useCacheStats = (): CacheStats | null => useStore((store) => store.cache);

/** The same, refreshed while a view shows the counts, because small answers are saved without an event. */
export function useFreshCacheStats(): CacheStats | null {
  useEffect(() => {
    void loadCacheStats();
    const timer = setInterval(() => void loadCacheStats(), SHOWN_EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return useCacheStats();
}
