/** The built browser host as a process: its ready line, its lock, its shutdown. */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { build } from '../support/build.ts';
import { makeEarlierProfile } from '../support/earlier-profile.ts';
import { openPage } from '../support/page.ts';

const root = path.resolve(import.meta.dirname, '../..');
const entry = path.join(root, 'out/main/node.js');

let profile: string;
let started: ChildProcess[];

beforeAll(build, 120_000);
beforeEach(() => {
  profile = mkdtempSync(path.join(os.tmpdir(), 'parapet-process-'));
  started = [];
});
afterEach(async () => {
  for (const child of started) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
  rmSync(profile, { recursive: true, force: true });
});

const start = (...args: string[]) => startWith({}, '--no-open', ...args);

function startWith(env: NodeJS.ProcessEnv, ...args: string[]) {
  const child = spawn(process.execPath, [entry, '--profile', profile, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // No test may reach the user's own keychain.
    env: { ...process.env, DBUS_SESSION_BUS_ADDRESS: 'disabled:', ...env },
  });
  started.push(child);
  const text = { out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    text.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    text.err += chunk;
  });
  const exit = once(child, 'close').then(([code]) => code as number | null);
  const ready = () =>
    expect.poll(() => text.out, { timeout: 15_000, interval: 20 }).toContain('Parapet ready: ');
  const url = () => new URL(/^Parapet ready: (\S+)$/m.exec(text.out)?.[1] ?? '');
  return { child, text, exit, ready, url };
}

describe('the browser host as a process', () => {
  test('prints exactly one line, and answers at its address', async () => {
    const host = start('--connect', 'none');
    await host.ready();
    expect(host.text.out).toMatch(/^Parapet ready: http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}\n$/);
    expect((await fetch(host.url().origin)).status).toBe(200);
  });

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s ends it cleanly', async (signal) => {
    const host = start('--connect', 'none');
    await host.ready();
    host.child.kill(signal);
    host.child.kill(signal);
    expect(await host.exit).toBe(0);
    await expect(fetch(host.url().origin)).rejects.toThrow();
  });

  test('it ends with the script that started it', async () => {
    const child = spawn(process.execPath, [entry, '--no-open', '--profile', profile, '--connect', 'none'], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    started.push(child);
    const exit = once(child, 'exit');
    await once(child.stdout!, 'data');
    child.disconnect();
    expect((await exit)[0]).toBe(0);
  });

  test('[bad input] a second start of the same profile says where the first one is, and ends', async () => {
    const first = start('--connect', 'none');
    await first.ready();
    const second = start('--connect', 'none');
    expect(await second.exit).toBe(0);
    expect(second.text.out).toContain('already running');
    expect(second.text.out).toContain(first.url().href);
    expect((await fetch(first.url().origin)).status).toBe(200);
  });

  test('a profile of a build before 1.0.0 is kept, and a new one is started with the notice', async () => {
    makeEarlierProfile(profile);
    const bytes = () => readFileSync(path.join(profile, 'before-1.0.0', 'workspace.sqlite'));
    const before = readFileSync(path.join(profile, 'workspace.sqlite'));
    const host = start('--connect', 'none');
    await host.ready();
    expect(bytes().equals(before)).toBe(true);
    const answers: string[] = [];
    const { socket } = await openPage(host.url().origin, host.url().hash.slice('#token='.length), (message) =>
      answers.push(JSON.stringify(message)),
    );
    socket.send(JSON.stringify({ type: 'call', id: 1, operation: 'app.info', input: {} }));
    await expect.poll(() => answers.join()).toContain('made by a build of Parapet before 1.0.0');
    socket.terminate();
    host.child.kill('SIGTERM');
    expect(await host.exit).toBe(0);
    expect(bytes().equals(before)).toBe(true);
  });

  test('a killed host does not block the next one', async () => {
    const first = start('--connect', 'none');
    await first.ready();
    first.child.kill('SIGKILL');
    await first.exit;
    const second = start('--connect', 'none');
    await second.ready();
  });

  test('a taken port is explained in a sentence', async () => {
    const other = net.createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as net.AddressInfo;
    const host = start('--connect', 'none', '--port', String(port));
    expect(await host.exit).toBe(1);
    expect(host.text.err).toContain(`Port ${port} is in use`);
    expect(host.text.out).toBe('');
    other.close();
  });

  test('a profile that is a file is explained in a sentence', async () => {
    const file = path.join(profile, 'file');
    writeFileSync(file, '');
    const host = start('--profile', file);
    expect(await host.exit).toBe(1);
    expect(host.text.err).toContain('profile folder');
  });

  test('a missing evidence folder is reported, and Parapet starts', async () => {
    const host = start('--connect', `evidence:${path.join(profile, 'missing')}`);
    await host.ready();
    await expect.poll(() => host.text.err, { timeout: 10_000 }).toContain('Cannot connect');
    expect((await fetch(host.url().origin)).status).toBe(200);
  });

  test('unknown options are answered with the usage', async () => {
    const host = start('--fancy');
    expect(await host.exit).toBe(2);
    expect(host.text.err).toContain('Usage');
    expect(host.text.out).toBe('');
  });

  test('the token is in no file of the profile', async () => {
    mkdirSync(path.join(profile, 'x'));
    const host = start('--connect', 'none');
    await host.ready();
    const token = host.url().hash.slice('#token='.length);
    host.child.kill('SIGTERM');
    await host.exit;
    for (const item of readdirSync(profile, { recursive: true, withFileTypes: true }))
      if (item.isFile())
        expect(readFileSync(path.join(item.parentPath, item.name)).includes(token)).toBe(false);
  });
});

