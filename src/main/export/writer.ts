/** Turns rows into a finished file. Runs in its own thread; tests call it directly. */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { worded } from '#shared/model/cell-text.ts';
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
import { type Batch, mergeInThread, mergePartition } from './sort/merge.ts';
import { createPartitioner, type Partition } from './sort/partition.ts';

/** AES-256 in zip.js. */
const STRENGTH = 3;
/** From this many partitions on, a helper thread is worth its start. */
const HELP_FROM = 4;

export interface Writer {
  order(part: OrderPart): void;
  chunk(message: Omit<Extract<ToWriter, { type: 'chunk' }>, 'type'>): Promise<void>;
  rows(message: Omit<Extract<ToWriter, { type: 'rows' }>, 'type'>): Promise<void>;
  /** `merged` is progress, in rows sorted and written. */
  end(merged: (rows: number) => void): Promise<Written>;
  /** What the finished file was read back as, still under its temporary name. */
  close(manifest: { name: string; bytes: Uint8Array } | null): Promise<Closed>;
}

interface Packaging {
  out: ByteOut;
  finish(): Promise<void>;
  add(name: string, bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** Without a zip. */
const unzipped = (out: ByteOut): Packaging => ({
  out,
  finish: async () => undefined,
  add: async () => undefined,
  close: async () => undefined,
});

/** The content as an entry of a zip, with or without a password. */
async function zipped(
  spec: WriterData,
  zip: NonNullable<WriterData['zip']>,
  out: ByteOut,
): Promise<Packaging> {
  const { Uint8ArrayReader, ZipWriter } = await zipLibrary();
  const spill = openSpill(spec.scratch);
  const archive = new ZipWriter(zipInto(out), {
    useWebWorkers: false,
    ...(zip.password === null ? {} : { password: zip.password, encryptionStrength: STRENGTH }),
  });
  // A workbook is a zip itself, so deflating it again gains nothing. It still takes deflate's form: programs that read a
  // zip as it arrives (Java's ZipInputStream) refuse a stored entry whose size comes after it.
  const deflater = createDeflater(spill, spec.format === 'xlsx' ? { level: 0 } : {});
  return {
    out: deflater,
    async finish() {
      await addSpilled(archive, zip.entry, await deflater.end());
      spill.close();
    },
    add: async (name, bytes) => void (await archive.add(name, new Uint8ArrayReader(bytes))),
    close: async () => void (await archive.close()),
  };
}

/** Counts and checksums the bytes written to the file, to compare with those read back. */
function counting(next: ByteOut, hashed: boolean) {
  // The SHA-256 is needed before the file is read back only for the manifest inside a zip; it costs twice as much as
  // everything else here.
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

function openPartitioner(scratch: string, by: NonNullable<WriterData['sort']>, rows: number) {
  const spill = openSpill(scratch);
  return { spill, partitioner: createPartitioner(spill, by, rows) };
}

function* mergeHere(share: SpillShare, partitions: readonly Partition[]): Generator<Batch> {
  for (const bucket of partitions) yield* mergePartition(share, bucket);
}

/** `entry` is the module to start the helper thread from; without it, everything runs in this thread. */
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
  const wrapped = spec.zip === null ? unzipped(file) : await zipped(spec, spec.zip, file);
  const counted = counting(wrapped.out, spec.zip !== null);
  const content = createContent(spec, counted.out);
  const sorting = spec.sort === null ? null : openPartitioner(spec.scratch, spec.sort, spec.rows);
  await content.begin();
  let written: Written | null = null;
  const values = (raw: readonly SqlValue[]): Cell[] => {
    const decoded = decodeRow(spec.stored, raw);
    // A decoded row starts with the entity id.
    return spec.columns.map(({ index, words }) => {
      const value = decoded[index + 1] ?? null;
      return words === undefined ? value : worded(value, words);
    });
  };
  const isXlsx = spec.format === 'xlsx';
  return {
    order: (part) => sorting?.partitioner.order(part),
    async chunk({ from, count, bytes, lengths, keys }) {
      if (sorting === null) await content.records(bytes, 0, bytes.length, count, false);
      else {
        const each = JSON.parse(`[${lengths ?? ''}]`) as number[];
        if (each.length !== count) throw new Error('rows of the result have gaps between them');
        sorting.partitioner.add({ first: from, lengths: each, rendered: false }, bytes, keys);
      }
      release(bytes);
    },
    async rows({ from, rows, keys }) {
      const records = rows.map((raw) => content.render(values(raw)));
      if (sorting === null)
        for (const record of records) await content.records(record, 0, record.length, 1, isXlsx);
      else {
        const lengths = records.map(({ length }) => length);
        sorting.partitioner.add({ first: from, lengths, rendered: isXlsx }, Buffer.concat(records), keys);
      }
    },
    async end(merged) {
      const ends = sorting?.partitioner.ends() ?? null;
      if (sorting !== null) {
        const { spill, partitioner } = sorting;
        const partitions = partitioner.end();
        const arrived = partitions.reduce((sum, { rows }) => sum + rows, 0);
        if (arrived !== spec.rows) throw new Error('a row of the order did not arrive');
        const batches =
          entry === undefined || partitions.length < HELP_FROM
            ? mergeHere(spill.share, partitions)
            : mergeInThread(entry, spill.share, partitions);
        let total = 0;
        for await (const { bytes, rows, rendered } of batches) {
          await content.records(bytes, 0, bytes.length, rows, rendered);
          release(bytes);
          total += rows;
          merged(total);
        }
        spill.close();
      }
      const { cut, sheets } = await content.end();
      written = { ...counted.end(), cut, sheets, ends };
      await wrapped.finish();
      return written;
    },
    async close(manifest) {
      if (manifest !== null) await wrapped.add(manifest.name, manifest.bytes);
      await wrapped.close();
      const result = await file.close();
      const content = result.inside ?? result;
      const whole = content.bytes === written?.bytes && content.crc32 === written.crc32;
      return { found: result, whole };
    },
  };
}
