import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { NO_SYMLINKS } from '#tests/support/symlinks.ts';
import { doorbellOf, type Instance, newDoorbell, takeInstance } from './instance.ts';

let profile: string;
let held: Instance[];
beforeEach(() => {
  profile = mkdtempSync(path.join(os.tmpdir(), 'parapet-instance-'));
  held = [];
});
afterEach(async () => {
  for (const instance of held) if (instance.first) await instance.release();
  rmSync(profile, { recursive: true, force: true });
});
const take = async (answer = '') => {
  const instance = await takeInstance(profile, () => answer);
  held.push(instance);
  return instance;
};

test('[bad input] the second start of a profile gets the reply of the first', async () => {
  expect((await take('http://127.0.0.1:1/')).first).toBe(true);
  expect(await take()).toEqual({ first: false, answer: 'http://127.0.0.1:1/' });
});

test.skipIf(process.platform === 'win32')(
  'a holder without a lock is found by its socket: an early version, or one whose lock file was deleted',
  async () => {
    expect((await take('http://127.0.0.1:1/')).first).toBe(true);
    rmSync(path.join(profile, 'lock.sqlite'));
    expect(await take()).toEqual({ first: false, answer: 'http://127.0.0.1:1/' });
    // A third start gets the reply too: the second left the socket of the first alone.
    expect(await take()).toEqual({ first: false, answer: 'http://127.0.0.1:1/' });
  },
);

test('a start hands over what it was to open; a malformed handover only asks to be shown', async () => {
  const handed: unknown[] = [];
  const first = await takeInstance(profile, (arrivals) => String(handed.push(arrivals)));
  held.push(first);
  const arrivals = [
    { kind: 'file' as const, path: '/cases/two\nlines "quoted".eml' },
    { kind: 'link' as const, text: 'parapet://home' },
  ];
  expect(await takeInstance(profile, () => '', undefined, arrivals)).toEqual({ first: false, answer: '1' });
  const say = (text: string) =>
    new Promise<void>((resolve) => {
      const socket = net.connect(doorbellOf(profile) ?? '', () => socket.write(text));
      socket.on('error', () => {}).on('close', () => resolve());
      socket.resume();
    });
  for (const text of ['show\n', '{"arrivals":[{"kind":"run","path":"/bin/sh"}]}\n', '[]\n', '\n'])
    await say(text);
  await say(`{"arrivals":${' '.repeat(1024 * 1024)}`);
  expect(handed).toEqual([arrivals, [], [], [], [], []]);
});

const isWindows = process.platform === 'win32';

test('taking the lock writes nothing, so it works on a full disk', async () => {
  await take();
  expect(readdirSync(profile).filter((name) => name.startsWith('lock.sqlite'))).toEqual(['lock.sqlite']);
  expect(statSync(path.join(profile, 'lock.sqlite')).size).toBe(0);
  expect((await take('held')).first).toBe(false);
});

test.skipIf(isWindows)('the lock is private to the user', async () => {
  await take();
  expect(statSync(doorbellOf(profile)!).mode & 0o077).toBe(0);
  expect(statSync(path.join(profile, 'lock.sqlite')).mode & 0o777).toBe(0o600);
});

test('on Windows the name of the next pipe is unpredictable, as every user can create pipes', () => {
  expect(doorbellOf(profile, 'win32')).toBeNull();
  const first = newDoorbell(profile, 'win32');
  expect(first).toMatch(/^\\\\\.\\pipe\\parapet-[0-9a-f]{64}$/);
  expect(doorbellOf(profile, 'win32')).toBe(first);
  const second = newDoorbell(profile, 'win32');
  expect(second).not.toBe(first);
  expect(doorbellOf(profile, 'win32')).toBe(second);
  // An address file written by another user is ignored.
  writeFileSync(path.join(profile, 'lock'), '\\\\server\\pipe\\parapet');
  expect(doorbellOf(profile, 'win32')).toBeNull();
});

test('a released profile can be taken again', async () => {
  const first = await take();
  if (first.first) await first.release();
  expect((await take()).first).toBe(true);
});

