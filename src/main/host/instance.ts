/**
 * One Parapet per profile. The lock is an operating system lock on a file in the profile: it ends with its process,
 * exactly one process can take it, and no stale id can block a start. A socket beside it lets a second start ask the
 * first to show itself.
 */
import { createHash, randomBytes } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { z } from 'zod';
import { codeOf, diskFailure, isDiskFull, withheld } from '#shared/model/disk-errors.ts';
import { diskCause } from '#workers/disk-cause.ts';
import { type Arrival, arrival } from '../host-ui/open-requests.ts';
import { printable } from './log.ts';
import { canWrite } from './profile.ts';

/** The shortest limit of a socket path on our platforms (macOS: 104 bytes with the terminator). */
const SOCKET_PATH_MAX = 100;
const ANSWER_TIMEOUT_MS = 3000;
const ANSWER_MAX = 500;
/** Limit of the characters a start hands over; its paths and links have limits of their own. */
const HANDED_MAX = 1024 * 1024;
const handed = z.object({ arrivals: z.array(arrival) });
/** Two processes trying at the same moment may both fail, so each retries for this long. */
const TAKE_WITHIN_MS = 2000;
/** The reply of a process that is closing: the start then waits for the profile. */
const CLOSING = 'it is closing; start it again in a moment';
/** A little longer than an orderly stop may take (`lifetime.ts`). */
const CLOSED_WITHIN_MS = 17_000;

/** By the number of the user, who need not have an account, as in a container; -1 on Windows, as in Node's `userInfo`. */
const outsideFolder = () => path.join(os.tmpdir(), `parapet-${process.getuid?.() ?? -1}`);

/**
 * The folder outside the profile, or null if it is not safe: any user can create it, so it must belong to this user
 * alone.
 */
function ownFolder(): string | null {
  const dir = outsideFolder();
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch {
    // it exists, or the check below finds the problem
  }
  const info = lstatSync(dir, { throwIfNoEntry: false });
  if (info === undefined || !info.isDirectory()) return null;
  const isOurs = process.getuid === undefined || info.uid === process.getuid();
  return isOurs && (process.platform === 'win32' || (info.mode & 0o077) === 0) ? dir : null;
}

const digestOf = (real: string) => createHash('sha256').update(real).digest('hex').slice(0, 24);

const PIPE = /^\\\\\.\\pipe\\parapet-[0-9a-f]{64}$/;

/**
 * Where the socket of a profile lies: in the profile where the path is short enough, else in a private runtime folder;
 * Null if neither is safe. On Windows a file with the name of the pipe lies there.
 */
function doorOf(profile: string, platform: NodeJS.Platform): string | null {
  const real = realpathSync(profile);
  const inside = path.join(real, 'lock');
  const fits = platform === 'win32' || Buffer.byteLength(inside) <= SOCKET_PATH_MAX;
  if (fits && canWrite(real, platform)) return inside;
  const dir = ownFolder();
  return dir === null ? null : path.join(dir, `${digestOf(real)}.lock`);
}

/** The address at which the holder of a profile listens, or null if there is none. */
function addressAt(door: string | null, platform: NodeJS.Platform): string | null {
  if (door === null || platform !== 'win32') return door;
  try {
    const name = readFileSync(door, 'utf8');
    return PIPE.test(name) ? name : null;
  } catch {
    return null;
  }
}

/**
 * The address for a new holder. Windows pipes are not in a folder: any user of the machine can create one of any name,
 * and a second start would hand its files and links to it. So each holder uses a random name, stored in the profile.
 */
function newAddressAt(door: string | null, platform: NodeJS.Platform): string | null {
  if (door === null || platform !== 'win32') return door;
  const name = `\\\\.\\pipe\\parapet-${randomBytes(32).toString('hex')}`;
  try {
    writeFileSync(door, name, { mode: 0o600 });
    return name;
  } catch {
    return null;
  }
}

/** For tests. */
export const doorbellOf = (profile: string, platform = process.platform): string | null =>
  addressAt(doorOf(profile, platform), platform);
export const newDoorbell = (profile: string, platform = process.platform): string | null =>
  newAddressAt(doorOf(profile, platform), platform);