/** Every file below a folder, as text. */
const filesOf = (dir: string) =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((item) => item.isFile())
    .map((item) => ({
      name: item.name,
      text: readFileSync(path.join(item.parentPath, item.name), 'latin1'),
    }));

describe.skipIf(process.platform !== 'linux')('the page that opens the browser', () => {
  const page = () => path.join(profile, 'parapet-files', 'open.html');
  const linkOf = (text: string) => /#token=([\w-]{43})/.exec(text)?.[1] ?? '';
  const linkNow = () => (existsSync(page()) ? linkOf(readFileSync(page(), 'utf8')) : '');
  /** Waits for the content, as the file is created empty. */
  const written = async () => {
    await expect.poll(linkNow).toHaveLength(43);
    return linkNow();
  };
  let programs: string;

  /** A desktop whose browser is slow: the file stays until the test opens it. */
  const startDesktop = () =>
    startWith({ DISPLAY: ':0', PATH: `${programs}:${process.env['PATH']}` }, '--connect', 'none');
  beforeEach(() => {
    programs = mkdtempSync(path.join(os.tmpdir(), 'parapet-programs-'));
    writeFileSync(path.join(programs, 'xdg-open'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  });
  afterEach(() => rmSync(programs, { recursive: true, force: true }));

  test('carries a one-time token, which opens one page and is removed with its file', async () => {
    const host = startDesktop();
    await host.ready();
    const link = await written();
    expect(statSync(page()).mode & 0o777).toBe(0o600);
    const printed = host.url().hash.slice('#token='.length);
    expect(link).not.toBe(printed);
    const opened = await openPage(host.url().origin, link);
    await expect.poll(() => existsSync(page())).toBe(false);
    await expect(openPage(host.url().origin, link)).rejects.toThrow();
    for (const secret of [printed, opened.secret])
      (await openPage(host.url().origin, secret)).socket.terminate();
    opened.socket.terminate();
  });

  test('opens nothing after a kill, and the next start removes it', async () => {
    const host = startDesktop();
    await host.ready();
    const link = await written();
    const { port } = host.url();
    host.child.kill('SIGKILL');
    await host.exit;
    for (const { text } of filesOf(profile))
      expect(text).not.toContain(host.url().hash.slice('#token='.length));
    const next = start('--connect', 'none', '--port', port);
    await next.ready();
    expect(existsSync(page())).toBe(false);
    await expect(openPage(next.url().origin, link)).rejects.toThrow();
  });
});

describe('an export waiting for its download', () => {
  test('is in no file that a kill leaves behind', async () => {
    const host = start('--connect', 'none');
    await host.ready();
    const offers: unknown[] = [];
    const { socket } = await openPage(
      host.url().origin,
      host.url().hash.slice('#token='.length),
      (message) => {
        offers.push(message);
      },
    );
    const call = async (id: number, operation: string, input: object) => {
      socket.send(JSON.stringify({ type: 'call', id, operation, input }));
      const reply = () =>
        offers.find((frame) => (frame as { id: unknown }).id === id) as
          | { type: string; output: Record<string, string> }
          | undefined;
      await expect.poll(() => reply()?.type, { timeout: 10_000 }).toBe('done');
      return reply()!.output;
    };
    const { grantId } = await call(1, 'dialogs.save', { suggestedName: 'case', kind: 'csv' });
    const { fileId } = await call(2, 'files.open', { grantId, what: 'A list', entries: 1 });
    await call(3, 'files.append', { fileId, chunk: { text: 'the-subject-of-a-mail' } });
    await call(4, 'files.finish', { fileId });
    const offered = () =>
      offers.find((frame) => (frame as { host?: string }).host === 'download') as { id: string } | undefined;
    await expect.poll(offered).toBeDefined();
    host.child.kill('SIGKILL');
    await host.exit;
    for (const { text } of filesOf(profile)) expect(text).not.toContain('the-subject-of-a-mail');
    socket.terminate();
  });
});

const NOBODY = 65_534;
const asNobody = { uid: NOBODY, gid: NOBODY };
const canBecome =
  process.getuid?.() === 0 && spawnSync(process.execPath, ['-e', ''], { ...asNobody, cwd: '/' }).status === 0;
if (!canBecome)
  console.warn(
    'SKIPPED: this machine does not let the tests run an attacker as a second user (it takes root).',
  );

/** Each waits half a second for an answer that never comes. */
const ROUNDS = process.env['PARAPET_LONG'] === '1' ? 30 : 4;
/** Attempts of another user of the machine. Runs as that user and prints the result of each. */
const ATTACK = `
  const { origin, host, profile, uid, parent } = JSON.parse(process.argv[1]);
  const fs = require('node:fs'), net = require('node:net'), path = require('node:path');
  const port = Number(new URL(origin).port);
  const attempt = (work) => { try { const got = work(); return { got: String(got).slice(0, 4000) }; } catch (error) { return { code: error.code }; } };
  const raw = (bytes, then) => new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    let text = '';
    socket.on('error', () => {}).on('data', (chunk) => { text += chunk; }).on('close', () => resolve(text));
    socket.on('connect', () => { socket.write(bytes); then(socket); });
  });
  const own = 'Host: ' + new URL(origin).host + '\\r\\nOrigin: ' + origin + '\\r\\n';
  const upgrade = 'Connection: Upgrade\\r\\nUpgrade: websocket\\r\\nSec-WebSocket-Version: 13\\r\\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\\r\\n\\r\\n';
  (async () => {
    const result = { uid: process.getuid(), reads: {}, proc: {} };
    for (const name of ['', 'parapet-files', 'parapet-files/open.html', 'lock.sqlite', 'profile-id', 'workspace.sqlite', 'cache.sqlite'])
      result.reads[name] = attempt(() => name === '' || name === 'parapet-files' ? fs.readdirSync(path.join(profile, name)) : fs.readFileSync(path.join(profile, name)));
    result.reads['write'] = attempt(() => fs.writeFileSync(path.join(profile, 'x'), 'x'));
    result.reads['door'] = await new Promise((resolve) => {
      const door = net.connect(path.join(profile, 'lock'));
      door.on('connect', () => resolve({ got: 'connected' })).on('error', ({ code }) => resolve({ code }));
    });
    for (const name of ['cmdline', 'environ', 'mem', 'fd', 'cwd', 'maps'])
      result.proc[name] = attempt(() => name === 'fd' ? fs.readdirSync('/proc/' + host + '/fd') : fs.readFileSync('/proc/' + host + '/' + name, 'latin1'));
    result.kill = attempt(() => process.kill(host, 'SIGTERM'));
    result.page = (await (await fetch(origin + '/')).text()).slice(0, 20000);
    result.session = (await fetch(origin + '/session', { method: 'POST', headers: { origin }, body: '{"token":"x"}' })).status;
    result.download = (await fetch(origin + '/download/aaaaaaaaaaaaaaaaaaaaaaaa')).status;
    const wire = (first) => new Promise((resolve) => {
      const socket = new WebSocket(origin.replace('http', 'ws') + '/wire', { headers: { origin } });
      const heard = [];
      socket.onopen = () => { socket.send(first); socket.send(JSON.stringify({ type: 'call', id: 1, operation: 'app.info', input: {} })); };
      socket.onmessage = ({ data }) => heard.push(data);
      socket.onclose = ({ code }) => resolve({ code, heard });
      socket.onerror = () => {};
    });
    result.wires = [await wire('{"host":"hello","secret":"x"}'), await wire('{"type":"call","id":1,"operation":"app.info","input":{}}')];
    const stages = [
      'GET /wire HTTP/1.1\\r\\nHost: evil.example\\r\\nOrigin: ' + origin + '\\r\\n' + upgrade,
      'GET /wire HTTP/1.1\\r\\nHost: ' + new URL(origin).host + '\\r\\nOrigin: https://evil.example\\r\\n' + upgrade,
      'GET /other HTTP/1.1\\r\\n' + own + upgrade,
      'GET /wire HTTP/1.1\\r\\n' + own + upgrade,
      'GET / HTTP/1.1\\r\\n' + own + '\\r\\n',
      'nonsense\\r\\n\\r\\n',
      '',
    ];
    const breaks = [(socket) => socket.resetAndDestroy(), (socket) => socket.destroy(), (socket) => socket.once('readable', () => socket.resetAndDestroy()).setTimeout(500, () => socket.destroy())];
    for (let round = 0; round < ${ROUNDS}; round++)
      await Promise.all(stages.flatMap((bytes) => breaks.map((then) => raw(bytes, then))));
    process.stdout.write(JSON.stringify(result));
  })();
`;

describe.skipIf(!canBecome)('another user of this machine (needs root, to become nobody)', () => {
  beforeEach(() => {
    // The parent folder is readable by all users; the host has to protect the profile itself.
    chmodSync(profile, 0o755);
    profile = path.join(profile, 'case');
  });
  afterEach(() => {
    profile = path.dirname(profile);
  });

  test('can connect to the port, but opens no session, reads no file and cannot end the host', async () => {
    const host = start('--connect', 'none');
    await host.ready();
    const { origin, hash } = host.url();
    const token = hash.slice('#token='.length);
    mkdirSync(path.join(profile, 'parapet-files'));
    writeFileSync(path.join(profile, 'parapet-files', 'open.html'), token, { mode: 0o644 });
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['-e', ATTACK, JSON.stringify({ origin, host: host.child.pid, profile })],
      { ...asNobody, cwd: '/', env: {}, maxBuffer: 64 * 1024 * 1024 },
    );
    const output = JSON.parse(stdout) as {
      uid: number;
      reads: Record<string, { code?: string }>;
      proc: Record<string, { code?: string; got?: string }>;
      kill: { code?: string };
      page: string;
      session: number;
      download: number;
      wires: { code: number; heard: string[] }[];
    };
    expect(output.uid).toBe(NOBODY);
    for (const [what, { code }] of Object.entries(output.reads)) expect(code, what).toBe('EACCES');
    expect(output.proc['cmdline']?.got).toContain('node');
    for (const what of ['environ', 'mem', 'fd', 'maps'])
      expect(output.proc[what]?.code, what).toMatch(/EACCES|EPERM/);
    expect(output.kill.code).toBe('EPERM');
    expect(output.page).toContain('<!doctype html>');
    expect(output.session).toBe(405);
    expect(output.download).toBe(404);
    for (const { code, heard } of output.wires) expect({ code, heard }).toEqual({ code: 4401, heard: [] });
    expect(stdout).not.toContain(token);

    expect(host.child.exitCode).toBeNull();
    const page = await openPage(origin, token);
    expect(stdout).not.toContain(page.secret);
    page.socket.terminate();
    expect(host.text.err).not.toContain('uncaught error');
    host.child.kill('SIGTERM');
    expect(await host.exit).toBe(0);
  });

  test('[limit 256 connections] can take every connection that the host allows, and the host is available again when they are released', async () => {
    const host = start('--connect', 'none');
    await host.ready();
    const { origin, port, hash } = host.url();
    const holder = spawn(
      process.execPath,
      [
        '-e',
        `const net = require('node:net');
         for (let n = 0; n < 400; n++) net.connect(${port}, '127.0.0.1').on('error', () => {});
         setTimeout(() => process.stdout.write('held'), 500);`,
      ],
      { ...asNobody, cwd: '/', env: {} },
    );
    started.push(holder);
    await once(holder.stdout, 'data');
    holder.kill('SIGKILL');
    await expect
      .poll(
        () =>
          fetch(origin).then(
            (answer) => answer.status,
            () => 0,
          ),
        { timeout: 15_000 },
      )
      .toBe(200);
    (await openPage(origin, hash.slice('#token='.length))).socket.terminate();
    expect(host.child.exitCode).toBeNull();
  });
});
