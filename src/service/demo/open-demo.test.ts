/** A demo tenant with an unusable file: the notice to the analyst, and that the file is never lost. */
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createServiceApp } from '../app.ts';
import { NewerStoreError, openStore } from '../store-sqlite/sqlite-store.ts';
import { openingFailureOf } from '../threads/failure.ts';
import { openDemo, reopenDemo } from './open-demo.ts';
import { demoSource } from './source.ts';

const NOW = Date.UTC(2026, 10, 26, 8);
const PAGE = 4096;
let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-demo-'));
  path = join(folder, 'demo-40-1.sqlite');
});
afterEach(() => rmSync(folder, { recursive: true }));

const options = (now = NOW) => ({ path, key: null, seed: 1, emails: 40, now });
const aside = () => readdirSync(folder).filter((name) => /\.(?:damaged|earlier)-[^-]+$/.test(name));
const words = (error: unknown) => openingFailureOf(error, 'demo', path, new AbortController().signal).message;

async function make(): Promise<void> {
  const { store, replaced } = await openDemo(options());
  expect(replaced).toBeNull();
  store.db.pragma('wal_checkpoint(TRUNCATE)');
  store.close();
}

/** The error that opening gives; the file must be the same afterwards. */
async function refusal(): Promise<unknown> {
  try {
    (await openDemo(options())).store.close();
  } catch (error) {
    return error;
  }
  throw new Error('It was opened.');
}

it('[bad input] a damaged file is kept, and the notice says what happened, why and what to do', async () => {
  await make();
  const bytes = readFileSync(path);
  bytes.fill(7, 0, PAGE);
  writeFileSync(path, bytes);
  const { store, replaced } = await openDemo(options());
  expect(store.db.prepare('SELECT count(*) FROM emails').pluck().get()).toBe(40);
  store.close();
  expect(aside()).toEqual(['demo-40-1.sqlite.damaged-20261126T080000Z']);
  expect(readFileSync(join(folder, aside()[0] ?? '')).equals(bytes)).toBe(true);
  expect(replaced?.level).toBe('error');
  expect(replaced?.message).toMatch(
    /was damaged, so the demo tenant was made anew.*only in the old file, which is kept as demo-40-1\.sqlite\.damaged-20261126T080000Z.*check the disk/,
  );
  const again = await openDemo(options());
  expect(again.replaced).toBeNull();
  again.store.close();
});

/** Makes the file one of a generator of other mail. */
async function makeEarlier(): Promise<void> {
  await make();
  const { store } = await openDemo(options());
  store.setMeta('source', 'another generation');
  store.close();
}

it('a database that is not of the service is not read as one, and is kept', async () => {
  await make();
  const { store } = await openDemo(options());
  store.db.pragma('application_id = 7');
  store.close();
  const before = readFileSync(path);
  const opened = await openDemo(options());
  opened.store.close();
  expect(opened.replaced?.message).toContain(`kept as ${aside()[0]}`);
  expect(readFileSync(join(folder, aside()[0] ?? '')).equals(before)).toBe(true);
});

it('a file of a version that generated other mail is kept, and the notice says so', async () => {
  await makeEarlier();
  const opened = await openDemo(options());
  opened.store.close();
  expect(aside()).toEqual(['demo-40-1.sqlite.earlier-20261126T080000Z']);
  expect(opened.replaced).toEqual({
    level: 'warning',
    message: expect.stringMatching(/made by another version of Parapet.*kept as .*earlier-20261126T080000Z/),
  });
});

it('an unfinished file, which was never used, is removed silently', async () => {
  await make();
  const { store } = await openDemo(options());
  store.db.exec("DELETE FROM meta WHERE key = 'source'");
  store.close();
  const opened = await openDemo(options());
  opened.store.close();
  expect([opened.replaced, aside()]).toEqual([null, []]);
});

it.each([
  ['was begun', () => rmSync(path, { force: true })],
  ['was complete', () => openStore(options(), demoSource).close()],
])(
  'the notice about a file set aside is given again if Parapet ended before its replacement %s',
  async (_, end) => {
    await makeEarlier();
    const first = await reopenDemo(options());
    end();
    const again = await openDemo(options());
    again.store.close();
    expect(again.replaced).toEqual(first.replaced);
    const last = await openDemo(options());
    last.store.close();
    expect([first.replaced?.level, last.replaced]).toEqual(['warning', null]);
  },
);

it('a tenant whose file was removed later is made anew without the notice about an older file set aside', async () => {
  await makeEarlier();
  const replaced = await openDemo(options());
  replaced.store.close();
  rmSync(path);
  const again = await openDemo(options());
  again.store.close();
  expect([replaced.replaced?.level, again.replaced]).toEqual(['warning', null]);
  expect(readdirSync(folder).filter((name) => name.endsWith('.being-replaced'))).toEqual([]);
});

it('[bad input] a file of a newer version is left alone', async () => {
  await make();
  const { store } = await openDemo(options());
  store.db.pragma('user_version = 9999');
  store.close();
  const before = readFileSync(path);
  const error = await refusal();
  expect(error).toBeInstanceOf(NewerStoreError);
  expect(words(error)).toMatch(
    /made by a newer version of Parapet.*Open it with the newer version, or move .* elsewhere/,
  );
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(aside()).toEqual([]);
});

// Windows has no file modes.
it.skipIf(process.platform === 'win32').each([
  ['read', 0o000, 0o755],
  ['written, which the new day needs', 0o444, 0o555],
])('a file that may not be %s is left alone, with the reason', async (_, mode, folderMode) => {
  await make();
  const before = readFileSync(path);
  chmodSync(path, mode);
  chmodSync(folder, folderMode);
  // File modes do not restrict root.
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  let error: unknown;
  try {
    await expect(reopenDemo(options(NOW + 2 * 86_400_000))).rejects.toThrow();
    (await openDemo(options(NOW + 2 * 86_400_000))).store.close();
  } catch (thrown) {
    error = thrown;
  } finally {
    if (isRoot) process.seteuid?.(0);
    chmodSync(folder, 0o755);
    chmodSync(path, 0o644);
  }
  expect(words(error)).toMatch(/may not read and write .*It was left as it is\. Give your account access/);
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(aside()).toEqual([]);
});

it('damage found by a call is reported, and the next start generates the tenant again', async () => {
  await make();
  const first = await openDemo(options());
  const root = Number(
    first.store.db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'queries'").pluck().get(),
  );
  first.store.close();
  const bytes = readFileSync(path);
  bytes.fill(0x5a, (root - 1) * PAGE, (root - 1) * PAGE + 64);
  writeFileSync(path, bytes);
  const { store, replaced } = await openDemo(options());
  expect(replaced).toBeNull();
  const { status, body } = await createServiceApp(store, { token: 't', caller: 'you' }).answer({
    method: 'GET',
    url: 'http://x/api/v1/query',
    authorization: 'Bearer t',
    contentType: '',
    acceptEncoding: '',
    body: new Uint8Array(),
  });
  expect([status, Buffer.from(body).toString()]).toEqual([
    500,
    expect.stringContaining('demo tenant is damaged. Close Parapet and start it again'),
  ]);
  store.close();
  const again = await openDemo(options());
  expect(again.replaced?.message).toContain(`kept as ${aside()[0]}`);
  again.store.close();
  expect(existsSync(`${path}.found-damaged`)).toBe(false);
  const last = await openDemo(options());
  expect(last.replaced).toBeNull();
  last.store.close();
});
