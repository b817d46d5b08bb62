/** Everything that writes an export: rows in, a whole file out. Runs in a thread of its own; tests run it as it is. */
import { crc32 } from 'node:zlib';
import type { Cell } from '#shared/model/entities.ts';
import { decodeRow } from '../results/encode.ts';
import type { SqlValue } from '../store/database.ts';
import { addSpilled, createContent, zipInto, zipLibrary } from './content.ts';
import { createDeflater } from './deflate.ts';
import { type ByteOut, type Digest, type FileCalls, hashing, openFileOut } from './file-out.ts';
import { type Batch, gather, gatherBeside } from './gather.ts';
import type { OrderPart, ToWriter, WriterData } from './protocol.ts';
import { release } from './release.ts';
import { type Bucket, createScatter } from './scatter.ts';
import { openSpill, type SpillShare } from './spill.ts';

/** AES-256. */
const STRENGTH = 3;
/** Buckets from which another thread is worth its start. */
const HELP_FROM = 4;

export interface Writer {
  order(part: OrderPart): void;
  chunk(message: Omit<Extract<ToWriter, { type: 'chunk' }>, 'type'>): Promise<void>;
  rows(message: Omit<Extract<ToWriter, { type: 'rows' }>, 'type'>): Promise<void>;
  /** `merged`: rows put in order and written so far. */
  end(merged: (rows: number) => void): Promise<Digest & { cut: number; sheets: number }>;
  close(manifest: { name: string; bytes: Uint8Array } | null): Promise<Digest>;
}

interface Package {
  out: ByteOut;
  finish(content: Digest): Promise<void>;
  add(name: string, bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** The file is the content itself. */
const bare = (out: ByteOut): Package => ({
  out,
  finish: async () => undefined,
  add: async () => undefined,
  close: async () => undefined,
});

/** The content is an entry of a zip, with a password or without. */
async function zipped(spec: WriterData, zip: NonNullable<WriterData['zip']>, out: ByteOut): Promise<Package> {
  const { Uint8ArrayReader, ZipWriter } = await zipLibrary();
  const spill = openSpill(spec.scratch);
  const archive = new ZipWriter(zipInto(out), {
    useWebWorkers: false,
    ...(zip.password === null ? {} : { password: zip.password, encryptionStrength: STRENGTH }),
  });
  // A workbook is deflated already.
  const stored = spec.format === 'xlsx';
  const deflater = createDeflater(spill);
  let crc = 0;
  return {
    out: stored
      ? {
          write(bytes) {
            crc = crc32(bytes, crc);
            spill.append(bytes);
          },
        }
      : deflater,
    async finish({ bytes }) {
      const entry = stored ? { spill, size: bytes, crc } : await deflater.end();
      await addSpilled(archive, zip.entry, entry, !stored);
      spill.close();
    },
    add: async (name, bytes) => void (await archive.add(name, new Uint8ArrayReader(bytes))),
    close: async () => void (await archive.close()),
  };
}

function openScattered(scratch: string, by: NonNullable<WriterData['scatter']>, rows: number) {
  const spill = openSpill(scratch);
  return { spill, scatter: createScatter(spill, by, rows) };
}

function* gatherHere(share: SpillShare, buckets: readonly Bucket[]): Generator<Batch> {
  for (const bucket of buckets) yield* gather(share, bucket);
}

/** `entry`: the module of a thread that may help; none: everything is done in this one. */
export async function createWriter(
  spec: WriterData,
  { calls, entry }: { calls?: FileCalls; entry?: URL } = {},
): Promise<Writer> {
  const file = openFileOut(spec.part, calls);
  const wrapped = spec.zip === null ? bare(file) : await zipped(spec, spec.zip, file);
  // A file that is the content itself is hashed as it is written.
  const counted = spec.zip === null ? null : hashing(wrapped.out);
  const content = createContent(spec, counted ?? wrapped.out);
  const scattered = spec.scatter === null ? null : openScattered(spec.scratch, spec.scatter, spec.rows);
  await content.begin();
  const values = (raw: readonly SqlValue[]): Cell[] => {
    const decoded = decodeRow(spec.stored, raw);
    // The entity id leads the decoded row.
    return spec.columns.map(({ index }) => decoded[index + 1] ?? null);
  };
  const isXlsx = spec.format === 'xlsx';
  return {
    order: (part) => scattered?.scatter.order(part),
    async chunk({ from, count, bytes, lengths, keys }) {
      if (scattered === null) await content.records(bytes, 0, bytes.length, count, false);
      else {
        const each = JSON.parse(`[${lengths ?? ''}]`) as number[];
        if (each.length !== count) throw new Error('rows of the result have gaps between them');
        scattered.scatter.add({ first: from, lengths: each, ready: false }, bytes, keys);
      }
      release(bytes);
    },
    async rows({ from, rows, keys }) {
      const records = rows.map((raw) => content.render(values(raw)));
      if (scattered === null)
        for (const record of records) await content.records(record, 0, record.length, 1, isXlsx);
      else {
        const lengths = records.map(({ length }) => length);
        scattered.scatter.add({ first: from, lengths, ready: isXlsx }, Buffer.concat(records), keys);
      }
    },
    async end(merged) {
      if (scattered !== null) {
        const { spill, scatter } = scattered;
        const buckets = scatter.end();
        const arrived = buckets.reduce((sum, { rows }) => sum + rows, 0);
        if (arrived !== spec.rows) throw new Error('a row of the order did not arrive');
        const batches =
          entry === undefined || buckets.length < HELP_FROM
            ? gatherHere(spill.share, buckets)
            : gatherBeside(entry, spill.share, buckets);
        let done = 0;
        for await (const { bytes, rows, ready } of batches) {
          await content.records(bytes, 0, bytes.length, rows, ready);
          release(bytes);
          done += rows;
          merged(done);
        }
        spill.close();
      }
      const { cut, sheets } = await content.end();
      const digest = counted?.digest() ?? { bytes: 0, sha256: '' };
      await wrapped.finish(digest);
      return { ...digest, cut, sheets };
    },
    async close(manifest) {
      if (manifest !== null) await wrapped.add(manifest.name, manifest.bytes);
      await wrapped.close();
      return file.close();
    },
  };
}
