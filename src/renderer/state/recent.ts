/** Queries run last, and favourites, per connection. */

import { create } from 'zustand';
import { readOnce } from '#renderer/bridge/use-read.ts';
import { attempt } from '#renderer/state/show-failure.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import type { WorkspaceValue } from '#shared/bridge/workspace.ts';
import { currentConnection, onConnectionChange } from './connection.ts';
import { draftForHere } from './drafts.ts';
import { openQuery } from './navigation.ts';
import { onOtherWindow } from './other-windows.ts';
import { useTabs } from './tabs.ts';
import { windowBridge } from './window-bridge.ts';
import { loadValue, loadValues, saveValue } from './workspace.ts';

/** Opens a query run before: the saved one, or the draft that ran it. */
export async function openRecent(recent: RecentQuery): Promise<void> {
  const connection = currentConnection();
  if (!connection) return;
  await attempt(`Couldn’t open “${recent.name}”`, async () => {
    const drafts = await loadValues('draft');
    const ran = [...drafts.values()]
      .filter(({ connectionId }) => connectionId === connection.id)
      .sort((a, b) => b.updatedAt - a.updatedAt)
      .find((draft) => recent.resultId !== null && draft.resultId === recent.resultId);
    if (ran) return void openQuery(await draftForHere(ran, useTabs.getState().tabs));
    if (recent.queryId === null) {
      showToast({ intent: 'info', title: `“${recent.name}” was never saved and its tab is closed` });
      return;
    }
    const request = { params: { id: recent.queryId } };
    openQuery((await readOnce(windowBridge(), connection.id, 'query.get', request)).data);
  });
}

export type RecentQuery = WorkspaceValue<'recent'>[number];
interface Store {
  connectionId: string | null;
  recent: readonly RecentQuery[];
  favourites: readonly string[];
}
/** Must exceed the number of a tenant's queries, as the library shows the last run of each. */
const MAX_ENTRIES = 500;
const NOTHING: Store = { connectionId: null, recent: [], favourites: [] };
const useStore = create<Store>(() => NOTHING);

async function load(connectionId: string | null): Promise<void> {
  useStore.setState({ ...NOTHING, connectionId });
  if (connectionId === null) return;
  const [recent, favourites] = await Promise.all([
    loadValue('recent', connectionId).catch(() => null),
    loadValue('favourites', connectionId).catch(() => null),
  ]);
  if (useStore.getState().connectionId !== connectionId) return;
  useStore.setState({ recent: recent ?? [], favourites: favourites ?? [] });
}

export function startRecent(): void {
  const isShown = (id: string | null) => id !== null && id === useStore.getState().connectionId;
  onOtherWindow('recent', (id, recent) => {
    if (isShown(id)) useStore.setState({ recent: recent ?? [] });
  });
  onOtherWindow('favourites', (id, favourites) => {
    if (isShown(id)) useStore.setState({ favourites: favourites ?? [] });
  });
  onConnectionChange((id) => void load(id));
}

export const useRecentQueries = (): readonly RecentQuery[] => useStore((store) => store.recent);
/** The same outside of React. */
export const currentRecent = (): readonly RecentQuery[] => useStore.getState().recent;
export const useFavourites = (): readonly string[] => useStore((store) => store.favourites);

/** Moves a query to the front after a run; a saved query, or a name of an unsaved one, is listed once. */
export function recordRecent(query: RecentQuery): void {
  const { connectionId, recent } = useStore.getState();
  if (connectionId === null) return;
  const same = (recentQuery: RecentQuery) =>
    query.queryId === null
      ? recentQuery.queryId === null && recentQuery.name === query.name
      : recentQuery.queryId === query.queryId;
  const next = [query, ...recent.filter((entry) => !same(entry))].slice(0, MAX_ENTRIES);
  useStore.setState({ recent: next });
  saveValue('recent', connectionId, next);
}

export function toggleFavourite(queryId: string): void {
  const { connectionId, favourites } = useStore.getState();
  if (connectionId === null) return;
  const next = favourites.includes(queryId)
    ? favourites.filter((id) => id !== queryId)
    : [...favourites, queryId];
  useStore.setState({ favourites: next });
  saveValue('favourites', connectionId, next);
}
