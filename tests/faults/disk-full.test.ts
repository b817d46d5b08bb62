/**
 * A disk that is really full: a small in-memory file system, which needs root to mount. Skipped with a notice where
 * that is not possible.
 */
import { existsSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import {
  addTenant,
  type Core,
  failingKeychain,
  memoryKeychain,
  readAll,
  startedCores,
} from '#tests/support/core.ts';
import { type ScriptedService, sendJson, startScripted } from '#tests/support/scripted-service.ts';
import { mountDisk, unmountDisk } from '#tests/support/small-disk.ts';

const MB = 1024 * 1024;
const SIZE = 64 * MB;
const HEADROOM = 8 * MB;

const disk = mountDisk(SIZE);
if (disk === null) console.log('The full-disk test is skipped here: mounting a file system needs root.');

let service: ScriptedService;
const { start, stop, stopAll } = startedCores(() => ({
  profile: join(String(disk), 'profile'),
  tuning: { storage: { headroom: HEADROOM, firstBackupMs: 50 } },
}));
beforeAll(async () => {
  service = await startScripted();
});
afterEach(async () => {
  await stopAll();
});
afterAll(async () => {
  await service.stop();
  if (disk === null) return;
  unmountDisk(disk);
});

const free = () => {
  const { bavail, bsize } = statfsSync(String(disk));
  return bavail * bsize;
};
/** Another program takes all but some bytes of the free space. */
const fill = (name: string, room: number) =>
  writeFileSync(join(String(disk), name), Buffer.alloc(Math.max(0, free() - room), 1));
const until = async (what: () => boolean) => {
  while (!what()) await new Promise((resolve) => setImmediate(resolve));
};

it.skipIf(disk === null)(
  '[limit 8 MB reserved] a profile under a passphrase opens on a full disk as well, before and after it is unlocked',
  { timeout: 60_000 },
  async () => {
    const keychain = failingKeychain('secrets-unavailable');
    const profile = join(String(disk), 'sealed');
    const unlock = (core: Core) =>
      core.bridge.call('secrets.choose', { mode: 'passphrase', passphrase: 'correct horse battery' });
    const first = await start({ profile, keychain });
    await addTenant(first.bridge, service.base, 'token-one');
    await unlock(first);
    await until(() => existsSync(join(profile, 'reserve')));
    await stop(first);
    fill('foreign', 0);
    const second = await start({ profile, keychain });
    const { notices, secrets } = await second.bridge.call('app.info', {});
    expect(notices).toMatchObject([{ id: 'disk-full', level: 'error' }]);
    expect(secrets).toMatchObject({ mode: 'passphrase', locked: true });
    await unlock(second);
    expect((await second.bridge.call('connections.list', {})).connections).toHaveLength(1);
    await stop(second);
    for (const name of ['foreign', 'sealed']) rmSync(join(String(disk), name), { recursive: true });
  },
);

it.skipIf(disk === null)(
  '[limit 64 MB free] the cache stops growing in time; on a full disk Parapet opens, says so, and clears the cache by deleting files',
  { timeout: 180_000 },
  async () => {
    const keychain = memoryKeychain();
    const apps = Array.from({ length: 2_000 }, (_, n) => ({
      name: `app-${n}`,
      label: 'x'.repeat(1_000),
      state: 'active',
      is_saas: true,
    }));
    const big = { rows: apps };
    service.answer = (_, response) => sendJson(response, big);
    const first = await start({ keychain });
    const profile = join(String(disk), 'profile');
    await until(() => existsSync(join(profile, 'reserve')));

    // Our own cache fills the disk.
    const ids: string[] = [];
    for (let n = 0; n < 40 && free() > HEADROOM; n++) {
      const { id } = await addTenant(first.bridge, `${service.base}/${n}`, `token-${n}`);
      ids.push(id);
      const { error } = await readAll(first.bridge, { connectionId: id, endpoint: 'apps.list' });
      expect(error).toBeNull();
    }
    const held = (await first.bridge.call('cache.stats', {})).answers;
    const before = free();
    const last = await addTenant(first.bridge, `${service.base}/last`, 'token-last');
    const { error, snapshots } = await readAll(first.bridge, {
      connectionId: last.id,
      endpoint: 'apps.list',
    });
    // The answer is still shown; it is only not cached.
    expect(error).toBeNull();
    expect(snapshots.length).toBeGreaterThan(0);
    expect((await first.bridge.call('cache.stats', {})).answers).toBe(held);
    expect(before - free()).toBeLessThan(MB);
    await stop(first);

    // Another program takes the rest.
    fill('foreign', 0);
    expect(free()).toBeLessThan(8192);
    const second = await start({ keychain });
    expect((await second.bridge.call('app.info', {})).notices).toMatchObject([
      { id: 'disk-full', level: 'error' },
    ]);
    expect((await second.bridge.call('connections.list', {})).connections).toHaveLength(ids.length + 1);
    expect((await second.bridge.call('cache.stats', {})).answers).toBe(held);
    const freeBefore = free();
    await second.bridge.call('cache.wipe', { connectionId: null });
    expect((await second.bridge.call('cache.stats', {})).answers).toBe(0);
    expect(free() - freeBefore).toBeGreaterThan(20 * MB);
    // It continues normally.
    await readAll(second.bridge, { connectionId: String(ids[0]), endpoint: 'apps.list' });
    expect((await second.bridge.call('cache.stats', {})).answers).toBe(1);
    expect(readdirSync(profile).some((name) => name.includes('damaged'))).toBe(false);
  },
);
