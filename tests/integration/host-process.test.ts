/** The built browser host as a process: its line, its lock, its end. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const entry = path.join(root, 'out/main/node.js');

let profile: string;
let started: ChildProcess[];

beforeAll(async () => {
  const { build } = (await import('../../scripts/build.mjs' as string)) as {
    build(options: { quiet: boolean }): Promise<number>;
  };
  expect(await build({ quiet: true })).toBe(0);
}, 120_000);
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

function start(...args: string[]) {
  const child = spawn(process.execPath, [entry, '--no-open', '--profile', profile, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // No test may reach the keychain of whoever runs it.
    env: { ...process.env, DBUS_SESSION_BUS_ADDRESS: 'disabled:' },
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

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s ends it in order', async (signal) => {
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

  test('a second start of the same profile tells where the first one is, and ends', async () => {
    const first = start('--connect', 'none');
    await first.ready();
    const second = start('--connect', 'none');
    expect(await second.exit).toBe(0);
    expect(second.text.out).toContain('already running');
    expect(second.text.out).toContain(first.url().href);
    expect((await fetch(first.url().origin)).status).toBe(200);
  });

  test('a killed host does not block the next one', async () => {
    const first = start('--connect', 'none');
    await first.ready();
    first.child.kill('SIGKILL');
    await first.exit;
    const second = start('--connect', 'none');
    await second.ready();
  });

  test('a taken port is told in a sentence', async () => {
    const other = net.createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as net.AddressInfo;
    const host = start('--connect', 'none', '--port', String(port));
    expect(await host.exit).toBe(1);
    expect(host.text.err).toContain(`Port ${port} is in use`);
    expect(host.text.out).toBe('');
    other.close();
  });

  test('a profile that is a file is told in a sentence', async () => {
    const file = path.join(profile, 'file');
    writeFileSync(file, '');
    const host = start('--profile', file);
    expect(await host.exit).toBe(1);
    expect(host.text.err).toContain('profile folder');
  });

  test('a missing evidence folder is told, and Parapet comes up', async () => {
    const host = start('--connect', `evidence:${path.join(profile, 'missing')}`);
    await host.ready();
    await expect.poll(() => host.text.err, { timeout: 10_000 }).toContain('Cannot connect');
    expect((await fetch(host.url().origin)).status).toBe(200);
  });

  test('unknown options are told with the usage', async () => {
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
    const { readdirSync, readFileSync } = await import('node:fs');
    for (const item of readdirSync(profile, { recursive: true, withFileTypes: true }))
      if (item.isFile())
        expect(readFileSync(path.join(item.parentPath, item.name)).includes(token)).toBe(false);
  });
});
