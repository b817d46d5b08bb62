import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGrants } from '../core/grants.ts';
import { createFilesHandlers } from './handlers.ts';

let dir = '';
const context = { signal: new AbortController().signal };
beforeEach(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'parapet-files-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function setUp(name = 'map.svg') {
  const grants = createGrants();
  let told = 0;
  const { grantId } = grants.issue({ path: path.join(dir, name), name, finished: () => (told += 1) });
  return { files: createFilesHandlers({ grants }), grantId, told: () => told };
}

describe('files of the window', () => {
  it('have their name when they are whole', async () => {
    const { files, grantId, told } = setUp();
    const { fileId } = await files['files.open']({ grantId }, context);
    await files['files.append']({ fileId, chunk: { text: '<svg>é' } }, context);
    await files['files.append'](
      { fileId, chunk: { base64: Buffer.from([1, 255]).toString('base64') } },
      context,
    );
    expect(readdirSync(dir)).toEqual(['map.svg.part']);
    const written = await files['files.finish']({ fileId }, context);
    const bytes = readFileSync(path.join(dir, 'map.svg'));
    expect(bytes).toEqual(Buffer.concat([Buffer.from('<svg>é'), Buffer.from([1, 255])]));
    expect(written).toEqual({
      name: 'map.svg',
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    });
    expect([readdirSync(dir), told()]).toEqual([['map.svg'], 1]);
    await expect(files['files.finish']({ fileId }, context)).rejects.toMatchObject({ code: 'not-found' });
  });

  it('leave nothing when they are discarded', async () => {
    const { files, grantId, told } = setUp();
    const { fileId } = await files['files.open']({ grantId }, context);
    await files['files.discard']({ fileId }, context);
    await expect(files['files.append']({ fileId, chunk: { text: 'x' } }, context)).rejects.toMatchObject({
      code: 'not-found',
    });
    expect([readdirSync(dir), told()]).toEqual([[], 0]);
  });

  it('need a file that was chosen, once', async () => {
    const { files, grantId } = setUp();
    await files['files.open']({ grantId }, context);
    await expect(files['files.open']({ grantId }, context)).rejects.toMatchObject({ code: 'not-allowed' });
  });

  it('say in words what the file system refuses', async () => {
    const { files, grantId } = setUp('gone/map.svg');
    await expect(files['files.open']({ grantId }, context)).rejects.toMatchObject({ code: 'path-missing' });
    const again = setUp();
    mkdirSync(path.join(dir, 'map.svg'));
    const { fileId } = await again.files['files.open']({ grantId: again.grantId }, context);
    await expect(again.files['files.finish']({ fileId }, context)).rejects.toMatchObject({
      code: 'path-missing',
    });
    expect(readdirSync(dir)).toEqual(['map.svg']);
  });

  it('do not pile up when windows close on them', async () => {
    const grants = createGrants();
    const files = createFilesHandlers({ grants });
    for (let number = 0; number < 12; number += 1) {
      const name = `${number}.csv`;
      const { grantId } = grants.issue({ path: path.join(dir, name), name });
      await files['files.open']({ grantId }, context);
    }
    expect(readdirSync(dir)).toHaveLength(8);
  });
});