test('a start while the first one closes waits for it, and hands nothing to it', async () => {
  const handed: unknown[] = [];
  const first = await takeInstance(profile, (arrivals) => String(handed.push(arrivals)));
  if (!first.first) throw new Error('The profile is taken');
  first.closing();
  const arrivals = [{ kind: 'file' as const, path: '/cases/late.eml' }];
  const second = takeInstance(profile, () => '', undefined, arrivals);
  // It has been told to wait once a further question gets the same reply.
  const heard = new Promise<string>((resolve) => {
    const socket = net.connect(doorbellOf(profile) ?? '', () => socket.write('show\n'));
    socket.setEncoding('utf8').on('data', resolve);
  });
  expect(await heard).toContain('it is closing');
  await first.release();
  const next = await second;
  held.push(next);
  expect([next.first, handed]).toEqual([true, []]);
});

test('the leftovers of a killed process are taken over', async () => {
  await leaveStale(path.join(profile, 'lock'));
  expect((await take()).first).toBe(true);
});

test.skipIf(isWindows)('a folder in place of the socket does not prevent the start', async () => {
  mkdirSync(path.join(profile, 'lock', 'content'), { recursive: true });
  const first = await take();
  expect(first.first).toBe(true);
  if (first.first) await first.release();
  expect(readdirSync(path.join(profile, 'lock'))).toEqual(['content']);
});

test.each(['garbage', 'the start of a database'])('a lock file that holds %s is taken', async (what) => {
  const file = path.join(profile, 'lock.sqlite');
  writeFileSync(file, what === 'garbage' ? Buffer.alloc(9_000, 7) : 'SQLite format 3\0 and no more');
  expect((await take()).first).toBe(true);
  expect((await take('held')).first).toBe(false);
});

test('a link in place of the lock file leaves its target unchanged', async ({ skip }) => {
  skip(NO_SYMLINKS !== null, `${NO_SYMLINKS}`);
  const other = path.join(profile, 'notes.txt');
  writeFileSync(other, 'not a database, and somebody needs it');
  symlinkSync(other, path.join(profile, 'lock.sqlite'));
  await expect(take()).rejects.toThrow();
  expect(readFileSync(other, 'utf8')).toBe('not a database, and somebody needs it');
});

test('a lock file that cannot be opened says so, with what to do', async () => {
  mkdirSync(path.join(profile, 'lock.sqlite'));
  await expect(take()).rejects.toThrow(
    /cannot open .*lock\.sqlite\. Choose another profile folder with --profile/,
  );
});

test('two profiles are independent', async () => {
  await take();
  const other = mkdtempSync(path.join(os.tmpdir(), 'parapet-instance-'));
  const instance = await takeInstance(other, () => '');
  expect(instance.first).toBe(true);
  if (instance.first) await instance.release();
  rmSync(other, { recursive: true });
});

test.skipIf(isWindows)('a long path gets a lock in another folder', () => {
  const deep = mkdtempSync(path.join(profile, 'x'.repeat(120)));
  expect(Buffer.byteLength(doorbellOf(deep) ?? '')).toBeLessThanOrEqual(104);
});

/** A socket file without a listener, or on Windows the name of a pipe that is gone, as SIGKILL leaves it. */
async function leaveStale(address: string) {
  if (isWindows) return writeFileSync(address, `\\\\.\\pipe\\parapet-${'0'.repeat(64)}`);
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(`${address}.old`, resolve));
  linkSync(`${address}.old`, address);
  await new Promise((resolve) => server.close(resolve));
}

/** PARAPET_LONG selects the long form. */
const ROUNDS = process.env['PARAPET_LONG'] ? 3000 : 200;
const STARTS = 4;

