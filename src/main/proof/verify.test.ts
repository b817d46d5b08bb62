import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sealedManifest } from '../files/manifest.ts';
import type { Context } from '../kernel/context.ts';
import { createGrants } from '../kernel/grants.ts';
import { createProofHandlers } from './handlers.ts';

let folder: string;
let outcome: Record<string, unknown> | null;
const context = { signal: new AbortController().signal };
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parapet-verify-'));
  outcome = null;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const CSV = '"entity_id","subject"\r\n"e-1","one, ""two"""\r\n"e-2","line\r\nbreak"\r\n"e-3",""\r\n';
const digest = (bytes: Uint8Array) => ({
  bytes: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
});
const exported = (text: string, change: object = {}) => ({
  kind: 'parapet-export-manifest',
  version: 3,
  file: 'x.csv',
  format: 'csv',
  ...digest(Buffer.from(text)),
  content: null,
  rows: 3,
  header: ['entity_id', 'subject'],
  first_entity_id: 'e-1',
  last_entity_id: 'e-3',
  partial_record: false,
  completeness: 'complete',
  why: null,
  columns: [{ id: 'entity_id' }, { id: 'subject' }],
  ...change,
});
const write = (name: string, content: string | Uint8Array | object) =>
  writeFileSync(
    join(folder, name),
    typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content),
  );

async function verify(name: string, change: { manifest?: string; jobId?: string; password?: string } = {}) {
  const grants = createGrants();
  const grant = (file: string) => grants.issue({ path: join(folder, file), name: file }).grantId;
  const handlers = createProofHandlers({
    grants,
    ports: { paths: { profile: folder } },
    jobs: { list: () => [{ id: 'j', outcome }] },
  } as unknown as Context);
  const { manifest, ...rest } = change;
  return handlers['files.verify'](
    {
      grantId: grant(name),
      ...rest,
      ...(manifest === undefined ? {} : { manifestGrantId: grant(manifest) }),
    },
    context,
  );
}
const failures = async (...words: Parameters<typeof verify>) =>
  (await verify(...words)).lines.filter(({ holds }) => holds === false).map(({ text }) => text);

