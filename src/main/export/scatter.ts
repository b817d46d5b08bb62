/**
 * Rows that arrive in the order of the set, put in rank order. Reading rows one by one through a rank costs a page
 * each; reading them in order and sorting what comes out costs a third of it (docs/performance.md). Records go to
 * buckets by rank; each bucket is small enough to be put in order in memory.
 */
import { release } from './release.ts';
import type { Spill } from './spill.ts';

const BUCKET_BYTES = 12 * 1024 * 1024;
const BUFFERS_BYTES = 24 * 1024 * 1024;
const LEAD = 8;
/** Top bit of a length: the record is XML already. */
const READY = 0x8000_0000;

export interface Scatter {
  /** Positions in rank order. */
  order(positions: Uint32Array): void;
  /** A record of the row at a position; rows without a rank are left out. */
  add(pos: number, source: Buffer, from: number, length: number, ready: boolean): void;
  /** Every record in rank order, many at a time, in bytes of the caller's own; those of a batch are all ready, or none is. */
  drain(): Generator<Batch>;
}

export interface Batch {
  bytes: Uint8Array;
  rows: number;
  ready: boolean;
}

const BATCH_BYTES = 1024 * 1024;

interface Bucket {
  buffer: DataView;
  bytes: Uint8Array;
  filled: number;
  extents: { at: number; length: number }[];
  stored: number;
}

/** `rows` of the set, `ranks` of the order, `width` of a record on average, in bytes. */
export function createScatter(spill: Spill, rows: number, ranks: number, width: number): Scatter {
  const rankOf = new Int32Array(rows).fill(-1);
  let next = 0;
  const perBucket = Math.max(64, Math.ceil(BUCKET_BYTES / (width + LEAD)));
  const count = Math.max(1, Math.ceil(ranks / perBucket));
  const room = Math.min(256 * 1024, Math.max(4096, Math.floor(BUFFERS_BYTES / count)));
  const buckets = Array.from({ length: count }, (): Bucket => {
    const bytes = new Uint8Array(room);
    return { bytes, buffer: new DataView(bytes.buffer), filled: 0, extents: [], stored: 0 };
  });
  const flush = (bucket: Bucket) => {
    if (bucket.filled === 0) return;
    store(bucket, bucket.bytes.subarray(0, bucket.filled));
    bucket.filled = 0;
  };
  const store = (bucket: Bucket, bytes: Uint8Array) => {
    bucket.extents.push({ at: spill.bytes, length: bytes.length });
    bucket.stored += bytes.length;
    spill.append(bytes);
  };

  return {
    order(positions) {
      for (const position of positions) {
        if (position < rows) rankOf[position] = next;
        next++;
      }
    },
    add(pos, source, from, length, ready) {
      const rank = rankOf[pos] ?? -1;
      if (rank < 0) return;
      const bucket = buckets[Math.floor(rank / perBucket)]!;
      const size = length + LEAD;
      if (bucket.filled + size > room) flush(bucket);
      let { bytes, buffer } = bucket;
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
    },
    *drain() {
      let bytes = new Uint8Array(BATCH_BYTES);
      let filled = 0;
      let rows = 0;
      let ready = false;
      const take = (): Batch => {
        const batch = { bytes: bytes.subarray(0, filled), rows, ready };
        bytes = new Uint8Array(BATCH_BYTES);
        filled = 0;
        rows = 0;
        return batch;
      };
      for (const [index, bucket] of buckets.entries()) {
        flush(bucket);
        const all = Buffer.allocUnsafeSlow(bucket.stored);
        let at = 0;
        for (const extent of bucket.extents) {
          const piece = spill.read(extent.at, extent.length);
          all.set(piece, at);
          release(piece);
          at += extent.length;
        }
        bucket.extents = [];
        const view = new DataView(all.buffer);
        const first = index * perBucket;
        const places = new Int32Array(Math.min(perBucket, ranks - first)).fill(-1);
        for (at = 0; at < all.length; at += LEAD + lengthAt(view, at))
          places[view.getUint32(at) - first] = at;
        for (const place of places) {
          if (place < 0) throw new Error('a row of the order did not arrive');
          const length = lengthAt(view, place);
          const isReady = view.getUint32(place + 4) >= READY;
          if (rows > 0 && (isReady !== ready || filled + length > bytes.length)) yield take();
          if (length > bytes.length) bytes = new Uint8Array(length);
          ready = isReady;
          all.copy(bytes, filled, place + LEAD, place + LEAD + length);
          filled += length;
          rows++;
        }
        release(all);
      }
      if (rows > 0) yield take();
    },
  };
}

// Not `& ~READY`: bits are signed in JavaScript.
const lengthAt = (view: DataView, at: number): number => view.getUint32(at + 4) % READY;
