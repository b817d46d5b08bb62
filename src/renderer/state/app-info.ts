/** What this Parapet is: version, host, how secrets are kept, what start-up had to tell; and the cache's use. */
import { useEffect } from 'react';
import { create } from 'zustand';
import type { AppInfo, OutputOf } from '#shared/bridge/operations.ts';
import { isOff, offReason } from '#shared/model/policy.ts';
import { onAppEvent } from './app-events.ts';
import { windowBridge } from './window-bridge.ts';
import { onWireBack } from './wire-health.ts';
import { flushWorkspace } from './workspace.ts';

type CacheStats = OutputOf<'cache.stats'>;
/** The use is announced with every page of rows; its counts are asked for at most this often. */
const STATS_EVERY_MS = 2000;
const SHOWN_EVERY_MS = 10_000;

const useStore = create<{ info: AppInfo | null; cache: CacheStats | null }>(() => ({
  info: null,
  cache: null,
}));
let waiting: ReturnType<typeof setTimeout> | undefined;

/** Asks what the cache holds now; what was known stays when that fails. */
export async function loadCacheStats(): Promise<void> {
  clearTimeout(waiting);
  waiting = undefined;
  const cache = await windowBridge()
    .call('cache.stats', {})
    .catch(() => null);
  if (cache) useStore.setState({ cache });
}

/** Another version brought a page of its own. */
async function loadAgain(): Promise<void> {
  const info = await windowBridge().call('app.info', {});
  if (info.version !== useStore.getState().info?.version) {
    await flushWorkspace();
    location.reload();
  }
  useStore.setState({ info });
}

export async function startAppInfo(): Promise<void> {
  const load = async () => useStore.setState({ info: await windowBridge().call('app.info', {}) });
  onAppEvent('info', () => void load().catch(() => undefined));
  onAppEvent('cache', ({ bytes, budgetBytes }) => {
    useStore.setState(({ cache }) => ({ cache: cache && { ...cache, bytes, budgetBytes } }));
    waiting ??= setTimeout(() => void loadCacheStats(), STATS_EVERY_MS);
  });
  onWireBack(() => void loadAgain().catch(() => undefined));
  await load();
  void loadCacheStats();
}

/** null until the first answer. */
export const useAppInfo = (): AppInfo | null => useStore((store) => store.info);
export const appInfo = (): AppInfo | null => useStore.getState().info;
export const setAppInfo = (info: AppInfo): void => useStore.setState({ info });
/** Why the policy has files without a password off; null: it has not. */
export function useClearFilesOff(): string | null {
  const managed = useAppInfo()?.managed ?? null;
  return isOff(managed, 'exports-in-clear') ? offReason('exports-in-clear', managed) : null;
}
/** What the cache holds and may hold; null until known. */
export const useCacheStats = (): CacheStats | null => useStore((store) => store.cache);

/** The same, kept current while a view shows its counts: small answers are saved without announcement. */
export function useFreshCacheStats(): CacheStats | null {
  useEffect(() => {
    void loadCacheStats();
    const timer = setInterval(() => void loadCacheStats(), SHOWN_EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return useCacheStats();
}