test(`${STARTS} concurrent starts beside the leftovers of a killed process: one holder, ${ROUNDS} times`, async () => {
  const children: ChildProcess[] = [];
  try {
    for (let n = 0; n < STARTS; n++) {
      const child = fork(path.resolve(import.meta.dirname, '../../../tests/support/instance-child.ts'));
      children.push(child);
      await once(child, 'message');
    }
    const odd: unknown[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const dir = mkdtempSync(path.join(profile, 'p'));
      if (round % 4 !== 0) await leaveStale(path.join(dir, 'lock'));
      const answers = children.map((child) =>
        once(child, 'message').then(([message]) => message as Instance),
      );
      for (const child of children) child.send({ profile: dir, at: Date.now() + 3 });
      const outcomes = await Promise.all(answers);
      if (outcomes.filter((outcome) => outcome.first === true).length !== 1) odd.push(outcomes);
      const released = children.map((child) => once(child, 'message'));
      for (const child of children) child.send('release');
      await Promise.all(released);
    }
    expect(odd).toEqual([]);
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
}, 600_000);

test('a killed holder releases the lock, and exactly one other process takes it', async () => {
  const child = fork(path.resolve(import.meta.dirname, '../../../tests/support/instance-child.ts'));
  await once(child, 'message');
  child.send({ profile, at: 0 });
  expect((await once(child, 'message'))[0]).toMatchObject({ first: true });
  expect(await take()).toEqual({ first: false, answer: `holder ${child.pid}` });
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect((await take()).first).toBe(true);
});

test('a peer that never disconnects does not delay the release', async () => {
  const first = await take();
  const peer = net.connect(doorbellOf(profile)!);
  peer.on('error', () => {});
  await once(peer, 'connect');
  if (first.first) await first.release();
  expect((await take()).first).toBe(true);
});

test('[limit 500 characters] the reply to a second start is one line without control characters', async () => {
  const escapes = `http://127.0.0.1:1/\u001b[2J\u001b]0;owned\u0007\u202ecod\u200b\u009b31m\r\nsecond${'x'.repeat(5000)}`;
  await take(escapes);
  const second = await take();
  expect(second.first).toBe(false);
  const answer = second.first ? '' : (second.answer ?? '');
  expect(answer).toMatch(/^http:\/\/127\.0\.0\.1:1\/\[2J/);
  expect(answer).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  expect(answer.length).toBeLessThanOrEqual(500);
});

describe.skipIf(isWindows)('the folder outside the profile', () => {
  let outside: string;
  let deep: string;
  beforeEach(() => {
    outside = path.join(profile, 'tmp');
    mkdirSync(outside);
    vi.spyOn(os, 'tmpdir').mockReturnValue(outside);
    deep = mkdtempSync(path.join(profile, 'x'.repeat(120)));
  });
  afterEach(() => vi.restoreAllMocks());
  const socketFolder = () => path.join(outside, `parapet-${process.getuid?.()}`);
  const takeDeep = async () => {
    const warned: string[] = [];
    const instance = await takeInstance(
      deep,
      () => 'here',
      (message) => warned.push(message),
    );
    held.push(instance);
    return { first: instance.first, answer: instance.first ? null : instance.answer, warned };
  };

  test('is created for its owner only, and used, also for a user without an account', async () => {
    vi.spyOn(os, 'userInfo').mockImplementation(() => {
      throw new Error('uv_os_get_passwd returned ENOENT');
    });
    expect(await takeDeep()).toMatchObject({ first: true, warned: [] });
    expect(statSync(socketFolder()).mode & 0o777).toBe(0o700);
    expect(await takeDeep()).toMatchObject({ first: false, answer: 'here' });
  });

  test.each([
    ['that others can enter', () => mkdirSync(socketFolder()), () => chmodSync(socketFolder(), 0o755)],
    ['that is a file', () => writeFileSync(socketFolder(), ''), () => {}],
    ['that is a link', () => symlinkSync(profile, socketFolder()), () => {}],
    [
      'of another user (needs root)',
      () => mkdirSync(socketFolder(), { mode: 0o700 }),
      () => process.getuid?.() === 0 && chownSync(socketFolder(), 65_534, 65_534),
    ],
  ])('%s is not touched, and does not prevent a start', async (what, make, spoil) => {
    if (what.includes('root') && process.getuid?.() !== 0) return;
    make();
    spoil();
    const before = statSync(socketFolder());
    const first = await takeDeep();
    expect(first.first).toBe(true);
    expect(first.warned.join()).toContain(socketFolder());
    const second = await takeDeep();
    expect(second).toMatchObject({ first: false, answer: null });
    expect(statSync(socketFolder())).toMatchObject({
      mode: before.mode,
      uid: before.uid,
      mtimeMs: before.mtimeMs,
    });
  });
});
