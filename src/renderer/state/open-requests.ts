/**
 * Handles files and links that Parapet was opened with: one at a time, and never while another dialog waits for an
 * answer.
 */
import { readOnce } from '#renderer/bridge/use-read.ts';
import { openDialogs } from '#renderer/ui/open-dialogs.ts';
import { showToast } from '#renderer/ui/toaster.ts';
import { toBridgeError } from '#shared/bridge/errors.ts';
import type { Link } from '#shared/bridge/link.ts';
import type { OutputOf } from '#shared/bridge/operations.ts';
import { plural } from '#shared/model/format.ts';
import { onAppEvent } from './app-events.ts';
import { appInfo } from './app-info.ts';
import { activateConnection, connectionName, currentConnection } from './connection.ts';
import { offerImport } from './dropped-files.ts';
import { openProfile, openQuery, openScreen } from './navigation.ts';
import { showSecrets } from './overlays.ts';
import { loadTabs } from './tabs.ts';
import { windowBridge } from './window-bridge.ts';

/** Polling interval for the dialog in front to close while an arrival is waiting. */
const LOOK_AGAIN_MS = 300;

const notFollowed = (detail: string) =>
  showToast({ intent: 'caution', title: 'Link not opened', detail, stays: true });

async function goTo(place: Link['place']): Promise<void> {
  const connection = currentConnection();
  if (place.to === 'query') {
    if (connection === null) return void notFollowed('Queries belong to a connection. Open one first.');
    const request = { params: { id: place.id } };
    openQuery((await readOnce(windowBridge(), connection.id, 'query.get', request)).data);
  } else if ('entityId' in place) {
    if (connection === null) return void notFollowed('Profiles belong to a connection. Open one first.');
    openProfile({ kind: place.to, saas: place.saas, entityId: place.entityId, title: undefined });
  } else openScreen(place.to);
}

/** Follows a link. Another connection is opened only if the analyst confirms. */
async function follow({ place, connectionId }: Link): Promise<void> {
  try {
    if (connectionId === null || connectionId === currentConnection()?.id) return await goTo(place);
  } catch (error) {
    return void notFollowed(toBridgeError(error).message);
  }
  const name = connectionName(connectionId);
  if (name === null)
    return void notFollowed('It belongs to a connection that doesn’t exist on this machine.');
  showToast({
    intent: 'info',
    title: `The link belongs to ${name}`,
    detail: 'Another connection is open. Nothing was opened.',
    action: { label: `Open ${name}`, run: () => void switchAndGo(connectionId, place) },
    stays: true,
  });
}

async function switchAndGo(connectionId: string, place: Link['place']): Promise<void> {
  try {
    await activateConnection(connectionId);
    // The tabs of the other connection, before one is added to them.
    await loadTabs(connectionId);
    await goTo(place);
  } catch (error) {
    notFollowed(toBridgeError(error).message);
  }
}

export class Arrivals {
  #busy = false;
  #again = false;

  start(): void {
    onAppEvent('arrived', () => void this.#take());
    void this.#take();
  }

  async #take(): Promise<void> {
    this.#again = true;
    if (this.#busy) return;
    this.#busy = true;
    try {
      while (this.#again) {
        this.#again = false;
        while (await this.#next());
      }
    } catch {
      // If the core does not answer, its pending arrivals stay there.
    } finally {
      this.#busy = false;
    }
  }

  /** Handles the next one; false if there is none. */
  async #next(): Promise<boolean> {
    while (openDialogs().length > 0) await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    // While secrets are locked, connections and queries are unavailable. Unlocking reloads the window, which asks again.
    if (appInfo()?.secrets.locked) {
      showSecrets(true);
      return false;
    }
    const { arrival, leftOut } = await windowBridge().call('arrivals.next', {});
    if (leftOut > 0)
      showToast({
        intent: 'caution',
        title: `${plural(leftOut, 'file or link', 'files or links')} not opened`,
        detail: 'Too many came at once. Open them a few at a time.',
        stays: true,
      });
    if (arrival === null) return false;
    await this.#open(arrival);
    return true;
  }

  async #open(arrival: NonNullable<OutputOf<'arrivals.next'>['arrival']>): Promise<void> {
    if (arrival.kind === 'link') return follow(arrival.link);
    if (arrival.kind === 'refused')
      return void showToast({ intent: 'caution', title: 'Not opened', detail: arrival.reason, stays: true });
    offerImport(
      arrival.offer.kind === 'refused' ? arrival.offer : { ...arrival.offer, folder: arrival.folder },
    );
    // The dialog is rendered a moment later; the next arrival waits for it.
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}
