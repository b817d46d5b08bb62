/**
 * One Parapet per profile. The lock is a socket: it vanishes with its process, so no stale id can block a start,
 * and a second start can ask the first one to show itself.
 */
import { createHash } from 'node:crypto';
import { accessSync, chmodSync, constants, mkdirSync, realpathSync, rmSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

/** The shortest limit of a socket's path among our platforms (macOS: 104 bytes with the end mark). */
const SOCKET_PATH_MAX = 100;
const ANSWER_TIMEOUT_MS = 3000;

const canWrite = (dir: string) => {
  try {
    accessSync(dir, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};

/** Where the lock of a profile lives: in it where that fits, else in a private folder of the run. */
export function lockPath(profile: string): string {
  const real = realpathSync(profile);
  const digest = createHash('sha256').update(real).digest('hex').slice(0, 24);
  if (process.platform === 'win32') return `\\\\.\\pipe\\parapet-${digest}`;
  const inside = path.join(real, 'lock');
  if (Buffer.byteLength(inside) <= SOCKET_PATH_MAX && canWrite(real)) return inside;
  const dir = path.join(os.tmpdir(), `parapet-${os.userInfo().uid}`);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  return path.join(dir, `${digest}.lock`);
}

export type Instance =
  /** This process holds the profile. release gives it back. */
  | { first: true; release(): Promise<void> }
  /** Another process holds it; answer is what it said when asked to show itself, null: nothing. */
  | { first: false; answer: string | null };

const askHolder = (address: string) =>
  new Promise<{ alive: boolean; answer: string | null }>((resolve) => {
    const socket = net.connect(address);
    let text = '';
    socket.setEncoding('utf8');
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => {
      socket.destroy();
      resolve({ alive: true, answer: null });
    });
    socket.on('connect', () => socket.write('show\n'));
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('end', () => resolve({ alive: true, answer: text.trim() === '' ? null : text.trim() }));
    socket.on('error', (error: NodeJS.ErrnoException) =>
      resolve({ alive: error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT', answer: null }),
    );
  });

const listen = (server: net.Server, address: string) =>
  new Promise<boolean>((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error);
    server.once('error', failed);
    server.listen(address, () => {
      server.off('error', failed);
      resolve(true);
    });
  });

/**
 * Takes the profile, or asks its holder to show itself. `onShow` runs in the holder when another start asks; what
 * it answers reaches that start over the socket, which only the same user can open.
 */
export async function takeInstance(profile: string, onShow: () => string): Promise<Instance> {
  const address = lockPath(profile);
  for (let attempt = 0; attempt < 3; attempt++) {
    const server = net.createServer((socket) => {
      socket.on('error', () => socket.destroy());
      socket.once('data', () => socket.end(`${onShow()}\n`));
    });
    if (await listen(server, address)) {
      if (process.platform !== 'win32') chmodSync(address, 0o600);
      server.unref();
      return { first: true, release: () => new Promise((resolve) => server.close(() => resolve())) };
    }
    const holder = await askHolder(address);
    if (holder.alive) return { first: false, answer: holder.answer };
    rmSync(address, { force: true });
  }
  throw new Error(`Another program holds ${address}`);
}
