/** Damaged, newer and read-only profiles; keychains that are missing, locked or lose entries; passphrases. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Keychain } from '#main/kernel/ports.ts';
import { connect } from '#main/store/connect.ts';
import { isWritable } from '#main/workspace/storage.ts';
import { ParapetError } from '#shared/bridge/errors.ts';
import {
  addTenant,
  type Core,
  failingKeychain,
  memoryKeychain,
  readAll,
  startedCores,
  temporaryProfile,
} from '#tests/support/core.ts';
import { type ScriptedService, sendJson, startScripted } from '#tests/support/scripted-service.ts';
import { soon } from '#tests/support/soon.ts';

const TOKEN = 'token-5f0c2e-needle';
const PASSPHRASE = 'correct horse battery';
let profile: ReturnType<typeof temporaryProfile>;
let service: ScriptedService;
const { start, stop, stopAll } = startedCores(() => ({ profile: profile.path }));

beforeEach(async () => {
  profile = temporaryProfile();
  service = await startScripted();
});
afterEach(async () => {
  await stopAll();
  await service.stop();
  profile.remove();
});

const info = (core: Core) => core.bridge.call('app.info', {});
const names = async (core: Core) =>
  (await core.bridge.call('connections.list', {})).connections.map(({ name }) => name);

/** Every file of a folder, at any depth. */
function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile());
}
const holding = (directory: string, text: string) =>
  filesIn(directory).filter((path) => readFileSync(path).includes(text));

it('one failed write does not make a profile read-only', () => {
  let failures = 1;
  const write: typeof writeFileSync = (...args) => {
    if (failures-- > 0) throw Object.assign(new Error('i/o error'), { code: 'EIO' });
    writeFileSync(...args);
  };
  expect(isWritable(profile.path, write)).toBe(true);
  expect(readdirSync(profile.path)).toEqual([]);
  failures = Number.POSITIVE_INFINITY;
  expect(isWritable(profile.path, write)).toBe(false);
});

