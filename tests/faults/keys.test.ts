/** Keys and seals: nothing overwrites a seal that was not opened, and a crash at any step loses nothing. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Keychain } from '#main/kernel/ports.ts';
import { ParapetError } from '#shared/bridge/errors.ts';
import {
  addTenant,
  type Core,
  failingKeychain,
  memoryKeychain,
  readAll,
  startedCores,
  temporaryProfile,
  tenantSettings,
} from '#tests/support/core.ts';
import { type ScriptedService, sendJson, startScripted } from '#tests/support/scripted-service.ts';
import { soon } from '#tests/support/soon.ts';

const PASSPHRASE = 'correct horse battery';
const OTHER = 'another horse battery';
let profile: ReturnType<typeof temporaryProfile>;
let service: ScriptedService;
const { start, stop, stopAll } = startedCores(() => ({ profile: profile.path, keychain: absent() }));

beforeEach(async () => {
  profile = temporaryProfile();
  service = await startScripted();
});
afterEach(async () => {
  await stopAll();
  await service.stop();
  profile.remove();
});

const absent = () => failingKeychain('secrets-unavailable');
const info = (core: Core) => core.bridge.call('app.info', {});
const choose = (core: Core, mode: 'passphrase' | 'run' | 'keychain', passphrase?: string) =>
  core.bridge.call('secrets.choose', { mode, ...(passphrase === undefined ? {} : { passphrase }) });
const names = async (core: Core) =>
  (await core.bridge.call('connections.list', {})).connections.map(({ name }) => name);
const path = (name: string) => join(profile.path, name);
const bytesOf = (...files: string[]) =>
  Object.fromEntries(
    files
      .filter((name) => existsSync(path(name)))
      .map((name) => [name, readFileSync(path(name)).toString('base64')]),
  );

/** A profile sealed with the passphrase, containing a tenant with this credential. */
async function sealedProfile(credential = 'token-one'): Promise<string> {
  const core = await start();
  const { id } = await addTenant(core.bridge, service.base, credential);
  await choose(core, 'passphrase', PASSPHRASE);
  await stop(core);
  return id;
}

/** The same with a keychain. */
async function keychainProfile(keychain: Keychain, credential = 'token-one'): Promise<string> {
  const core = await start({ keychain });
  const { id } = await addTenant(core.bridge, service.base, credential);
  await stop(core);
  return id;
}

const lastCredential = async (core: Core, id: string) => {
  await readAll(core.bridge, { connectionId: id, endpoint: 'apps.list' });
  return service.seen.at(-1)?.authorization;
};

function inDatabase(name: string, key: string, work: (db: Sqlite.Database) => void): void {
  const db = new Sqlite(path(name));
  db.pragma(`cipher='aegis'`);
  db.pragma(`key='raw:${key}'`);
  work(db);
  db.close();
}

it('key derivation runs at full cost, both when a passphrase is chosen and when it opens the profile', async () => {
  const asProduct = { tuning: { sealCost: undefined } };
  const core = await start(asProduct);
  await addTenant(core.bridge, service.base, 'token-one');
  await choose(core, 'passphrase', PASSPHRASE);
  await stop(core);
  expect(JSON.parse(readFileSync(path('secrets.sealed'), 'utf8'))).toMatchObject({
    kdf: { name: 'scrypt', N: 2 ** 17, r: 8, p: 1 },
  });
  const again = await start(asProduct);
  await choose(again, 'passphrase', PASSPHRASE);
  expect(await names(again)).toEqual(['A tenant']);
});

