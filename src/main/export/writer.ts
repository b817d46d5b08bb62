/** Everything that writes an export: rows in, a whole file out. Runs in a thread of its own; tests run it as it is. */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Cell } from '#shared/model/entities.ts';
import { openSpill, type SpillShare } from '../files/spill-file.ts';
import { release } from '../kernel/release.ts';
import { createReader } from '../proof/read-back.ts';
import { decodeRow } from '../results/encode.ts';
import type { SqlValue } from '../store/database.ts';
import { addSpilled, createContent, zipInto, zipLibrary } from './content.ts';
import { createDeflater } from './deflate.ts';
import { type ByteOut, type FileCalls, openFileOut } from './file-out.ts';
import type { Closed, OrderPart, ToWriter, WriterData, Written } from './protocol.ts';
import { type Batch, gather, gatherBeside } from './sort/merge.ts';
import { type Bucket, createScatter } from './sort/partition.ts';

/** AES-256. */
const STRENGTH = 3;
/** Buckets from which another thread is worth its start. */
const HELP_FROM = 4;

export interface Writer {
  order(part: OrderPart): void;
  chunk(message: Omit<Extract<ToWriter, { type: 'chunk' }>, 'type'>): Promise<void>;
  rows(message: Omit<Extract<ToWriter, { type: 'rows' }>, 'type'>): Promise<void>;
  /** `merged`: rows put in order and written so far. */
  end(merged: (rows: number) => void): Promise<Written>;
  /** What the finished file was read back as; it has its random name still. */
  close(manifest: { name: string; bytes: Uint8Array } | null): Promise<Closed>;
}

interface Package {
  out: ByteOut;
  finish(bytes: number): Promise<void>;
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
    async finish(bytes) {
      const entry = stored ? { spill, size: bytes, crc } : await deflater.end();
      await addSpilled(archive, zip.entry, entry, !stored);
      spill.close();
    },
    add: async (name, bytes) => void (await archive.add(name, new Uint8ArrayReader(bytes))),
    close: async () => void (await archive.close()),
  };
}

/** Bytes on their way into a file: how many they are, and what they are to be when they are read back. */
function counting(next: ByteOut, hashed: boolean) {
  // Only a manifest that goes into the file needs the hash before the file is read; it costs twice what the rest does.
  const hash = hashed ? createHash('sha256') : null;
  let bytes = 0;
  let crc = 0;
  const out: ByteOut = {
    write(chunk) {
      hash?.update(chunk);
      crc = crc32(chunk, crc);
      bytes += chunk.length;
      return next.write(chunk);
    },
  };
  return { out, end: () => ({ bytes, crc32: crc, sha256: hash?.digest('hex') ?? '' }) };
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
  const reader = createReader({
    format: spec.format,
    zip: spec.zip !== null,
    password: spec.zip?.password ?? null,
    id: spec.id,
    scratch: spec.scratch,
  });
  const file = openFileOut(spec.part, reader, calls);
  const wrapped = spec.zip === null ? bare(file) : await zipped(spec, spec.zip, file);
  const counted = counting(wrapped.out, spec.zip !== null);
  const content = createContent(spec, counted.out);
  const scattered = spec.scatter === null ? null : openScattered(spec.scratch, spec.scatter, spec.rows);
  await content.begin();
  let written: Written | null = null;
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
      const ends = scattered?.scatter.ends() ?? null;
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
      written = { ...counted.end(), cut, sheets, ends };
      await wrapped.finish(written.bytes);
      return written;
    },
    async close(manifest) {
      if (manifest !== null) await wrapped.add(manifest.name, manifest.bytes);
      await wrapped.close();
      const found = await file.close();
      const content = found.inside ?? found;
      const whole = content.bytes === written?.bytes && content.crc32 === written.crc32;
      return { found, whole };
    },
  };
}