describe('a file compared with its manifest', () => {
  it('matches in every point', async () => {
    write('x.csv', CSV);
    write('x.csv.manifest.json', exported(CSV));
    const verdict = await verify('x.csv');
    expect(verdict).toMatchObject({ file: 'x.csv', holds: true });
    expect(verdict.lines.map(({ text }) => text.split(':')[0])).toEqual([
      'Size',
      'SHA-256',
      'Rows',
      'Header',
      'First entity ID',
      'Last entity ID',
      'The manifest says that the file has every row of its query.',
    ]);
  });

  it('says which points do not match', async () => {
    write('x.csv', CSV.replace('e-1', 'e-9'));
    write('x.csv.manifest.json', exported(CSV));
    expect((await failures('x.csv')).map((text) => text.split(':')[0])).toEqual([
      'SHA-256',
      'First entity ID',
    ]);
    // A file that was written wrongly: the header is last, but every byte is there.
    const [header, ...rows] = CSV.split(/(?<=\r\n)(?="e)/);
    const turned = [...rows, header].join('');
    write('x.csv', turned);
    write('x.csv.manifest.json', exported(turned));
    expect((await failures('x.csv')).map((text) => text.split(':')[0])).toEqual([
      'Header',
      'First entity ID',
      'Last entity ID',
    ]);
    write('x.csv', CSV.slice(0, -3));
    write('x.csv.manifest.json', exported(CSV));
    expect((await failures('x.csv')).at(-1)).toBe('The file ends in the middle of a record.');
  });

  it.each<[string, object, string]>([
    ['Size', { bytes: CSV.length + 1 }, `${CSV.length + 1} bytes`],
    ['SHA-256', { sha256: '0'.repeat(64) }, '0000'],
    ['Rows', { rows: 4 }, '4'],
    ['Header', { header: ['entity_id', 'sender'] }, 'different'],
    ['First entity ID', { first_entity_id: 'e-0' }, 'e-0'],
    ['Last entity ID', { last_entity_id: 'e-4' }, 'e-4'],
  ])('fails because of its %s alone', async (point, change, message) => {
    write('x.csv', CSV);
    write('x.csv.manifest.json', exported(CSV, change));
    expect((await verify('x.csv')).holds).toBe(false);
    const failed = await failures('x.csv');
    expect(failed).toHaveLength(1);
    expect(failed[0]?.split(':')[0]).toBe(point);
    expect(failed[0]).toContain(message);
  });

  it.each([
    ['an incomplete fetch', { rows_fetched: 300, total_announced: 300_000 }, '300 of 300,000'],
    ['rows that were not fetched', { rows_fetched: 2, total_announced: 2 }, '3 rows'],
    ['rows that are left out', { scope: 'everything', rows_fetched: 4, total_announced: 4 }, '3 of the 4'],
    ['a record that says PARTIAL', { partial_record: true, rows: 2, last_entity_id: 'e-2' }, 'PARTIAL'],
    ['a column that the header lacks', { columns: [{ id: 'entity_id' }] }, '1 columns'],
    ['sheets of a text', { sheets: 2 }, '2 sheets'],
  ])('fails if the manifest says complete beside %s', async (_, change, words) => {
    write('x.csv', CSV);
    write('x.csv.manifest.json', exported(CSV, change));
    expect((await verify('x.csv')).holds).toBe(false);
    const failed = await failures('x.csv');
    expect(failed).toEqual([expect.stringContaining('The manifest contradicts itself')]);
    expect(failed[0]).toContain(words);
  });

  it.each([
    ['negative rows', { rows: -3 }],
    ['half a row', { rows: 2.5 }],
    ['negative bytes', { bytes: -1 }],
    ['no version', { version: undefined }],
    ['a version in words', { version: 'three' }],
  ])('is not compared with a manifest of %s', async (_, change) => {
    write('x.csv', CSV);
    write('x.csv.manifest.json', exported(CSV, change));
    await expect(verify('x.csv')).rejects.toMatchObject({
      code: 'bad-file',
      message: expect.stringContaining('is not a manifest of Parapet'),
    });
  });

  it.each([
    ['export', exported(CSV, { version: 4 })],
    ['file', { ...exported(CSV), kind: 'parapet-file-manifest', version: 2 }],
    ['sealed zip', { ...sealedManifest('x.csv', digest(Buffer.from(CSV))), version: 2 }],
  ])('is not compared with a newer manifest of an %s, whose meaning is not known', async (_, manifest) => {
    write('x.csv', CSV);
    write('x.csv.manifest.json', manifest);
    await expect(verify('x.csv')).rejects.toMatchObject({
      code: 'bad-file',
      message: expect.stringContaining('newer one'),
    });
  });

  it('that is PARTIAL is reported as such, its last record not counted as a row', async () => {
    const text = `${CSV}"PARTIAL: 3 of 9",\r\n`;
    write('x.csv', text);
    write(
      'x.csv.manifest.json',
      exported(text, { partial_record: true, completeness: 'PARTIAL', why: '3 of 9.' }),
    );
    const verdict = await verify('x.csv');
    expect(verdict.holds).toBe(true);
    expect(verdict.lines.at(-1)).toEqual({ holds: null, text: 'The manifest says PARTIAL: 3 of 9.' });
  });

  it('can be checked against another manifest, or the one that a job kept', async () => {
    write('y.csv', CSV);
    write('other.json', exported(CSV));
    const verdict = await verify('y.csv', { manifest: 'other.json' });
    expect(verdict.holds).toBe(true);
    expect(verdict.lines.map(({ text }) => text)).toContain(
      'The manifest was written for a file named x.csv.',
    );
    outcome = { manifest: exported(CSV) };
    expect((await verify('y.csv', { jobId: 'j' })).holds).toBe(true);
    await expect(verify('y.csv', { jobId: 'gone' })).rejects.toMatchObject({ code: 'not-found' });
  });

  it('has to exist, and its manifest must be a manifest', async () => {
    write('y.csv', CSV);
    await expect(verify('y.csv')).rejects.toMatchObject({ code: 'bad-file' });
    write('y.csv.manifest.json', '{"kind":"something"}');
    await expect(verify('y.csv')).rejects.toMatchObject({ code: 'bad-file' });
    await expect(verify('gone.csv')).rejects.toMatchObject({ code: 'path-missing' });
  });

  it('inside a sealed zip needs its password', async () => {
    const zip = new ZipWriter(new Uint8ArrayWriter(), {
      useWebWorkers: false,
      password: 'x',
      encryptionStrength: 3,
    });
    await zip.add('x.csv', new Uint8ArrayReader(Buffer.from(CSV)));
    await zip.add('x.csv.manifest.json', new Uint8ArrayReader(Buffer.from(JSON.stringify(exported(CSV)))));
    const bytes = await zip.close();
    write('x.zip', bytes);
    write('x.zip.manifest.json', sealedManifest('x.zip', digest(bytes)));
    expect(readFileSync(join(folder, 'x.zip.manifest.json'), 'utf8')).not.toContain('e-1');
    const outside = await verify('x.zip');
    expect(outside.holds).toBe(true);
    expect(outside.lines.at(-1)?.text).toContain('needs the password');
    const inside = await verify('x.zip', { password: 'x' });
    expect(inside.holds).toBe(true);
    expect(inside.lines.map(({ text }) => text)).toContain('Rows: 3, as the manifest says.');
    expect((await verify('x.zip', { password: 'wrong' })).holds).toBe(false);
  });
});
