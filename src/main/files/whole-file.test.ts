import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { manifestBytes, sealedManifest } from './manifest.ts';
import { type Naming, newPart } from './temp-file.ts';
import { clearPart, commitWithManifest, sha256Of, writeFileWhole } from './whole-file.ts';

const CONTENT = Buffer.from('a,b\n1,2\n');
let folder: string;
let file: string;
/** A complete manifest that does not have its final name yet. */
let part: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-whole-file-'));
  file = join(folder, 'list.csv');
  part = newPart(file);
  writeFileSync(file, CONTENT);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const manifestOf = (bytes: Uint8Array) =>
  manifestBytes(sealedManifest('list.csv', { bytes: bytes.length, sha256: sha256Of(bytes) }));
const names = () => readdirSync(folder).sort();

describe('the manifest of a killed run', () => {
  beforeEach(() => writeFileSync(part, manifestOf(CONTENT)));

  it('gets its name beside its file', async () => {
    await clearPart(part);
    expect(names()).toEqual(['list.csv', 'list.csv.manifest.json']);
    expect(JSON.parse(readFileSync(`${file}.manifest.json`, 'utf8'))).toMatchObject({
      sha256: sha256Of(CONTENT),
    });
  });

  it('replaces the manifest of an earlier file of that name', async () => {
    writeFileSync(`${file}.manifest.json`, manifestOf(Buffer.from('before')));
    await clearPart(part);
    expect(names()).toEqual(['list.csv', 'list.csv.manifest.json']);
    expect(readFileSync(`${file}.manifest.json`, 'utf8')).toContain(sha256Of(CONTENT));
  });

  it('that has its final name gets no second one', async () => {
    linkSync(part, `${file}.manifest.json`);
    await clearPart(part);
    expect(names()).toEqual(['list.csv', 'list.csv.manifest.json']);
  });

  it.each([
    ['is not a manifest', 'a note of the analyst'],
    ['is a manifest of the same file', null],
  ])('leaves an existing file alone that %s', async (_, text) => {
    const there = text ?? Buffer.from(manifestOf(CONTENT)).toString();
    writeFileSync(`${file}.manifest.json`, there);
    await clearPart(part);
    expect(readFileSync(`${file}.manifest.json`, 'utf8')).toBe(there);
    const others = names().filter((name) => name !== 'list.csv' && name !== 'list.csv.manifest.json');
    expect(others).toHaveLength(1);
    expect(readFileSync(join(folder, others[0]!), 'utf8')).toContain(sha256Of(CONTENT));
  });

  it.each([
    ['changed', () => writeFileSync(file, 'a,b\n1,3\n')],
    ['gone', () => rmSync(file)],
  ])('is removed if its file is %s', async (_, change) => {
    change();
    await clearPart(part);
    expect(existsSync(part)).toBe(false);
    expect(existsSync(`${file}.manifest.json`)).toBe(false);
  });
});

describe('a name that cannot be given', () => {
  const write = (path: string, naming: Naming = { replace: true }) =>
    commitWithManifest(
      path,
      (name) => sealedManifest(name, { bytes: CONTENT.length, sha256: sha256Of(CONTENT) }),
      naming,
      () => writeFileWhole(path, CONTENT, naming),
    );
  beforeEach(() => rmSync(file));

  it('because the manifest’s would be too long is refused before the file gets its name', async () => {
    const name = `${'n'.repeat(240)}.csv`;
    await expect(write(join(folder, name))).rejects.toMatchObject({
      code: 'bad-file',
      message: expect.stringContaining(
        `does not accept the name ${name}.manifest.json. Choose a shorter one`,
      ),
    });
    expect(names()).toEqual([]);
  });

  it.each([
    ['x'.repeat(235), null],
    ['x'.repeat(236), /does not accept the name x{236} 2\.csv\.manifest\.json\. Choose a shorter one/],
    ['x'.repeat(250), /does not accept the name x{250} 2\.csv\. Choose a shorter one/],
  ])('because the next number would make it too long is refused before: %s.csv', async (stem, message) => {
    writeFileSync(join(folder, `${stem}.csv`), 'an earlier export');
    const written = write(join(folder, `${stem}.csv`), { replace: false, number: true });
    if (message === null) await written;
    else await expect(written).rejects.toMatchObject({ code: 'bad-file', message });
    expect(names()).toHaveLength(message === null ? 3 : 1);
  });

  it('because the manifest’s is that of a folder is refused before the file gets its name', async () => {
    mkdirSync(`${file}.manifest.json`);
    await expect(write(file)).rejects.toMatchObject({
      code: 'path-missing',
      message: 'list.csv.manifest.json is a folder. Choose another name.',
    });
    expect(names()).toEqual(['list.csv.manifest.json']);
  });

  it.skipIf(process.platform === 'win32')('because it is that of a pipe leaves the pipe', async () => {
    execFileSync('mkfifo', [file]);
    await expect(write(file)).rejects.toMatchObject({
      code: 'file-exists',
      message: 'list.csv is a device or a pipe, and no file. Choose another name.',
    });
    expect(lstatSync(file).isFIFO()).toBe(true);
  });

  it('because its folder is gone says so of the file, not of its manifest', async () => {
    await expect(write(join(folder, 'gone', 'list.csv'))).rejects.toThrow(
      'The folder for list.csv is no longer',
    );
  });
});
