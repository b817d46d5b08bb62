/**
 * One Parapet per profile. The lock is one of the operating system on a file in the profile: it ends with its
 * process, it is taken by one or by none, and no stale id can block a start. Beside it, a socket is the door at
 * which a second start asks the first one to show itself.
 */
import { createHash } from 'node:crypto';
import { accessSync, constants, lstatSync, mkdirSync, realpathSync, rmSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { printable } from './log.ts';

/** The shortest limit of a socket's path among our platforms (macOS: 104 bytes with the end mark). */
const SOCKET_PATH_MAX = 100;
const ANSWER_TIMEOUT_MS = 3000;
const ANSWER_MAX = 500;
/** Two that reach for the lock in the same moment may both miss it: each tries again for this long. */
const TAKE_WITHIN_MS = 2000;

const canWrite = (dir: string) => {
  try {
    accessSync(dir, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};

const outsideFolder = () => path.join(os.tmpdir(), `parapet-${os.userInfo().uid}`);

/** The folder for what does not fit into a profile, or null: everybody may make it, so it must be this user's alone. */
function ownFolder(): string | null {
  const dir = outsideFolder();
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch {
    // there already, or told by what is looked at next
  }
  const info = lstatSync(dir, { throwIfNoEntry: false });
  if (info === undefined || !info.isDirectory()) return null;
  const own = process.getuid === undefined || info.uid === process.getuid();
  return own && (process.platform === 'win32' || (info.mode & 0o077) === 0) ? dir : null;
}

const digestOf = (real: string) => createHash('sha256').update(real).digest('hex').slice(0, 24);

/** The socket of a profile: in it where that fits, else in a private folder of the run; null: nowhere that is safe. */
export function doorbellOf(profile: string): string | null {
  const real = realpathSync(profile);
  if (process.platform === 'win32') return `\\\\.\\pipe\\parapet-${digestOf(real)}`;
  const inside = path.join(real, 'lock');
  if (Buffer.byteLength(inside) <= SOCKET_PATH_MAX && canWrite(real)) return inside;
  const dir = ownFolder();
  return dir === null ? null : path.join(dir, `${digestOf(real)}.lock`);
}

/** The file of the lock; null: in a profile that keeps nothing, and nowhere else either. */
function lockFileOf(profile: string): string | null {
  const real = realpathSync(profile);
  if (canWrite(real)) return path.join(real, 'lock.sqlite');
  const dir = ownFolder();
  return dir === null ? null : path.join(dir, `${digestOf(real)}.sqlite`);
}

export type Instance =
  /** This process holds the profile. release gives it back. */
  | { first: true; release(): Promise<void> }
  /** Another process holds it; answer is what it said when asked to show itself, null: nothing. */
  | { first: false; answer: string | null };

/** What is made meanwhile is for this user only, from the moment on at which it is there. */
function privately<T>(work: () => T): T {
  if (process.platform === 'win32') return work();
  const before = process.umask(0o177);
  try {
    return work();
  } finally {
    process.umask(before);
  }
}

/** Takes the lock; null: another one has it. Whoever may read the file could hold it: nobody else may. */
function lock(file: string): (() => void) | null {
  const db = privately(() => new Sqlite(file, { timeout: 0 }));
  try {
    privately(() => db.exec('BEGIN EXCLUSIVE'));
    return () => db.close();
  } catch (error) {
    db.close();
    if (error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY')) return null;
    throw error;
  }
}

/** What the holder says; null: nobody is at the door, or says nothing. */
const ask = (address: string) =>
  new Promise<string | null>((resolve) => {
    const socket = net.connect(address);
    let text = '';
    const end = (answer: string) => {
      socket.on('error', () => {}).destroy();
      resolve(printable(answer).trim().slice(0, ANSWER_MAX) || null);
    };
    socket.setEncoding('utf8');
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => end(text));
    socket.on('connect', () => socket.write('show\n'));
    socket.on('data', (chunk) => {
      text += chunk;
      if (text.includes('\n') || text.length > ANSWER_MAX) end(text.split('\n', 1)[0] ?? '');
    });
    socket.on('end', () => end(text));
    socket.on('error', () => end(''));
  });

/** Opens the door. False: something else is there. */
const listen = (server: net.Server, address: string) =>
  new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    privately(() => server.listen(address, () => resolve(true)));
  });

async function openDoor(address: string, onShow: () => string): Promise<() => Promise<void>> {
  const peers = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    peers.add(socket);
    socket.on('close', () => peers.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.once('data', () => socket.end(`${onShow()}\n`));
  });
  // Whoever holds the lock owns the place: what lies there is of a process that ended.
  if (process.platform !== 'win32') rmSync(address, { force: true });
  if (!(await listen(server, address))) return async () => {};
  server.unref();
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const peer of peers) peer.on('error', () => {}).destroy();
    });
}

/**
 * Takes the profile, or asks its holder to show itself. `onShow` runs in the holder when another start asks; what
 * it answers reaches that start over the socket, which only the same user can open. `warn` hears why there is none.
 */
export async function takeInstance(
  profile: string,
  onShow: () => string,
  warn: (message: string) => void = () => {},
): Promise<Instance> {
  const file = lockFileOf(profile);
  const address = doorbellOf(profile);
  if (address === null)
    warn(
      `${outsideFolder()} is not a folder that only you can enter: a second start cannot reach this one through it. Remove it, or choose a shorter path for the profile.`,
    );
  const until = performance.now() + TAKE_WITHIN_MS;
  for (;;) {
    const unlock = file === null ? () => {} : lock(file);
    if (unlock !== null) {
      const closeDoor = address === null ? async () => {} : await openDoor(address, onShow);
      return {
        first: true,
        async release() {
          await closeDoor();
          unlock();
        },
      };
    }
    const answer = address === null ? null : await ask(address);
    if (answer !== null || performance.now() > until) return { first: false, answer };
    await pause(5 + Math.random() * 20);
  }
}
