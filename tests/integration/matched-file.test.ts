/**
 * The download of a file that a tool matched: probe, signed link, save dialog, unchanged or as an encrypted zip
 * (specification 7, 8, 9).
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Uint8ArrayReader, Uint8ArrayWriter, ZipReader } from '@zip.js/zip.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BrowserDialogs } from '#main/host/browser/dialogs.ts';
import { safeFileName } from '#main/kernel/file-names.ts';
import { addTenant, type Core, startCore, temporaryProfile } from '#tests/support/core.ts';
import { type ScriptedService, sendJson, startScripted } from '#tests/support/scripted-service.ts';

const BYTES = Buffer.from('MZ\u0000\u0001 not really a program');
const SHA256 = createHash('sha256').update(BYTES).digest('hex');
const LINK = { hash: '/signed/0a1b2c/', token: 'k3y~', id: 'file-1' };

let profile: ReturnType<typeof temporaryProfile>;
let service: ScriptedService;
let core: Core;
let folder: string;
let connectionId: string;
let announced: Record<string, unknown>;

beforeEach(async () => {
  profile = temporaryProfile();
  folder = path.join(profile.path, 'chosen');
  mkdirSync(folder);
  announced = { success: true, ...LINK, sha256: SHA256.toUpperCase() };
  service = await startScripted();
  service.answer = (_, response, { url }) => {
    if (url.startsWith('/api/v1/sec_match_file/')) return sendJson(response, announced);
    if (url === '/api/v1/signed/0a1b2c/k3y~file-1') {
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      return response.end(BYTES);
    }
    return sendJson(response, { rows: [] });
  };
  core = await startCore({
    profile: profile.path,
    dialogs: {
      open: async () => null,
      save: async ({ suggestedName }) => {
        const name = safeFileName(suggestedName);
        return { path: path.join(folder, name), name };
      },
    },
  });
  ({ id: connectionId } = await addTenant(core.bridge, service.base));
});
afterEach(async () => {
  await core.stop();
  await service.stop();
  profile.remove();
});

const target = () => ({ connectionId, entityType: 'file', entityId: 'file-1' });

async function save(name: string, password: string | null) {
  const grant = await core.bridge.call('dialogs.save', {
    suggestedName: name.slice(0, 200),
    kind: password === null ? 'any' : 'zip',
  });
  return core.bridge.call('matched-file.save', {
    ...target(),
    grantId: grant?.grantId ?? '',
    name,
    zip: password === null ? null : { password },
  });
}

async function entries(file: string, password: string) {
  const zip = new ZipReader(new Uint8ArrayReader(readFileSync(file)), { password });
  const all = await zip.getEntries();
  return Promise.all(
    all.map(async (entry) => ({
      name: entry.filename,
      encrypted: entry.encrypted,
      bytes: entry.directory ? null : Buffer.from(await entry.getData(new Uint8ArrayWriter())),
    })),
  );
}

describe('the probe', () => {
  it('[spec 7] sends test_only, three times, and returns success false with the service’s reason', async () => {
    announced = { success: false, reason: 'The archive is still fetching the file' };
    expect(await core.bridge.call('matched-file.probe', target())).toEqual({
      success: false,
      attempts: 3,
      reason: 'The archive is still fetching the file',
      forbidden: false,
    });
    const downloads = service.seen.filter(({ url }) => url.includes('sec_match_file'));
    expect(downloads.map(({ url }) => url)).toEqual(
      Array.from({ length: 3 }, () => '/api/v1/sec_match_file/file/file-1?test_only=true'),
    );
  });

  it('asks a failing service three times, not three times three', async () => {
    service.answer = (_, response) => sendJson(response, { error: 'down' }, 503);
    expect(await core.bridge.call('matched-file.probe', target())).toMatchObject({
      success: false,
      attempts: 3,
    });
    expect(service.seen.filter(({ url }) => url.includes('sec_match_file'))).toHaveLength(3);
  });

  it('names the permission the role lacks', async () => {
    service.answer = (_, response) =>
      sendJson(response, { error: 'The role Read only may not download matched files' }, 403);
    const answer = await core.bridge.call('matched-file.probe', target());
    expect(answer).toMatchObject({ success: false, attempts: 1, forbidden: true });
    expect(answer.reason).toContain('The role Read only may not download matched files');
  });
});

describe('the download', () => {
  it('writes the bytes unchanged, unreadable to others, with their hash', async () => {
    expect(await save('invoice.exe.suspect', null)).toEqual({
      name: 'invoice.exe.suspect',
      bytes: BYTES.length,
      sha256: SHA256,
      asTold: true,
    });
    expect(readFileSync(path.join(folder, 'invoice.exe.suspect'))).toEqual(BYTES);
    expect(readdirSync(folder).sort()).toEqual(['invoice.exe.suspect', 'invoice.exe.suspect.manifest.json']);
    expect(
      JSON.parse(readFileSync(path.join(folder, 'invoice.exe.suspect.manifest.json'), 'utf8')),
    ).toMatchObject({ file: 'invoice.exe.suspect', bytes: BYTES.length, sha256: SHA256 });
    if (process.platform !== 'win32')
      expect(statSync(path.join(folder, 'invoice.exe.suspect')).mode & 0o177).toBe(0);
  });

  it('seals them with AES-256 under a safe name', async () => {
    await save('../../evil\u202Efdp.exe', 'infected');
    const file = readdirSync(folder).find((name) => !name.endsWith('.manifest.json')) ?? '';
    const zip = path.join(folder, file);
    const [content, manifest, ...more] = await entries(zip, 'infected');
    expect(content).toEqual({ name: '_.._evilfdp.exe', encrypted: true, bytes: BYTES });
    expect(manifest).toMatchObject({ name: '_.._evilfdp.exe.manifest.json', encrypted: true });
    expect(JSON.parse(String(manifest?.bytes))).toMatchObject({ bytes: BYTES.length, sha256: SHA256 });
    expect(more).toEqual([]);
    // The manifest outside the zip reveals no content.
    expect(readFileSync(`${zip}.manifest.json`, 'utf8')).not.toContain(SHA256);
    expect(readFileSync(zip).includes(BYTES)).toBe(false);
    await expect(entries(zip, 'wrong')).rejects.toThrow();
  });

  it('says when the bytes do not match the hash that the service announced', async () => {
    announced = { ...announced, sha256: 'f'.repeat(64) };
    expect(await save('a.bin', null)).toMatchObject({ sha256: SHA256, asTold: false });
    announced = { ...announced, sha256: null };
    expect(await save('b.bin', null)).toMatchObject({ asTold: null });
  });

  it.each([
    ['refuses', { success: false, reason: 'No tool matched this file' }, 'No tool matched this file'],
    ['gives no link', { success: true }, 'no link'],
    [
      'gives a link to another place',
      { success: true, hash: '/../admin/', token: 't', id: 'i' },
      'not one of this service',
    ],
  ])('leaves nothing behind when the service %s', async (_, answer, words) => {
    announced = answer;
    await expect(save('a.bin', null)).rejects.toThrow(words);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('keeps link and password out of the log, and a grant is used up by opening it', async () => {
    const grant = await core.bridge.call('dialogs.save', { suggestedName: 'a.zip', kind: 'zip' });
    const input = {
      ...target(),
      grantId: grant?.grantId ?? '',
      name: 'a',
      zip: { password: 'a-secret-word' },
    };
    await core.bridge.call('matched-file.save', input);
    await expect(core.bridge.call('matched-file.save', input)).rejects.toMatchObject({ code: 'not-allowed' });
    expect(core.logged.join('\n')).not.toMatch(/a-secret-word|0a1b2c|k3y~/);
  });
});

describe('all attachments of an email', () => {
  const FILES: Record<string, Buffer> = { a: Buffer.from('one'), b: Buffer.from('two'), c: BYTES };
  const saveAll = async (files: { entityId: string; name: string }[]) => {
    const grant = await core.bridge.call('dialogs.save', { suggestedName: 'all.zip', kind: 'zip' });
    return core.bridge.call('matched-file.save-all', {
      connectionId,
      entityType: 'email',
      files,
      grantId: grant?.grantId ?? '',
      password: 'infected',
    });
  };
  beforeEach(() => {
    service.answer = (_, response, { url }) => {
      const [, id = ''] = /^\/api\/v1\/sec_match_file\/email\/(\w+)/.exec(url) ?? [];
      const sha256 = createHash('sha256')
        .update(FILES[id] ?? '')
        .digest('hex');
      if (id in FILES)
        return sendJson(response, { success: true, hash: '/signed/0a/', token: 't~', id, sha256 });
      if (id !== '') return sendJson(response, { success: false, reason: 'it is gone' });
      const [, file = ''] = /t~(\w+)$/.exec(url) ?? [];
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      return response.end(FILES[file]);
    };
  });

  it('[promise] are saved as one encrypted zip with a manifest; names are safe and distinct, missing files are listed', async () => {
    const saved = await saveAll([
      { entityId: 'a', name: 'x.pdf' },
      { entityId: 'gone', name: 'lost.pdf' },
      { entityId: 'b', name: '../X.pdf' },
      { entityId: 'c', name: 'manifest.json' },
    ]);
    const reason = 'The service does not provide the file: it is gone.';
    expect(saved).toEqual({
      name: 'all.zip',
      files: 3,
      bytes: 6 + BYTES.length,
      missing: [{ name: 'lost.pdf', reason }],
    });
    const files = await entries(path.join(folder, 'all.zip'), 'infected');
    expect(files.map(({ name, encrypted }) => [name, encrypted])).toEqual([
      ['x.pdf', true],
      ['_X.pdf', true],
      ['manifest (2).json', true],
      ['manifest.json', true],
    ]);
    expect(files.slice(0, 3).map(({ bytes }) => bytes)).toEqual(Object.values(FILES));
    expect(JSON.parse(String(files[3]?.bytes))).toMatchObject({
      files: [
        { file: 'x.pdf', bytes: 3, as_told: true },
        { file: '_X.pdf', name: '../X.pdf', bytes: 3, as_told: true },
        { file: 'manifest (2).json', sha256: SHA256, as_told: true },
      ],
      missing: [{ name: 'lost.pdf', reason }],
    });
    // The manifest outside the zip reveals no content.
    expect(readFileSync(path.join(folder, 'all.zip.manifest.json'), 'utf8')).not.toContain('pdf');
    await expect(entries(path.join(folder, 'all.zip'), 'wrong')).rejects.toThrow();
  });

  it('have distinct names on a file system that treats “ß” as “SS”', async () => {
    await saveAll([
      { entityId: 'a', name: 'ß.txt' },
      { entityId: 'b', name: 'SS.txt' },
      { entityId: 'c', name: 'ss.txt' },
    ]);
    const files = await entries(path.join(folder, 'all.zip'), 'infected');
    expect(files.map(({ name }) => name)).toEqual(['ß.txt', 'SS (2).txt', 'ss (3).txt', 'manifest.json']);
  });

  it('writes nothing when none can be fetched', async () => {
    await expect(saveAll([{ entityId: 'gone', name: 'lost.pdf' }])).rejects.toMatchObject({
      code: 'not-found',
    });
    expect(readdirSync(folder)).toEqual([]);
  });
});

const shared = process.env['PARAPET_SHARED'] ?? path.join(import.meta.dirname, '../../../shared');
const hostile = path.join(shared, 'data', 'path');

describe.skipIf(!existsSync(hostile))('hostile names', () => {
  const names = () =>
    readdirSync(hostile).flatMap((file) =>
      readFileSync(path.join(hostile, file), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => line.replaceAll('{FILE}', 'etc/passwd')),
    );
  const decoded = (name: string): string[] => {
    const all = [name];
    for (let turn = 0; turn < 3; turn++) {
      try {
        all.push(decodeURIComponent(all.at(-1) ?? ''));
      } catch {
        break;
      }
    }
    return all;
  };

  it('[promise] stay inside the chosen folder, on every platform', () => {
    const all = names();
    expect(all.length).toBeGreaterThan(1_000);
    const folders = [path.posix, path.win32].map((platform) => ({
      platform,
      own: platform.resolve('/chosen'),
    }));
    const escaped = all.flatMap(decoded).filter((name) => {
      const safe = safeFileName(name, 'matched-file');
      return folders.some(({ platform, own }) => platform.dirname(platform.resolve(own, safe)) !== own);
    });
    expect(escaped).toEqual([]);
  });

  it("are written to the browser host's download folder, and nowhere else", async () => {
    const dialogs = new BrowserDialogs(profile.path, {
      ask: () => ({ id: 'x', answer: Promise.resolve() }),
      settle: () => {},
    } as never);
    const every = names().filter((_, index) => index % 40 === 0);
    for (const name of every) {
      const chosen = await dialogs.save({ suggestedName: name.slice(0, 200), kind: 'any' });
      const file = chosen?.path ?? '';
      expect(path.dirname(path.dirname(file))).toBe(path.join(profile.path, 'downloads'));
      writeFileSync(file, 'x', { flag: 'wx' });
    }
  });
});
