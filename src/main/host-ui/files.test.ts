import { createHash } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_SYMLINKS } from '#tests/support/symlinks.ts';
import type { Context } from '../kernel/context.ts';
import { createGrants } from '../kernel/grants.ts';
import { NO_POLICY } from '../kernel/policy.ts';
import { createFilesHandlers as create } from './files.ts';

let dir = '';
const context = { signal: new AbortController().signal };
beforeEach(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'parapet-files-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const facts = { what: 'A picture', entries: null };
const createFilesHandlers = ({ grants }: { grants: Context['grants'] }) =>
  create({ grants, ports: { version: '1.2.3', now: () => 0, policy: NO_POLICY } as Context['ports'] });

function setUp(name = 'map.svg') {
  const grants = createGrants();
  let finished = 0;
  const { grantId } = grants.issue({ path: path.join(dir, name), name, finished: () => (finished += 1) });
  return { files: createFilesHandlers({ grants }), grantId, told: () => finished };
}

describe('files of the window', () => {
  it('have their name once they are complete', async () => {
    const { files, grantId, told } = setUp();
    const { fileId } = await files['files.open']({ grantId, ...facts }, context);
    await files['files.append']({ fileId, chunk: { text: '<svg>é' } }, context);
    await files['files.append'](
      { fileId, chunk: { base64: Buffer.from([1, 255]).toString('base64') } },
      context,
    );
    expect(readdirSync(dir)).toEqual([expect.stringMatching(/^\.parapet-[0-9a-f]{16}\.part$/)]);
    const written = await files['files.finish']({ fileId }, context);
    const bytes = readFileSync(path.join(dir, 'map.svg'));
    expect(bytes).toEqual(Buffer.concat([Buffer.from('<svg>é'), Buffer.from([1, 255])]));
    expect(written).toEqual({
      name: 'map.svg',
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    });
    expect([readdirSync(dir), told()]).toEqual([['map.svg', 'map.svg.manifest.json'], 1]);
    expect(JSON.parse(readFileSync(path.join(dir, 'map.svg.manifest.json'), 'utf8'))).toEqual({
      kind: 'parapet-file-manifest',
      version: 1,
      file: 'map.svg',
      bytes: bytes.length,
      sha256: written.sha256,
      what: 'A picture',
      entries: null,
      connection: null,
      app_version: '1.2.3',
      written_at: '1970-01-01T00:00:00.000Z',
    });
    await expect(files['files.finish']({ fileId }, context)).rejects.toMatchObject({ code: 'not-found' });
  });

  it('that are not whole say so in their name and manifest, and replace nothing', async () => {
    const { files, grantId } = setUp('map.csv');
    writeFileSync(path.join(dir, 'map.csv'), 'whole');
    writeFileSync(path.join(dir, 'map PARTIAL.csv'), 'earlier');
    const missing = 'Mail (failed) could not be read.';
    const { fileId } = await files['files.open']({ grantId, ...facts, missing }, context);
    await files['files.append']({ fileId, chunk: { text: 'a' } }, context);
    const written = await files['files.finish']({ fileId }, context);
    expect(written).toMatchObject({ name: 'map PARTIAL 2.csv', missing });
    const text = (name: string) => readFileSync(path.join(dir, name), 'utf8');
    expect(['map.csv', 'map PARTIAL.csv', 'map PARTIAL 2.csv'].map(text)).toEqual(['whole', 'earlier', 'a']);
    expect(JSON.parse(text('map PARTIAL 2.csv.manifest.json'))).toMatchObject({
      file: 'map PARTIAL 2.csv',
      completeness: 'PARTIAL',
      why: missing,
    });
  });

  it('hold their chunks in the order of the calls, and the reported hash is the file’s, however many calls run concurrently', async () => {
    const { files, grantId } = setUp();
    const { fileId } = await files['files.open']({ grantId, ...facts }, context);
    // Node writes large chunks in pieces of 512 KiB, so unserialised calls would interleave.
    const chunks = Array.from({ length: 40 }, (_, index) =>
      `${index} `.repeat(1 + ((index * 7_919) % (index % 8 === 0 ? 600_000 : 60_000))),
    );
    expect(Math.max(...chunks.map(({ length }) => length))).toBeGreaterThan(512 * 1024);
    await Promise.all(chunks.map((text) => files['files.append']({ fileId, chunk: { text } }, context)));
    const { sha256 } = await files['files.finish']({ fileId }, context);
    const bytes = readFileSync(path.join(dir, 'map.svg'));
    expect(bytes.equals(Buffer.from(chunks.join('')))).toBe(true);
    expect(sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
  });

  it('leave files, links and unfinished files of others in the folder as they are', async ({ skip }) => {
    skip(NO_SYMLINKS !== null, `${NO_SYMLINKS}`);
    const victim = path.join(dir, 'victim');
    writeFileSync(victim, 'mine');
    symlinkSync(victim, path.join(dir, 'map.svg.part'));
    const { files, grantId } = setUp();
    const { fileId } = await files['files.open']({ grantId, ...facts }, context);
    await files['files.append']({ fileId, chunk: { text: 'x' } }, context);
    // Another file takes the name in the meantime.
    writeFileSync(path.join(dir, 'map.svg'), 'theirs');
    await expect(files['files.finish']({ fileId }, context)).rejects.toMatchObject({ code: 'file-exists' });
    expect(readFileSync(path.join(dir, 'map.svg'), 'utf8')).toBe('theirs');
    expect(readFileSync(victim, 'utf8')).toBe('mine');
    expect(readdirSync(dir).sort()).toEqual(['map.svg', 'map.svg.part', 'victim']);
  });

  it('replace a file that the analyst chose, or a link without touching its target', async ({ skip }) => {
    skip(NO_SYMLINKS !== null, `${NO_SYMLINKS}`);
    const victim = path.join(dir, 'victim');
    writeFileSync(victim, 'mine');
    symlinkSync(victim, path.join(dir, 'map.svg'));
    const { files, grantId } = setUp();
    const { fileId } = await files['files.open']({ grantId, ...facts }, context);
    await files['files.append']({ fileId, chunk: { text: 'x' } }, context);
    await files['files.finish']({ fileId }, context);
    expect(lstatSync(path.join(dir, 'map.svg')).isFile()).toBe(true);
    expect([readFileSync(path.join(dir, 'map.svg'), 'utf8'), readFileSync(victim, 'utf8')]).toEqual([
      'x',
      'mine',
    ]);
  });

  it('leave nothing when they are discarded', async () => {
    const { files, grantId, told } = setUp();
    const { fileId } = await files['files.open']({ grantId, ...facts }, context);
    await files['files.discard']({ fileId }, context);
    await expect(files['files.append']({ fileId, chunk: { text: 'x' } }, context)).rejects.toMatchObject({
      code: 'not-found',
    });
    expect([readdirSync(dir), told()]).toEqual([[], 0]);
  });

  it('need a path that was chosen, which can be used once', async () => {
    const { files, grantId } = setUp();
    await files['files.open']({ grantId, ...facts }, context);
    await expect(files['files.open']({ grantId, ...facts }, context)).rejects.toMatchObject({
      code: 'not-allowed',
    });
  });

  it('explain refusals of the file system', async () => {
    const { files, grantId } = setUp('gone/map.svg');
    await expect(files['files.open']({ grantId, ...facts }, context)).rejects.toMatchObject({
      code: 'path-missing',
    });
    const again = setUp();
    const { fileId } = await again.files['files.open']({ grantId: again.grantId, ...facts }, context);
    mkdirSync(path.join(dir, 'map.svg'));
    await expect(again.files['files.finish']({ fileId }, context)).rejects.toMatchObject({
      code: 'path-missing',
    });
    const third = setUp();
    await expect(
      third.files['files.open']({ grantId: third.grantId, ...facts }, context),
    ).rejects.toMatchObject({ code: 'path-missing' });
    expect(readdirSync(dir)).toEqual(['map.svg']);
  });

  it('[limit 8 files] do not accumulate when windows close before finishing them', async () => {
    const grants = createGrants();
    const files = createFilesHandlers({ grants });
    for (let number = 0; number < 12; number += 1) {
      const name = `${number}.csv`;
      const { grantId } = grants.issue({ path: path.join(dir, name), name });
      await files['files.open']({ grantId, ...facts }, context);
    }
    expect(readdirSync(dir)).toHaveLength(8);
  });
});