describe('databases', () => {
  it('[bad input] a damaged cache is set aside, rebuilt and reported; the workspace stays', async () => {
    const keychain = memoryKeychain();
    const first = await start({ keychain });
    await addTenant(first.bridge, service.base);
    await stop(first);
    writeFileSync(join(profile.path, 'cache.sqlite'), 'x'.repeat(20_000));
    const second = await start({ keychain });
    expect((await info(second)).notices).toMatchObject([{ id: 'set-aside-cache', level: 'warning' }]);
    expect(readdirSync(profile.path).filter((name) => name.startsWith('cache.sqlite.damaged-'))).toHaveLength(
      1,
    );
    expect(await names(second)).toEqual(['A tenant']);
    await second.bridge.call('cache.wipe', { connectionId: null });
    expect(readdirSync(profile.path).filter((name) => name.startsWith('cache.sqlite.damaged-'))).toEqual([]);
  });

  it('an unreadable workspace is kept as it is, and what is lost is reported', async () => {
    const keychain = memoryKeychain();
    await stop(await start({ keychain }));
    const path = join(profile.path, 'workspace.sqlite');
    const bytes = readFileSync(path).fill(9, 4096);
    writeFileSync(path, bytes);
    const second = await start({ keychain });
    const [notice] = (await info(second)).notices;
    expect(notice).toMatchObject({ id: 'workspace-repaired', level: 'error' });
    expect(notice?.message).toMatch(/Nothing in it was readable.*There is no backup/);
    const aside = readdirSync(profile.path).find((name) => name.startsWith('workspace.sqlite.damaged-'));
    expect(readFileSync(join(profile.path, String(aside))).equals(bytes)).toBe(true);
  });

  it('a workspace in use is backed up automatically; when it disappears the backup replaces it, with a notice', async () => {
    const keychain = memoryKeychain();
    const backups = () =>
      readdirSync(profile.path).filter((name) => /^workspace\.sqlite\.backup-\d+-\d+$/.test(name));
    const first = await start({ keychain });
    await addTenant(first.bridge, service.base);
    await stop(first);
    expect(backups()).toEqual([]);
    const second = await start({ keychain, tuning: { storage: { firstBackupMs: 0 } } });
    await soon(() => expect(backups()).toHaveLength(1));
    await stop(second);
    for (const suffix of ['', '-wal', '-shm'])
      rmSync(join(profile.path, `workspace.sqlite${suffix}`), { force: true });
    const third = await start({ keychain });
    expect(await names(third)).toEqual(['A tenant']);
    const [notice] = (await info(third)).notices;
    expect(notice).toMatchObject({ id: 'workspace-repaired', level: 'error' });
    expect(notice?.message).toMatch(/missing from the profile folder/);
  });

  it('evidence whose name is longer than that of a connection may be is there again after a restart', async () => {
    const keychain = memoryKeychain();
    const first = await start({ keychain });
    const folder = join(profile.path, 'x'.repeat(200));
    mkdirSync(folder);
    await first.app.connect({ kind: 'evidence', path: folder });
    await stop(first);
    const second = await start({ keychain });
    expect((await info(second)).notices).toEqual([]);
    expect(await names(second)).toEqual(['x'.repeat(120)]);
  });

  it.each(['workspace', 'cache'])(
    '[bad input] a newer %s refuses to start and is left untouched',
    async (name) => {
      const keychain = memoryKeychain();
      await stop(await start({ keychain }));
      const path = join(profile.path, `${name}.sqlite`);
      const db = new Sqlite(path);
      db.pragma(`cipher='aegis'`);
      db.pragma(`key='raw:${keychain.entries.get('database-key')}'`);
      db.pragma('user_version=4000');
      db.close();
      const before = readFileSync(path);
      await expect(start({ keychain })).rejects.toMatchObject({
        code: 'newer-schema',
        message: expect.stringContaining('was written by a newer Parapet'),
      });
      expect(readFileSync(path).equals(before)).toBe(true);
      expect(readdirSync(profile.path).filter((other) => other.startsWith(name))).toEqual([`${name}.sqlite`]);
    },
  );

  it.each(['3', '"x"', '[]', '[null]', '{"a":1}', 'null', '{'])(
    '[bad input] values and jobs in the shape of another version, %s, do not prevent a start',
    async (value) => {
      const keychain = memoryKeychain();
      const first = await start({ keychain });
      const { id } = await addTenant(first.bridge, service.base);
      await first.bridge.call('workspace.put', { key: `stack-order:${id}`, value: ['kept'] });
      await stop(first);
      const key = String(keychain.entries.get('database-key'));
      const db = connect({ path: join(profile.path, 'workspace.sqlite'), key }, false, 1_024);
      const put = db.prepare('INSERT OR REPLACE INTO kv (key, value, updated_at) VALUES (?, ?, 1)');
      for (const name of ['active', 'offline', 'updates', 'keep', 'cache-budget'])
        put.run(`core:${name}`, value);
      put.run('stack-order:other', value);
      put.run('draft:other', value);
      db.prepare('INSERT INTO jobs (id, data, ended_at) VALUES (?, ?, NULL)').run('odd', value);
      db.close();
      const second = await start({ keychain });
      expect(await names(second)).toEqual(['A tenant']);
      const { values } = await second.bridge.call('workspace.list', { prefix: 'stack-order:' });
      expect(values).toContainEqual({ key: `stack-order:${id}`, value: ['kept'] });
      expect((await second.bridge.call('jobs.list', {})).jobs).toEqual([]);
      await second.bridge.call('connections.remove', { id });
      expect(await names(second)).toEqual([]);
    },
  );

  it('[bad input] a read-only profile works for the run, shows its content, and stores nothing', async () => {
    const keychain = memoryKeychain();
    const first = await start({ keychain });
    await addTenant(first.bridge, service.base);
    await stop(first);
    // Root ignores file modes and Windows has none, but a profile whose parent is a file is never writable.
    const root = process.getuid?.() === 0 || process.platform === 'win32';
    const where = root ? join(profile.path, 'workspace.sqlite', 'profile') : profile.path;
    if (!root) chmodSync(profile.path, 0o500);
    try {
      const second = await start({ keychain, profile: where });
      const state = await info(second);
      expect(state.readOnly).toBe(true);
      expect(state.notices).toMatchObject([{ id: 'read-only', level: 'warning' }]);
      expect(await names(second)).toEqual(root ? [] : ['A tenant']);
      await addTenant(second.bridge, `${service.base}/second`);
      expect(await names(second)).toHaveLength(root ? 1 : 2);
      await stop(second);
      if (!root) expect(await names(await start({ keychain, profile: where }))).toEqual(['A tenant']);
    } finally {
      chmodSync(profile.path, 0o700);
    }
  });
});

