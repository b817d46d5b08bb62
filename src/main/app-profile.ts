/** Opening the profile: at the start, and when the analyst unlocks it or chooses where its secrets are kept. */
import { toBridgeError } from '#shared/bridge/errors.ts';
import type { AppEvent, AppInfo } from '#shared/bridge/operations.ts';
import {
  type Notices,
  notConnected,
  notMoved,
  unfinishedChanges,
  unreadableConnections,
} from './app-notices.ts';
import type { Activation } from './connections/activation.ts';
import type { ConnectionsService } from './connections/handlers.ts';
import type { ConnectionHealth } from './connections/health.ts';
import type { Records } from './connections/repository.ts';
import type { Secrets } from './connections/secrets.ts';
import type { Embedded } from './embedded/manager.ts';
import type { HandlersIn } from './kernel/handlers.ts';
import type { Logger } from './kernel/ports.ts';
import type { OfflinePins } from './response-cache/offline-pins.ts';
import type { ResponseCache } from './response-cache/store.ts';
import type { Database } from './store/database.ts';
import type { Updates } from './updates/updates.ts';
import type { Journal } from './workspace/journal.ts';
import type { ProfileStorage } from './workspace/storage.ts';

interface Workspace {
  records: Records;
  journal: Journal;
  notices: Notices;
  log: Logger;
}

/** Reads the connections and the journal, and says what of them is unreadable or unfinished. */
export async function readWorkspace({ records, journal, notices, log }: Workspace): Promise<void> {
  const unreadable = await records.load();
  if (unreadable.length > 0) notices.add(unreadableConnections(unreadable));
  const left = await journal.recover().catch((error: unknown) => {
    log.warn('changes of earlier runs could not be checked', { reason: String(error) });
    return { doubtful: 0, unsent: 0 };
  });
  for (const notice of unfinishedChanges(left)) notices.add(notice);
}

/** Opens the profile's own files if their key is available, otherwise files of this run. */
export async function openAtStart(secrets: Secrets, storage: ProfileStorage): Promise<void> {
  if (secrets.lasting())
    try {
      await storage.open(secrets.databaseKey(), 'profile', { expected: secrets.hasHistory() });
      return;
    } catch (error) {
      const { code, message } = toBridgeError(error);
      if (code !== 'secrets-locked') throw error;
      secrets.relock(message);
    }
  await storage.open(secrets.databaseKey(), 'run');
}

/** Reads whether the analyst works offline. */
export async function readOfflineChoice(workspace: Database, health: ConnectionHealth): Promise<void> {
  const row = await workspace.get<{ value: string }>("SELECT value FROM kv WHERE key = 'core:offline'");
  health.setByChoice(row?.value === 'true');
}

interface Parts extends Workspace {
  secrets: Secrets;
  storage: ProfileStorage;
  workspace: Database;
  health: ConnectionHealth;
  embedded: Embedded;
  responseCache: ResponseCache;
  updates: Updates;
  offlinePins: OfflinePins;
  connections: ConnectionsService;
  activation: Activation;
  /** The files behind all stores are others now. */
  storageChanged(): void;
  publish(event: AppEvent): void;
}

/**
 * Opens the profile's files, or makes this run's files the profile's (`adopt`); everything read from the old ones is
 * read again.
 */
async function reopen(parts: Parts, adopt: boolean): Promise<void> {
  const { records, secrets, storage, embedded, connections, activation } = parts;
  const active = adopt ? (records.active()?.id ?? null) : null;
  await embedded.stopAll('for-now');
  try {
    await parts.responseCache.flush();
    await storage.open(secrets.databaseKey(), 'profile', { adopt, expected: !adopt });
  } catch (error) {
    const { message } = toBridgeError(error);
    if (!adopt) secrets.relock(`The profile could not be opened and stays locked. ${message}`);
    else parts.notices.add(notMoved(message));
    throw error;
  } finally {
    try {
      // Calls made meanwhile have read neither the old nor the new files.
      await readWorkspace(parts);
      // Before interrupted work resumes by itself.
      await readOfflineChoice(parts.workspace, parts.health);
      await parts.updates.load();
      parts.storageChanged();
    } finally {
      embedded.resume();
    }
  }
  if (!adopt) await parts.offlinePins.load();
  // Before anything is shown: data left by a change of a connection may be another account's.
  await connections.sweep();
  await connections.manage();
  parts.publish({ type: 'connections' });
  const next = active ?? records.active()?.id ?? null;
  if (next !== null) await activation.activate(next);
  else activation.publishState();
}

export interface ProfileOpening {
  handlers: HandlersIn<'secrets'>;
  /** Resolves when no choice is being carried out. */
  settled(): Promise<unknown>;
}

/** Choices are carried out one after another. */
export function createProfileOpening(parts: Parts, info: () => AppInfo): ProfileOpening {
  const { secrets, storage, records, activation, notices } = parts;
  let choosing: Promise<unknown> = Promise.resolve();
  const handlers: ProfileOpening['handlers'] = {
    'secrets.choose': async ({ mode, passphrase }) => {
      const work = choosing.then(async () => {
        const wasLasting = secrets.lasting();
        // The files must be marked as lasting before their key is stored.
        if (!wasLasting && mode !== 'run' && !secrets.state().locked) storage.prepareAdoption();
        const became = await secrets.choose(mode, passphrase, records.credentialKeys());
        if (!wasLasting && secrets.lasting()) await reopen(parts, became === 'kept');
        await activation
          .connectWaiting()
          .catch((error: unknown) => notices.add(notConnected(toBridgeError(error).message)));
        return info();
      });
      choosing = work.catch(() => {}).then(() => parts.publish({ type: 'info' }));
      return work;
    },
  };
  return { handlers, settled: () => choosing };
}
