/** Notices of the core: shown above every screen until a later one with the same id replaces them. */
import { join } from 'node:path';
import { type Unwatched, WATCHED_FOLDERS } from '#shared/embedded.ts';
import { exact } from '#shared/model/format.ts';
import { earlierProfiles, exposedMode, keepsModes } from './store/profile-files.ts';
import type { Notice } from './workspace/storage.ts';

export class Notices {
  readonly #changed: () => void;
  #all: Notice[] = [];

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Replaces the one with the same id. */
  readonly add = (added: Notice): void => {
    this.#all = [...this.#all.filter(({ id }) => id !== added.id), added];
    this.#changed();
  };

  list(): Notice[] {
    return [...this.#all];
  }
}

/**
 * Notices about the profile folder and the policy of this machine. `policyProblem` is why the policy cannot be read,
 * if there is one that cannot.
 */
export function startNotices(profile: string, readOnly: boolean, policyProblem: string | null): Notice[] {
  const notices: Notice[] = [];
  if (readOnly)
    notices.push({
      id: 'read-only',
      level: 'warning',
      message: 'The profile folder cannot be written to. Parapet works, but keeps nothing after it closes.',
    });
  for (const name of earlierProfiles(profile)) {
    const path = join(profile, name);
    notices.push({
      id: name,
      level: 'warning',
      message: `This profile was made by a build of Parapet before 1.0.0, which this version cannot read. All of it was kept, unread, in ${path}, and a new profile was started: add your connections again. To use the old one, start its build with --profile "${path}". Delete that folder when you no longer need it.`,
    });
  }
  const exposed = exposedMode(profile);
  if (exposed !== null)
    notices.push({
      id: 'exposed-profile',
      level: 'warning',
      message: keepsModes(profile)
        ? `Other users of this machine can list the profile folder (its mode is ${exposed}). They cannot read the databases in it, but see the file names. To close the folder: chmod 700 "${profile}"`
        : `Other users of this machine can read the files of the profile folder, since its disk keeps no permissions, as FAT and some shares do not (its mode is ${exposed}). Its databases are encrypted; the log and exports that wait to be downloaded are not. Start Parapet with --profile and a folder on another disk to keep them to yourself.`,
    });
  if (policyProblem !== null) notices.push({ id: 'policy', level: 'error', message: policyProblem });
  return notices;
}

/** `names` are connections whose rows cannot be read; at least one. */
export const unreadableConnections = (names: readonly string[]): Notice => ({
  id: 'unreadable-connections',
  level: 'error',
  message: `${names.length === 1 ? 'A connection' : 'Some connections'} could not be read and ${names.length === 1 ? 'is' : 'are'} not shown: ${names.join(', ')}. Nothing was deleted; add the connection again to continue.`,
});

export const unreadableRules = (count: number): Notice => ({
  id: 'unreadable-rules',
  level: 'error',
  message: `${count === 1 ? 'A rule' : `${count} rules`} of the profile could not be read and ${count === 1 ? 'is' : 'are'} not applied. Nothing was deleted; import or add ${count === 1 ? 'it' : 'them'} again.`,
});

/** Changes of earlier runs: `unsent` were not sent, of `doubtful` it is unknown whether they arrived. */
export function unfinishedChanges({ doubtful, unsent }: { doubtful: number; unsent: number }): Notice[] {
  const notices: Notice[] = [];
  if (unsent > 0)
    notices.push({
      id: 'unsent-changes',
      level: 'warning',
      message: `Parapet closed before ${unsent === 1 ? 'a confirmed change' : `${unsent} confirmed changes`} left. ${unsent === 1 ? 'It was' : 'They were'} not sent: Activity shows which, and can send ${unsent === 1 ? 'it' : 'them'} again.`,
    });
  if (doubtful > 0)
    notices.push({
      id: 'unknown-changes',
      level: 'warning',
      message: `Parapet closed while ${doubtful === 1 ? 'a change was' : `${doubtful} changes were`} on the way. It is not known whether ${doubtful === 1 ? 'it' : 'they'} arrived: Activity shows which.`,
    });
  return notices;
}

export const uncheckedChanges = (reason: string): Notice => ({
  id: 'unchecked-changes',
  level: 'warning',
  message: `It could not be checked whether changes of earlier runs were sent. ${reason} Until the next start Activity may show them as still running.`,
});

export const notMoved = (reason: string): Notice => ({
  id: 'not-moved',
  level: 'error',
  message: `The secrets are saved, but the data of this run could not be moved into the profile folder. ${reason} It stays where it is and is moved at the next start.`,
});

const UNWATCHED: Readonly<Record<Unwatched, [why: string, next: string]>> = {
  folders: [`Parapet watches at most ${exact(WATCHED_FOLDERS)} folders`, ''],
  system: [
    'the system does not allow more folders to be watched',
    ' On Linux, an administrator can raise the limit (fs.inotify.max_user_watches and max_user_instances).',
  ],
};

export const unwatchedEvidence = (path: string, limit: Unwatched): Omit<Notice, 'id'> => ({
  level: 'warning',
  message: `Changes of some folders in ${path} are not noticed, because ${UNWATCHED[limit][0]}. Choose Read again in the menu of the connection to find new mail.${UNWATCHED[limit][1]}`,
});

export const notConnected = (reason: string): Notice => ({
  id: 'not-connected',
  level: 'error',
  message: reason,
});

export const internalError = (reason: string): Notice => ({
  id: 'fault',
  level: 'warning',
  message: `An internal error occurred in Parapet: ${reason.slice(0, 500)}. Parapet keeps running. If something on the screen stops responding or looks wrong, restart it.`,
});