describe('[bad input] secrets with, without and behind a locked keychain', () => {
  const absent = () => failingKeychain('secrets-unavailable');

  it('go to the keychain where there is one', async () => {
    const keychain = memoryKeychain();
    const first = await start({ keychain });
    expect((await info(first)).secrets).toEqual({ mode: 'keychain', locked: false, reason: null });
    const { id, hasCredential } = await addTenant(first.bridge, service.base, TOKEN);
    expect(hasCredential).toBe(true);
    expect(keychain.entries.get(`credential/${id}`)).toBe(TOKEN);
    await stop(first);
    const second = await start({ keychain });
    await readAll(second.bridge, { connectionId: id, endpoint: 'apps.list' });
    expect(service.seen.at(-1)?.authorization).toBe(`Bearer ${TOKEN}`);
    await second.bridge.call('connections.remove', { id });
    expect(keychain.entries.has(`credential/${id}`)).toBe(false);
  });

  it('without a keychain nothing is stored until the analyst has chosen', async () => {
    const first = await start({ keychain: absent() });
    expect((await info(first)).secrets).toMatchObject({
      mode: 'undecided',
      locked: false,
      reason: 'There is no keychain.',
    });
    await addTenant(first.bridge, service.base, TOKEN);
    expect((await first.bridge.call('secrets.choose', { mode: 'run' })).secrets.mode).toBe('run');
    expect(holding(profile.path, TOKEN)).toEqual([]);
    await stop(first);
    expect(filesIn(profile.path)).toEqual([]);
    expect(await names(await start({ keychain: absent() }))).toEqual([]);
  });

  it('leftovers of a killed run are removed', async () => {
    const core = await start({ keychain: absent() });
    expect(readdirSync(profile.path).filter((name) => name.startsWith('run-'))).toHaveLength(1);
    await stop(core);
    const leftover = join(profile.path, 'run-999999999-abc');
    mkdirSync(leftover);
    await start({ keychain: absent() });
    expect(existsSync(leftover)).toBe(false);
  });

  it('a passphrase keeps what was collected so far, and opens it again', async () => {
    const first = await start({ keychain: absent() });
    const { id } = await addTenant(first.bridge, service.base, TOKEN);
    await readAll(first.bridge, { connectionId: id, endpoint: 'apps.list' });
    await expect(
      first.bridge.call('secrets.choose', { mode: 'passphrase', passphrase: 'short' }),
    ).rejects.toMatchObject({ code: 'invalid-input', data: { field: 'passphrase' } });
    const chosen = await first.bridge.call('secrets.choose', { mode: 'passphrase', passphrase: PASSPHRASE });
    expect(chosen.secrets).toEqual({ mode: 'passphrase', locked: false, reason: null });
    expect(await names(first)).toEqual(['A tenant']);
    expect((await first.bridge.call('cache.stats', {})).answers).toBe(1);
    // A credential added later is sealed as well.
    const second = await addTenant(first.bridge, `${service.base}/b`, `${TOKEN}-b`);
    await stop(first);
    expect(readdirSync(profile.path).sort()).toEqual([
      'cache.sqlite',
      'key-check',
      'secrets.sealed',
      'workspace.sqlite',
    ]);
    for (const needle of [TOKEN, PASSPHRASE]) expect(holding(profile.path, needle)).toEqual([]);

    const again = await start({ keychain: absent() });
    expect((await info(again)).secrets).toMatchObject({ mode: 'passphrase', locked: true });
    expect(await names(again)).toEqual([]);
    await expect(
      again.bridge.call('secrets.choose', { mode: 'passphrase', passphrase: 'wrong horse battery' }),
    ).rejects.toMatchObject({ code: 'secrets-locked', retryable: true });
    const events: string[] = [];
    void again.bridge.stream('app.events', {}, ({ type }) => events.push(type)).catch(() => {});
    await again.bridge.call('secrets.choose', { mode: 'passphrase', passphrase: PASSPHRASE });
    expect(await names(again)).toEqual(['A tenant', 'A tenant']);
    expect(events).toContain('connections');
    const { snapshots } = await readAll(again.bridge, { connectionId: second.id, endpoint: 'apps.list' });
    expect(snapshots).toHaveLength(1);
    expect(service.seen.at(-1)?.authorization).toBe(`Bearer ${TOKEN}-b`);
  });

  it('a damaged sealed file is reported as damaged', async () => {
    writeFileSync(join(profile.path, 'secrets.sealed'), '{"kind":"parapet-secrets"');
    const core = await start({ keychain: absent() });
    await expect(
      core.bridge.call('secrets.choose', { mode: 'passphrase', passphrase: PASSPHRASE }),
    ).rejects.toMatchObject({ code: 'damaged' });
  });

  it('a sealed file of a newer version, or one that cannot be read, is not called damaged, and stays', async () => {
    const path = join(profile.path, 'secrets.sealed');
    const newer = '{"kind":"parapet-secrets","version":2,"recipients":[]}';
    writeFileSync(path, newer);
    const core = await start({ keychain: absent() });
    const unlock = () => core.bridge.call('secrets.choose', { mode: 'passphrase', passphrase: PASSPHRASE });
    await expect(unlock()).rejects.toMatchObject({ code: 'newer-schema' });
    expect(readFileSync(path, 'utf8')).toBe(newer);
    rmSync(path);
    mkdirSync(path);
    await expect(unlock()).rejects.toMatchObject({
      code: 'bad-file',
      message: expect.stringMatching(/cannot be read: EISDIR.*Nothing was changed/),
    });
    expect(statSync(path).isDirectory()).toBe(true);
  });

  it('a locked keychain leaves the profile locked until it opens', async () => {
    const memory = memoryKeychain();
    let locked = false;
    const keychain: Keychain = {
      get: async (account) => (locked ? deny() : memory.get(account)),
      set: async (account, secret) => (locked ? deny() : memory.set(account, secret)),
      remove: async (account) => (locked ? deny() : memory.remove(account)),
    };
    const deny = (): never => {
      throw new ParapetError('secrets-locked', 'The keychain is locked.', { retryable: true });
    };
    const first = await start({ keychain });
    await addTenant(first.bridge, service.base, TOKEN);
    await stop(first);
    locked = true;
    const second = await start({ keychain });
    expect((await info(second)).secrets).toEqual({
      mode: 'keychain',
      locked: true,
      reason: 'The keychain is locked.',
    });
    expect(await names(second)).toEqual([]);
    await expect(second.bridge.call('secrets.choose', { mode: 'keychain' })).rejects.toMatchObject({
      code: 'secrets-locked',
    });
    locked = false;
    await second.bridge.call('secrets.choose', { mode: 'keychain' });
    expect(await names(second)).toEqual(['A tenant']);
  });

  it('a keychain that loses entries is treated as none', async () => {
    const core = await start({
      keychain: { get: async () => null, set: async () => {}, remove: async () => {} },
    });
    expect((await info(core)).secrets.mode).toBe('undecided');
  });

  it('no file, table, log or error of a profile contains a credential or a schedule password', async () => {
    const keychain = memoryKeychain();
    const core = await start({ keychain });
    const { id } = await addTenant(core.bridge, service.base, TOKEN);
    const query = {
      type: 'query',
      name: 'Weekly-marker',
      domain: 'email',
      entityType: 'email',
      columns: [],
      scheduledExport: {
        emails: ['a@soc.example'],
        format: 'csv',
        frequency: 'daily',
        time: '08:00',
        password: 'hush-4711',
      },
    };
    service.answer = (_, response, { method }) =>
      sendJson(response, method === 'GET' ? { queries: [{ ...query, id: '1' }] } : { ...query, id: '1' });
    await readAll(core.bridge, { connectionId: id, endpoint: 'query.list' });
    await core.bridge.call('service.send', { connectionId: id, endpoint: 'query.save', body: query });
    expect(service.seen.at(-1)?.body).toContain('hush-4711');
    await core.bridge.call('workspace.put', {
      key: 'draft:1',
      value: { id: '1', connectionId: id, query, savedId: null, saved: null, updatedAt: 1 },
    });
    service.answer = (_, response) => sendJson(response, { error: 'no' }, 401);
    const failed = await readAll(core.bridge, { connectionId: id, endpoint: 'apps.list' });
    expect(JSON.stringify(failed)).not.toContain(TOKEN);
    expect(core.logged.join('\n')).not.toContain(TOKEN);
    await stop(core);
    for (const needle of [TOKEN, 'hush-4711', 'Weekly-marker'])
      expect(holding(profile.path, needle)).toEqual([]);
    // In the decrypted content as well.
    const tables = ['workspace', 'cache'].map((name) =>
      tableText(name, String(keychain.entries.get('database-key'))),
    );
    expect(tables.join('\n').match(/Weekly-marker/g)).toHaveLength(3);
    for (const needle of [TOKEN, 'hush-4711']) expect(tables.join('\n')).not.toContain(needle);
  });
});

/** All rows of a database of the profile as text. */
function tableText(name: string, key: string): string {
  const db = new Sqlite(join(profile.path, `${name}.sqlite`), { readonly: true });
  db.pragma(`cipher='aegis'`);
  db.pragma(`key='raw:${key}'`);
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all() as string[];
  const text = tables.map((table) => JSON.stringify(db.prepare(`SELECT * FROM "${table}"`).all())).join('\n');
  db.close();
  return text;
}
