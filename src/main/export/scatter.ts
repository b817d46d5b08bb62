/**
 * Rows that arrive in the order of the set, put in rank order. Reading rows one by one through a rank costs a page
 * each; reading them in order and sorting what comes out costs a third of it (docs/performance.md). Records go to
 * buckets by rank; each bucket is small enough to be put in order in memory.
 */
import { release } from './release.ts';
import type { Spill } from './spill.ts';

const BUCKET_BYTES = 12 * 1024 * 1024;
const BUFFERS_BYTES = 24 * 1024 * 1024;
/** Before each record in the working file: its rank, its length. */
export const LEAD = 8;
/** Top bit of a length: the record is XML already. */
export const READY = 0x8000_0000;

/** Records of rows that follow each other in the set. */
export interface Records {
  /** Position of the first. */
  first: number;
  lengths: readonly number[];
  /** They are XML already. */
  ready: boolean;
}

export interface Scatter {
  /** Positions in rank order; all that there are, in any number of parts. */
  order(positions: Uint32Array): void;
  /** `bytes`: of the records, one after another. Those that come before the whole order wait in the working file. */
  add(records: Records, bytes: Uint8Array): void;
  /** Every record that was added and has a rank, in buckets of ranks that follow each other; nothing is added any more. */
  end(): Bucket[];
}

/** Records of a run of ranks, where they lie in the working file. */
export interface Bucket {
  first: number;
  ranks: number;
  extents: { at: number; length: number }[];
  bytes: number;
}

interface Waiting extends Records {
  at: number;
  bytes: number;
}
/** Of the records that wait, so many chunks are taken with each that comes: nobody is kept waiting for all of them. */
const CATCH_UP = 3;

interface Filling extends Bucket {
  buffer: DataView;
  room: Uint8Array;
  filled: number;
}

/** `rows` of the set, `ranks` of the order, `width` of a record on average, in bytes. */
export function createScatter(spill: Spill, rows: number, ranks: number, width: number): Scatter {
  const rankOf = new Int32Array(rows).fill(-1);
  let next = 0;
  const perBucket = Math.max(64, Math.ceil(BUCKET_BYTES / (width + LEAD)));
  const count = Math.max(1, Math.ceil(ranks / perBucket));
  const room = Math.min(256 * 1024, Math.max(4096, Math.floor(BUFFERS_BYTES / count)));
  const buckets = Array.from({ length: count }, (_, index): Filling => {
    const bytes = new Uint8Array(room);
    const first = index * perBucket;
    return {
      first,
      ranks: Math.min(perBucket, ranks - first),
      extents: [],
      bytes: 0,
      buffer: new DataView(bytes.buffer),
      room: bytes,
      filled: 0,
    };
  });
  const store = (bucket: Bucket, bytes: Uint8Array) => {
    bucket.extents.push({ at: spill.bytes, length: bytes.length });
    bucket.bytes += bytes.length;
    spill.append(bytes);
  };
  const flush = (bucket: Filling) => {
    if (bucket.filled === 0) return;
    store(bucket, bucket.room.subarray(0, bucket.filled));
    bucket.filled = 0;
  };

  const put = ({ first, lengths, ready }: Records, bytes: Uint8Array) => {
    const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let from = 0;
    for (const [index, length] of lengths.entries()) {
      place(rankOf[first + index] ?? -1, source, from, length, ready);
      from += length;
    }
  };
  const place = (rank: number, source: Buffer, from: number, length: number, ready: boolean) => {
    if (rank < 0) return;
    const bucket = buckets[Math.floor(rank / perBucket)]!;
    const size = length + LEAD;
    if (bucket.filled + size > room) flush(bucket);
    let { room: bytes, buffer } = bucket;
    let at = bucket.filled;
    if (size > room) {
      bytes = new Uint8Array(size);
      buffer = new DataView(bytes.buffer);
      at = 0;
    } else bucket.filled += size;
    buffer.setUint32(at, rank);
    buffer.setUint32(at + 4, ready ? length + READY : length);
    // No view per row: that would cost more than the copy.
    source.copy(bytes, at + LEAD, from, from + length);
    if (size > room) store(bucket, bytes);
  };
  const waiting: Waiting[] = [];
  const catchUp = (most: number) => {
    for (const records of waiting.splice(0, most)) {
      const bytes = spill.read(records.at, records.bytes);
      put(records, bytes);
      release(bytes);
    }
  };

  return {
    order(positions) {
      for (const position of positions) {
        if (position < rows) rankOf[position] = next;
        next++;
      }
    },
    add(records, bytes) {
      if (next < ranks) {
        waiting.push({ ...records, at: spill.bytes, bytes: bytes.length });
        spill.append(bytes);
        return;
      }
      put(records, bytes);
      catchUp(CATCH_UP);
    },
    end() {
      catchUp(waiting.length);
      return buckets.splice(0).map((bucket) => {
        flush(bucket);
        const { first, ranks, extents, bytes } = bucket;
        return { first, ranks, extents, bytes };
      });
    },
  };
}