/** The lock file, or null if the profile is read-only and there is no other safe folder. */
function lockFileOf(profile: string): string | null {
  const real = realpathSync(profile);
  if (canWrite(real)) return path.join(real, 'lock.sqlite');
  const dir = ownFolder();
  return dir === null ? null : path.join(dir, `${digestOf(real)}.sqlite`);
}

export type Instance =
  /** This process holds the profile until `release`. After `closing`, another start waits for that. */
  | { first: true; closing(): void; release(): Promise<void> }
  /** Another process holds it; `answer` is its reply to the request to show itself, if it gave one. */
  | { first: false; answer: string | null };

/** Files created meanwhile are readable by this user only, from the start. */
function privately<T>(work: () => T): T {
  if (process.platform === 'win32') return work();
  const before = process.umask(0o177);
  try {
    return work();
  } finally {
    process.umask(before);
  }
}

function openLock(file: string): Sqlite.Database {
  try {
    return new Sqlite(file, { timeout: 0 });
  } catch (error) {
    throw (
      diskTrouble(file, error) ??
      new Error(
        `Parapet cannot open ${file}. Choose another profile folder with --profile: one that you may write to, and with a shorter path.`,
        { cause: error },
      )
    );
  }
}

/** The error to report if the disk fails or is full, or null if the error has another cause. */
function diskTrouble(file: string, error: unknown): Error | null {
  const cause = diskCause(error, file) ?? error;
  const code = codeOf(error);
  const isFull = isDiskFull(cause) || code === 'SQLITE_FULL';
  const fails = code.startsWith('SQLITE_IOERR') ? 'the disk reports an error' : null;
  const why = isFull ? 'its disk is full' : (diskFailure(cause) ?? withheld(cause) ?? fails);
  return why === null
    ? null
    : new Error(
        `Parapet cannot lock ${file}: ${why}. Fix that and start again, or choose another profile folder with --profile.`,
        { cause: error },
      );
}

/**
 * Takes the lock, or null if another process has it. Any process that can read the file could hold the lock, so the
 * file is private to this user.
 */
function lock(file: string): (() => void) | null {
  const db = privately(() => openLock(file));
  try {
    // A journal file would be written at once, which fails on a full disk.
    db.pragma('journal_mode = MEMORY');
    privately(() => db.exec('BEGIN EXCLUSIVE'));
    return () => db.close();
  } catch (error) {
    db.close();
    if (error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY')) return null;
    if (!emptyDamaged(file, error)) throw diskTrouble(file, error) ?? error;
    return lock(file);
  }
}

/**
 * Throws if the disk does not support locks, such as a share without a lock service. SQLite reports the same error as for a
 * lock that another process holds.
 */
function requireLocks(file: string): void {
  const probe = `${file}.${randomBytes(8).toString('hex')}.probe`;
  try {
    const unlock = lock(probe);
    if (unlock === null)
      throw new Error(
        `The disk of ${path.dirname(file)} does not let files be locked, so Parapet cannot make sure that it runs only once with this profile. Choose a profile folder on another disk with --profile.`,
      );
    unlock();
  } finally {
    rmSync(probe, { force: true });
  }
}

/**
 * Empties a lock file that is not a database; false if the error has another cause. The lock needs no content, and
 * such a file cannot be locked by another process. A link is left alone, as its target may be any file.
 */
function emptyDamaged(file: string, error: unknown): boolean {
  const isDamaged = error instanceof Sqlite.SqliteError && /^SQLITE_(?:NOTADB|CORRUPT)/.test(error.code);
  const info = lstatSync(file, { throwIfNoEntry: false });
  if (!isDamaged || info?.isFile() !== true) return false;
  // Another start may have emptied it meanwhile, and may hold it.
  if (info.size > 0) truncateSync(file);
  return true;
}

/** Resolves with the reply to a handover (its text, or null if there was none), or null if no process is listening. */
const ask = (address: string, arrivals: readonly Arrival[]) =>
  new Promise<{ answer: string | null } | null>((resolve) => {
    const socket = net.connect(address);
    let text = '';
    let isHeard = false;
    const end = (answer: string) => {
      socket.on('error', () => {}).destroy();
      resolve(isHeard ? { answer: printable(answer).trim().slice(0, ANSWER_MAX) || null } : null);
    };
    socket.setEncoding('utf8');
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => end(text));
    socket.on('connect', () => {
      isHeard = true;
      socket.write(`${JSON.stringify({ arrivals })}\n`);
    });
    socket.on('data', (chunk) => {
      text += chunk;
      if (text.includes('\n') || text.length > ANSWER_MAX) end(text.split('\n', 1)[0] ?? '');
    });
    socket.on('end', () => end(text));
    socket.on('error', () => end(''));
  });

