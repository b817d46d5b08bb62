/** What this Parapet is: version, host, how secrets are kept, what start-up had to tell; and the cache's use. */
import { create } from 'zustand';
import type { AppInfo } from '#shared/bridge/operations.ts';
import { onAppEvent } from './app-events.ts';
import { windowBridge } from './window-bridge.ts';

const useStore = create<{ info: AppInfo | null; cache: { bytes: number; budgetBytes: number } | null }>(
  () => ({
    info: null,
    cache: null,
  }),
);

export async function startAppInfo(): Promise<void> {
  const load = async () => useStore.setState({ info: await windowBridge().call('app.info', {}) });
  onAppEvent('info', () => void load().catch(() => undefined));
  onAppEvent('cache', ({ bytes, budgetBytes }) => useStore.setState({ cache: { bytes, budgetBytes } }));
  await load();
  void windowBridge()
    .call('cache.stats', {})
    .then(({ bytes, budgetBytes }) => useStore.setState({ cache: { bytes, budgetBytes } }))
    .catch(() => undefined);
}

/** null until the first answer. */
export const useAppInfo = (): AppInfo | null => useStore((store) => store.info);
export const setAppInfo = (info: AppInfo): void => useStore.setState({ info });
/** Bytes used and allowed of the cache; null until known. */
export const useCacheUse = (): { bytes: number; budgetBytes: number } | null =>
  useStore((store) => store.cache);