describe('a seal that was not opened', () => {
  it.each([OTHER, PASSPHRASE])(
    'stays unchanged after continuing for this run only, when %j is tried',
    async (tried) => {
      const id = await sealedProfile();
      const before = bytesOf('secrets.sealed', 'workspace.sqlite', 'cache.sqlite');
      const core = await start();
      expect((await choose(core, 'run')).secrets).toMatchObject({ mode: 'passphrase', locked: true });
      await addTenant(core.bridge, `${service.base}/run`, 'token-run');
      if (tried === OTHER) {
        await expect(choose(core, 'passphrase', tried)).rejects.toMatchObject({ code: 'secrets-locked' });
        expect(bytesOf('secrets.sealed', 'workspace.sqlite', 'cache.sqlite')).toEqual(before);
      }
      await choose(core, 'passphrase', PASSPHRASE);
      expect(await names(core)).toEqual(['A tenant']);
      expect(await lastCredential(core, id)).toBe('Bearer token-one');
      expect(readdirSync(profile.path).filter((name) => /earlier|damaged/.test(name))).toEqual([]);
    },
  );

  it.each([false, true])(
    'sends no change, whose journal entry would vanish on unlocking (for this run only: %s)',
    async (forThisRun) => {
      await sealedProfile();
      const core = await start();
      if (forThisRun) await choose(core, 'run');
      // A query is read again before it is deleted; this service no longer lists it.
      service.answer = ({ method }, response) =>
        sendJson(response, method === 'GET' ? { queries: [] } : { success: true });
      const locked = await addTenant(core.bridge, service.base, 'token-run');
      const changes = (connectionId: string) => ({
        response: () =>
          core.bridge.call('service.send', {
            connectionId,
            endpoint: 'entity.identify',
            body: { entity_id: 'e', identifier: 'CASE-7' },
          }),
        action: () =>
          core.bridge.call('queries.delete', {
            connectionId,
            queries: [{ id: '7', name: 'Old' }],
            undoMs: 0,
          }),
      });
      const sent = () => service.seen.filter(({ method }) => method === 'PUT' || method === 'DELETE').length;
      const { response, action } = changes(locked.id);
      for (const change of [response, action])
        await expect(change()).rejects.toMatchObject({
          code: 'secrets-locked',
          message: expect.stringContaining('Nothing was sent'),
        });
      expect(sent()).toBe(0);

      await choose(core, 'passphrase', PASSPHRASE);
      const [connection] = (await core.bridge.call('connections.list', {})).connections;
      const unlocked = changes(connection?.id ?? '');
      await unlocked.response();
      await unlocked.action();
      await soon(() => expect(sent()).toBe(2));
      const { count } = await core.bridge.call('journal.list', { connectionId: null });
      expect(count).toBe(2);
    },
  );

  it('is not replaced by the keychain either', async () => {
    await sealedProfile();
    const core = await start({ keychain: memoryKeychain() });
    await choose(core, 'run');
    await expect(choose(core, 'keychain')).rejects.toMatchObject({ code: 'secrets-locked' });
    expect(existsSync(path('secrets.sealed'))).toBe(true);
  });

  it('is not overwritten when something else replaced the file', async () => {
    await sealedProfile();
    const core = await start();
    await choose(core, 'passphrase', PASSPHRASE);
    const other = readFileSync(path('secrets.sealed'), 'utf8').replace(/"tag":"../, '"tag":"00');
    writeFileSync(path('secrets.sealed'), other);
    await expect(addTenant(core.bridge, `${service.base}/b`, 'token-two')).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(readFileSync(path('secrets.sealed'), 'utf8')).toBe(other);
  });
});

describe('a keychain without the key of the files', () => {
  const files = ['workspace.sqlite', 'cache.sqlite', 'key-check'] as const;

  it('leaves them locked, never damaged, and opens them when the key is back', async () => {
    const keychain = memoryKeychain();
    const id = await keychainProfile(keychain);
    const before = bytesOf(...files);
    const empty = memoryKeychain();
    const locked = await start({ keychain: empty });
    expect((await info(locked)).secrets).toMatchObject({ mode: 'keychain', locked: true });
    expect((await info(locked)).secrets.reason).toMatch(/no key for this profile/);
    expect(await names(locked)).toEqual([]);
    await expect(choose(locked, 'keychain')).rejects.toMatchObject({ code: 'secrets-locked' });
    await expect(choose(locked, 'passphrase', PASSPHRASE)).rejects.toMatchObject({ code: 'secrets-locked' });
    await stop(locked);
    expect(empty.entries.size).toBe(0);
    expect(bytesOf(...files)).toEqual(before);
    const again = await start({ keychain });
    expect(await names(again)).toEqual(['A tenant']);
    expect(await lastCredential(again, id)).toBe('Bearer token-one');
  });

  it.each([true, false])('the same with a different key in it (key check present: %s)', async (check) => {
    const keychain = memoryKeychain();
    await keychainProfile(keychain);
    if (!check) rmSync(path('key-check'), { force: true });
    const before = bytesOf(...files);
    const other = memoryKeychain(new Map([['database-key', 'cd'.repeat(32)]]));
    const core = await start({ keychain: other });
    expect((await info(core)).secrets).toMatchObject({ mode: 'keychain', locked: true });
    await stop(core);
    expect(bytesOf(...files)).toEqual(before);
    expect(other.entries.get('database-key')).toBe('cd'.repeat(32));
    expect(await names(await start({ keychain }))).toEqual(['A tenant']);
  });
});

describe('a failing unlock', () => {
  const newer = (name: string, key: string) =>
    inDatabase(name, key, (db) => void db.pragma('user_version=4000'));
  const break_: Record<string, () => void> = {
    'the workspace is a folder': () => {
      rmSync(path('workspace.sqlite'));
      mkdirSync(path('workspace.sqlite'));
    },
    'the cache is a folder': () => {
      rmSync(path('cache.sqlite'));
      mkdirSync(path('cache.sqlite'));
    },
  };

  it.each(Object.keys(break_))(
    '%s: stays locked, says why, and this run continues with what it has',
    async (how) => {
      await sealedProfile();
      break_[how]?.();
      const core = await start();
      await addTenant(core.bridge, `${service.base}/run`, 'token-run');
      const failure = await choose(core, 'passphrase', PASSPHRASE).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(ParapetError);
      const { secrets } = await info(core);
      expect(secrets).toMatchObject({ mode: 'passphrase', locked: true });
      expect(secrets.reason).toContain((failure as ParapetError).message);
      expect(await names(core)).toEqual(['A tenant']);
      expect(existsSync(path('secrets.sealed'))).toBe(true);
    },
  );

  it('of files written by a newer Parapet changes none of them, logs included', async () => {
    const keychain = memoryKeychain();
    await keychainProfile(keychain);
    const key = String(keychain.entries.get('database-key'));
    // Not closed: the version is still in the log, as after a kill.
    const open = ['workspace.sqlite', 'cache.sqlite'].map((name) => {
      newer(name, key);
      const db = new Sqlite(path(name));
      db.pragma(`cipher='aegis'`);
      db.pragma(`key='raw:${key}'`);
      db.pragma('journal_mode=WAL');
      db.exec('CREATE TABLE later (x); INSERT INTO later VALUES (1)');
      return db;
    });
    const all = ['workspace.sqlite', 'workspace.sqlite-wal', 'cache.sqlite', 'cache.sqlite-wal'];
    const copies = all.map((name) => readFileSync(path(name)));
    for (const db of open) db.close();
    for (const [index, name] of all.entries()) writeFileSync(path(name), copies[index] ?? '');
    const listed = readdirSync(profile.path).sort();
    await expect(start({ keychain })).rejects.toMatchObject({ code: 'newer-schema' });
    for (const [index, name] of all.entries())
      expect(readFileSync(path(name)).equals(copies[index] ?? Buffer.alloc(0))).toBe(true);
    expect(readdirSync(profile.path).sort()).toEqual(listed);
  });
});

describe('moving secrets', () => {
  it('from the keychain to a passphrase also moves credentials that this run never used', async () => {
    const keychain = memoryKeychain();
    const id = await keychainProfile(keychain, 'token-first');
    // A credential that replaced another one has a different name.
    const change = await start({ keychain });
    await change.bridge.call('connections.save', {
      id,
      settings: tenantSettings(service.base),
      credential: 'token-unused',
      grantId: null,
    });
    await stop(change);
    const core = await start({ keychain });
    await choose(core, 'passphrase', PASSPHRASE);
    expect([...keychain.entries.keys()].filter((name) => /^(credential|database-key)/.test(name))).toEqual(
      [],
    );
    await stop(core);
    const again = await start();
    await choose(again, 'passphrase', PASSPHRASE);
    expect(await lastCredential(again, id)).toBe('Bearer token-unused');
  });

  it('from a passphrase to a keychain that loses entries keeps the sealed file', async () => {
    const id = await sealedProfile();
    const secrets = new Map<string, string>();
    const forgetful: Keychain = {
      get: async (account) => secrets.get(account) ?? null,
      set: async (account, secret) => void (account === 'database-key' && secrets.set(account, secret)),
      remove: async (account) => void secrets.delete(account),
    };
    const core = await start({ keychain: forgetful });
    await choose(core, 'passphrase', PASSPHRASE);
    await expect(choose(core, 'keychain')).rejects.toMatchObject({ code: 'secrets-unavailable' });
    expect((await info(core)).secrets.mode).toBe('passphrase');
    await stop(core);
    const again = await start();
    await choose(again, 'passphrase', PASSPHRASE);
    expect(await lastCredential(again, id)).toBe('Bearer token-one');
  });

  it('and back to the keychain removes the sealed file once everything was read back', async () => {
    const id = await sealedProfile();
    const keychain = memoryKeychain();
    const core = await start({ keychain });
    await choose(core, 'passphrase', PASSPHRASE);
    await choose(core, 'keychain');
    expect(existsSync(path('secrets.sealed'))).toBe(false);
    await stop(core);
    const again = await start({ keychain });
    expect(await lastCredential(again, id)).toBe('Bearer token-one');
  });

  it('another key that the keychain had for this profile stays in it', async () => {
    await sealedProfile();
    const keychain = memoryKeychain(new Map([['database-key', 'ef'.repeat(32)]]));
    const core = await start({ keychain });
    await choose(core, 'passphrase', PASSPHRASE);
    await choose(core, 'keychain');
    expect([...keychain.entries.values()]).toContain('ef'.repeat(32));
    await stop(core);
    expect(await names(await start({ keychain }))).toEqual(['A tenant']);
  });
});

it('four connections saved concurrently all keep their credentials', async () => {
  const core = await start();
  await choose(core, 'passphrase', PASSPHRASE);
  for (let round = 0; round < 4; round++) {
    const saved = await Promise.all(
      [0, 1, 2, 3].map((n) => addTenant(core.bridge, `${service.base}/${round}-${n}`, `token-${round}-${n}`)),
    );
    for (const [n, { id }] of saved.entries())
      expect(await lastCredential(core, id)).toBe(`Bearer token-${round}-${n}`);
  }
  const all = (await core.bridge.call('connections.list', {})).connections;
  expect(all.every(({ hasCredential }) => hasCredential)).toBe(true);
  await stop(core);
  const again = await start();
  await choose(again, 'passphrase', PASSPHRASE);
  for (const { id } of all) expect(await lastCredential(again, id)).toMatch(/^Bearer token-\d-\d$/);
  expect(readdirSync(profile.path).filter((name) => name.endsWith('.new'))).toEqual([]);
});

it('an adoption that a killed run had started is completed at the next unlock', async () => {
  const core = await start();
  const { id } = await addTenant(core.bridge, service.base, 'token-one');
  await choose(core, 'passphrase', PASSPHRASE);
  await stop(core);
  // As if the run had been killed right after its key was sealed.
  const run = path('run-999999999-abcdef012345');
  mkdirSync(run);
  for (const name of ['workspace.sqlite', 'cache.sqlite', 'key-check']) {
    if (!existsSync(path(name))) continue;
    writeFileSync(join(run, name), readFileSync(path(name)));
    rmSync(path(name));
  }
  writeFileSync(join(run, 'adopting'), '');
  const again = await start();
  expect(existsSync(run)).toBe(true);
  await choose(again, 'passphrase', PASSPHRASE);
  expect(existsSync(run)).toBe(false);
  expect(await names(again)).toEqual(['A tenant']);
  expect(await lastCredential(again, id)).toBe('Bearer token-one');
});
