/** Parapet accepts what a release publishes: the signing script and the verifying client, over HTTP. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Feed } from '#main/updates/feed.ts';

const script = path.resolve(import.meta.dirname, '../../scripts/update-feed.ts');
const IMAGE = Buffer.from('an AppImage');
let dir: string;
let server: http.Server;
let base: string;

const inEnv = (env: NodeJS.ProcessEnv) => ({
  cwd: dir,
  encoding: 'utf8' as const,
  env: { ...process.env, ...env },
});
const feedScript = (args: string[], env: NodeJS.ProcessEnv = {}) =>
  execFileSync(process.execPath, [script, ...args], inEnv(env));

beforeAll(async () => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'parapet-feed-'));
  mkdirSync(path.join(dir, 'resources'));
  mkdirSync(path.join(dir, 'dist/linux'), { recursive: true });
  mkdirSync(path.join(dir, 'feed'));
  writeFileSync(path.join(dir, 'package.json'), '{"version":"1.2.0"}');
  writeFileSync(
    path.join(dir, 'CHANGELOG.md'),
    '# Changelog\n\n## Unreleased\n- later\n\n## 1.2.0\n- Added: this.\n\n## 1.1.0\n- old\n',
  );
  writeFileSync(path.join(dir, 'dist/linux/Parapet-1.2.0-x86_64.AppImage'), IMAGE);
  writeFileSync(path.join(dir, 'dist/linux/parapet_1.2.0_amd64.deb'), 'a deb');
  server = http.createServer((request, response) => {
    const name = path.basename(request.url ?? '');
    const folder = name.endsWith('.json') ? 'feed' : 'dist/linux';
    response.end(readFileSync(path.join(dir, folder, name)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  rmSync(dir, { recursive: true });
});

test('a release is prepared, signed, served, found and fetched', async () => {
  const key = feedScript(['key']);
  const env = { PARAPET_UPDATE_KEY: key, PARAPET_UPDATE_FEED: base };
  feedScript(['prepare'], env);
  const build = JSON.parse(readFileSync(path.join(dir, 'resources/updates.json'), 'utf8')) as {
    feed: string;
    key: string;
  };
  expect(build.key).toContain('PUBLIC KEY');
  feedScript(['sign', 'dist', 'feed'], env);
  expect(readdirSync(path.join(dir, 'feed')).sort()).toEqual(['beta.json', 'stable.json']);
  const client = new Feed(build.feed, build.key);
  for (const channel of ['stable', 'beta'] as const) {
    const release = await client.newest(channel);
    expect(release).toMatchObject({ channel, version: '1.2.0', notes: '- Added: this.' });
    expect(release.files.map(({ kind, arch }) => [kind, arch])).toEqual([['appimage', 'x64']]);
  }
  const file = await client.fetch((await client.newest('stable')).files[0]!, path.join(dir, 'fetched'));
  expect(readFileSync(file)).toEqual(IMAGE);
  // With another key: another build of the same product.
  const other = new Feed(base, build.key);
  feedScript(['sign', 'dist', 'feed'], { ...env, PARAPET_UPDATE_KEY: feedScript(['key']) });
  await expect(other.newest('stable')).rejects.toMatchObject({ code: 'bad-file' });
});

test('without a key there is no feed, and nothing is signed', () => {
  writeFileSync(path.join(dir, 'resources/updates.json'), 'as it was');
  expect(feedScript(['prepare'], { PARAPET_UPDATE_KEY: '' })).toContain('no feed');
  expect(readFileSync(path.join(dir, 'resources/updates.json'), 'utf8')).toBe('as it was');
  const signed = spawnSync(
    process.execPath,
    [script, 'sign', 'dist', 'feed'],
    inEnv({ PARAPET_UPDATE_KEY: '' }),
  );
  expect(signed.status).not.toBe(0);
  expect(signed.stderr).toContain('PARAPET_UPDATE_KEY is not set');
});
