/** Opening the profile: at the start, and when the analyst unlocks it or chooses where its secrets are kept. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import type { AppEvent, AppInfo } from '#shared/bridge/operations.ts';
import {
  Notices,
  notConnected,
  notMoved,
  startNotices,
  uncheckedChanges,
  unfinishedChanges,
  unreadableConnections,
  unreadableRules,
} from './app-notices.ts';
import type { Activation } from './connections/activation.ts';
import type { ConnectionsService } from './connections/handlers.ts';
import type { ConnectionHealth } from './connections/health.ts';
import { Records } from './connections/repository.ts';
import type { SealCost } from './connections/sealed-file.ts';
import { createSecrets, type Secrets } from './connections/secrets.ts';
import type { Embedded } from './embedded/manager.ts';
import { removeLeftParts } from './files/temp-file.ts';
import { clearPart } from './files/whole-file.ts';
import { createGenerations, type Generations } from './kernel/generations.ts';
import type { HandlersIn } from './kernel/handlers.ts';
import type { Logger, Ports } from './kernel/ports.ts';
import type { OfflinePins } from './response-cache/offline-pins.ts';
import type { ResponseCache } from './response-cache/store.ts';
import { RuleBook } from './rules/rule-book.ts';
import type { Database } from './store/database.ts';
import type { ResultStore } from './store/tasks.ts';
import type { Updates } from './updates/updates.ts';
import { Journal } from './workspace/journal.ts';
import { isWritable, ProfileStorage, type StorageTuning } from './workspace/storage.ts';

/** How long a start waits for the removal of unfinished files of an earlier run, which may be on any disk. */
const LEFT_PARTS_MS = 3_000;

/** For tests. */
export interface ProfileTuning {
  storage?: StorageTuning;
  /** Key derivation cost of passphrases chosen in this run; SEAL_COST by default. */
  sealCost?: SealCost | undefined;
  /** Wraps a database, to inject failures. */
  database?: (database: ResultStore, kind: 'cache' | 'workspace') => ResultStore;
}

/** The profile's files, and what was read from them. */
export interface OpenedProfile {
  readOnly: boolean;
  notices: Notices;
  log: Logger;
  secrets: Secrets;
  storage: ProfileStorage;
  cache: ResultStore;
  workspace: ResultStore;
  records: Records;
  generations: Generations;
  journal: Journal;
  rules: RuleBook;
  /** Rejects `secrets-locked` while a change would be recorded in files that unlocking the profile discards. */
  requireJournal(): void;
  /** Marks the journal entries of this run. */
  run: string;
  /** Call when the files behind all stores were replaced. */
  storageChanged(): void;
  onStorage(listener: () => void): void;
}

/** Rejects ParapetError `newer-schema`, changing nothing, for a profile written by a newer Parapet. */
export async function openProfile(
  ports: Ports,
  publish: (event: AppEvent) => void,
  { database = (unchanged) => unchanged, ...tuning }: ProfileTuning,
): Promise<OpenedProfile> {
  const { log } = ports;
  const { profile: folder } = ports.paths;
  const notices = new Notices(() => publish({ type: 'info' }));
  const readOnly = !isWritable(folder);
  for (const notice of startNotices(folder, readOnly, ports.policy.managed?.problem ?? null))
    notices.add(notice);
  if (!readOnly) {
    const removing = removeLeftParts(folder, clearPart).catch((error: unknown) =>
      log.warn('files left unfinished by an earlier run could not be removed', { reason: String(error) }),
    );
    // They may be on a disk or share that no longer responds.
    await Promise.race([removing, sleep(LEFT_PARTS_MS, undefined, { ref: false })]);
  }
  const secrets = await createSecrets({
    keychain: ports.keychain,
    profile: folder,
    readOnly,
    sealCost: tuning.sealCost,
  });
  const listeners = new Set<() => void>();
  const storageChanged = () => {
    generations.cleared(null);
    for (const listener of listeners) listener();
  };
  const storage = new ProfileStorage(ports, readOnly, notices.add, storageChanged, tuning.storage);
  const workspace = database(storage.workspace, 'workspace');
  const records = new Records(workspace);
  const generations = createGenerations(
    (id) => records.find((record) => record.id === id)?.generation ?? null,
  );
  const run = randomUUID();
  const rules = new RuleBook(workspace, ports.now);
  const requireJournal = () => {
    const { locked, mode } = secrets.state();
    const hasOwnFiles = mode === 'keychain' || mode === 'passphrase';
    if (!hasOwnFiles || (!locked && (readOnly || storage.isLasting()))) return;
    throw new ParapetError(
      'secrets-locked',
      'Nothing was sent: this profile is locked, so its journal could not keep the change. Unlock the profile, then try again.',
      { retryable: true, data: { unsent: true } },
    );
  };
  const profile: OpenedProfile = {
    readOnly,
    notices,
    log,
    secrets,
    storage,
    cache: database(storage.cache, 'cache'),
    workspace,
    records,
    generations,
    rules,
    journal: new Journal(workspace, ports, run, requireJournal),
    requireJournal,
    run,
    storageChanged,
    onStorage: (listener) => void listeners.add(listener),
  };
  try {
    await openAtStart(secrets, storage);
    await readWorkspace(profile);
  } catch (error) {
    await storage.close();
    throw error;
  }
  return profile;
}

/** Loads the connections and the journal, and adds notices for unreadable or unfinished entries. */
export async function readWorkspace({ records, rules, journal, notices, log }: OpenedProfile): Promise<void> {
  const unreadable = await records.load();
  if (unreadable.length > 0) notices.add(unreadableConnections(unreadable));
  const unreadRules = await rules.load();
  if (unreadRules > 0) notices.add(unreadableRules(unreadRules));
  const earlierChanges = await journal.recover().catch((error: unknown) => {
    log.warn('changes of earlier runs could not be checked', { reason: String(error) });
    notices.add(uncheckedChanges(toBridgeError(error).message));
    return { doubtful: 0, unsent: 0 };
  });
  for (const notice of unfinishedChanges(earlierChanges)) notices.add(notice);
}

/** Opens the profile's own files if their key is available, otherwise files of this run. */
async function openAtStart(secrets: Secrets, storage: ProfileStorage): Promise<void> {
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

interface Parts {
  profile: OpenedProfile;
  health: ConnectionHealth;
  embedded: Embedded;
  responseCache: ResponseCache;
  updates: Updates;
  offlinePins: OfflinePins;
  connections: ConnectionsService;
  activation: Activation;
  publish(event: AppEvent): void;
}

/**
 * Opens the profile's files, or makes this run's files the profile's (`adopt`); everything read from the old ones is
 * read again.
 */
async function reopen(parts: Parts, adopt: boolean): Promise<void> {
  const { profile, embedded, connections, activation } = parts;
  const { records, secrets, storage } = profile;
  const active = adopt ? (records.active()?.id ?? null) : null;
  await embedded.stopAll('for-now');
  try {
    await parts.responseCache.flush();
    await storage.open(secrets.databaseKey(), 'profile', { adopt, expected: !adopt });
  } catch (error) {
    const { message } = toBridgeError(error);
    if (!adopt) secrets.relock(`The profile could not be opened and stays locked. ${message}`);
    else profile.notices.add(notMoved(message));
    throw error;
  } finally {
    try {
      // Calls made meanwhile have read neither the old nor the new files.
      await readWorkspace(profile);
      // Before interrupted work resumes automatically.
      await readOfflineChoice(profile.workspace, parts.health);
      await parts.updates.load();
      profile.storageChanged();
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
  const { profile, activation } = parts;
  const { secrets, storage, records, notices } = profile;
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