/** Starts listening. False if the address is in use. */
const listen = (server: net.Server, address: string) =>
  new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    privately(() => server.listen(address, () => resolve(true)));
  });

/** Parses a handover; anything malformed only asks to be shown. */
function readHanded(line: string): Arrival[] {
  try {
    return handed.parse(JSON.parse(line)).arrivals;
  } catch {
    return [];
  }
}

type OnShow = (arrivals: readonly Arrival[]) => string;

async function openDoor(address: string, onShow: OnShow): Promise<() => Promise<void>> {
  const peers = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    peers.add(socket);
    socket.on('close', () => peers.delete(socket));
    socket.on('error', () => socket.destroy());
    let text = '';
    socket.setEncoding('utf8');
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => socket.end());
    const read = (chunk: string) => {
      text += chunk;
      if (!text.includes('\n') && text.length <= HANDED_MAX) return;
      socket.off('data', read);
      socket.end(`${onShow(readHanded(text.split('\n', 1)[0] ?? ''))}\n`);
    };
    socket.on('data', read);
  });
  // This process holds the lock and no process listens on the path: the socket is left from one that has ended.
  try {
    if (process.platform !== 'win32') rmSync(address, { force: true });
  } catch {
    // A folder, for instance: other starts then learn from the lock that the profile is taken.
    return async () => {};
  }
  if (!(await listen(server, address))) return async () => {};
  server.unref();
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const peer of peers) peer.on('error', () => {}).destroy();
    });
}

/**
 * Takes the profile, or asks its holder to show itself and hands over what this start was to open. `onShow` runs in the
 * holder when another start asks; its result reaches that start over the socket, which only the same user can open.
 * `warn` receives the reason why there is no socket.
 */
export async function takeInstance(
  profile: string,
  onShow: OnShow,
  warn: (message: string) => void = () => {},
  arrivals: readonly Arrival[] = [],
): Promise<Instance> {
  const file = lockFileOf(profile);
  const { platform } = process;
  const door = doorOf(profile, platform);
  if (door === null)
    warn(
      `${outsideFolder()} is not a folder that only you can enter, so a second start cannot reach this one through it. Remove it, or choose a shorter path for the profile.`,
    );
  const began = performance.now();
  for (;;) {
    const unlock = file === null ? () => {} : lock(file);
    // Also with the lock: the lock file may have been deleted under a running Parapet.
    const address = addressAt(door, platform);
    const other = address === null ? null : await ask(address, arrivals);
    if (unlock !== null && other === null) {
      let isClosing = false;
      const address = newAddressAt(door, platform);
      const closeDoor =
        address === null
          ? async () => {}
          : await openDoor(address, (handed) => (isClosing ? CLOSING : onShow(handed)));
      return {
        first: true,
        closing() {
          isClosing = true;
        },
        async release() {
          await closeDoor();
          if (door !== null && platform === 'win32') rmSync(door, { force: true });
          unlock();
        },
      };
    }
    unlock?.();
    const answer = other?.answer ?? null;
    const isClosing = answer === CLOSING;
    if (!isClosing && (answer !== null || unlock !== null)) return { first: false, answer };
    if (performance.now() > began + (isClosing ? CLOSED_WITHIN_MS : TAKE_WITHIN_MS)) {
      if (file !== null && !isClosing) requireLocks(file);
      return { first: false, answer };
    }
    await pause(5 + Math.random() * 20);
  }
}
