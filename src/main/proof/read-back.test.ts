import { crc32, deflateRawSync } from 'node:zlib';
import { Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js';
import { describe, expect, it } from 'vitest';
import { mountDisk, unmountDisk } from '#tests/support/small-disk.ts';
import { SpillFailure } from '../files/spill-file.ts';
import { readBack, type Source } from './read-back.ts';
import { MalformedFile } from './scan.ts';

const CSV = Buffer.from(`"a"\r\n${'"1"\r\n'.repeat(200_000)}`);

/** A zip with these deflated bytes as its CSV entry. */
async function zipOf(deflated: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const writer = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false });
  await writer.add('x.csv', new Blob([deflated]).stream(), {
    passThrough: 'compressed',
    compressionMethod: 8,
    uncompressedSize: CSV.length,
    crc32: crc32(CSV),
  });
  return writer.close();
}
const source = (bytes: Uint8Array): Source => ({
  size: bytes.length,
  read: (offset, length) => Uint8Array.from(bytes.subarray(offset, offset + length)),
});
const readEntry = (bytes: Uint8Array) =>
  readBack(source(bytes), { format: 'csv', zip: true, password: null, id: null, scratch: '' });

describe('a deflated entry', () => {
  const whole = Uint8Array.from(deflateRawSync(CSV, { level: 0 }));

  it('is read to its end, over many pieces', async () => {
    expect(whole.length).toBeGreaterThan(3 * 256 * 1024);
    expect((await readEntry(await zipOf(whole))).inside).toMatchObject({
      bytes: CSV.length,
      crc32: crc32(CSV),
      scanned: { records: 200_000 },
    });
  });

  it.each([1, 100, 300_000])('is torn if %i bytes follow its end', async (more) => {
    const longer = Uint8Array.from([...whole, ...new Uint8Array(more)]);
    await expect(readEntry(await zipOf(longer))).rejects.toThrow(MalformedFile);
  });

  it.each([1, 5, 300_000])('is torn if %i bytes are missing from its end', async (less) => {
    await expect(readEntry(await zipOf(whole.slice(0, -less)))).rejects.toThrow(MalformedFile);
  });

  it('is torn if one of its bytes differs, or if it does not begin where the zip says', async () => {
    const zip = await zipOf(whole);
    for (const offset of [0, 26, 1_000, 400_000]) {
      const other = Uint8Array.from(zip);
      other[offset]! ^= 0xff;
      await expect(readEntry(other)).rejects.toThrow(MalformedFile);
    }
  });
});

describe('a disk that fails while a sound file is read back', () => {
  const eio = Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO', syscall: 'read' });

  it('does not make the file damaged, at any read', async () => {
    const bytes = await zipOf(Uint8Array.from(deflateRawSync(CSV, { level: 0 })));
    let reads = 0;
    const failingAt = (turn: number): Source => ({
      size: bytes.length,
      read: (position, length) => {
        reads++;
        if (reads === turn) throw eio;
        return source(bytes).read(position, length);
      },
    });
    const read = (turn: number) => {
      reads = 0;
      return readBack(failingAt(turn), { format: 'csv', zip: true, password: null, id: null, scratch: '' });
    };
    await read(0);
    for (let turn = reads; turn > 0; turn--) await expect(read(turn)).rejects.toBe(eio);
  });

  it('nor does one without room for the working file', async ({ skip }) => {
    const disk = mountDisk(64 * 1024);
    if (disk === null) return skip();
    try {
      const zip = await zipOf(Uint8Array.from(deflateRawSync(CSV, { level: 0 })));
      const how = { format: 'xlsx', zip: true, password: null, id: null, scratch: disk } as const;
      await expect(readBack(source(zip), how)).rejects.toBeInstanceOf(SpillFailure);
    } finally {
      unmountDisk(disk);
    }
  });
});
