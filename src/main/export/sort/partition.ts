/**
 * Rows that arrive in the order of the set, put in another one. Reading rows one by one through a rank costs a page
 * each; reading them in order and sorting what comes out costs a third of it (docs/performance.md). Records go to
 * buckets by their keys (keys.ts); each bucket is small enough to be put in order in memory (gather.ts).
 */

import type { Spill } from '../../files/spill-file.ts';
import { release } from '../../kernel/release.ts';
import type { SetRecord } from '../../results/record.ts';
import type { ByKeys, ByRanks, OrderPart, SortLists } from '../protocol.ts';
import { compare, copyKey, finder, type Keys, keysOf, PLACE_BYTES, placeKeys } from './keys.ts';

const BUCKET_BYTES = 12 * 1024 * 1024;
const BUFFERS_BYTES = 24 * 1024 * 1024;
/** Before each record in the working file: its length, that of its key. Then the key, then the record. */
export const LEAD = 8;
/** Top bit of a length: the record is XML already. */
export const READY = 0x8000_0000;

/** Bytes of a row, about. */
export const widthOf = ({ bytes, loaded }: SetRecord): number => Math.ceil(bytes / Math.max(1, loaded));

const rowsPerBucket = (width: number): number => Math.max(64, Math.ceil(BUCKET_BYTES / (width + LEAD)));
export const bucketsFor = (rows: number, width: number): number =>
  Math.max(1, Math.ceil(rows / rowsPerBucket(width)));

/** Records of rows that follow each other in the set. */
interface Records {
  /** Position of the first. */
  first: number;
  lengths: readonly number[];
  /** They are XML already. */
  ready: boolean;
}

export interface Scatter {
  order(part: OrderPart): void;
  /**
   * `bytes`: of the records, one after another; `lists`: of an order by keys. Those that come before the whole order
   * wait in the working file.
   */
  add(records: Records, bytes: Uint8Array, lists: SortLists): void;
  /** Of an order by keys: where its first and last rows are in the set, found without putting any in order. */
  ends(): { first: number; last: number } | null;
  /** Every record that was added and is of the order, in buckets that follow each other; nothing is added any more. */
  end(): Bucket[];
}

/** Records of a part of the order, where they lie in the working file. */
export interface Bucket {
  rows: number;
  /** A record is within one of them. */
  extents: { at: number; length: number }[];
  keyBytes: number;
}

interface Filling extends Bucket {
  buffer: DataView;
  room: Uint8Array;
  filled: number;
}

interface Buckets {
  /** Records with their keys; one whose key is empty is left out. */
  put(records: Records, bytes: Uint8Array, keys: Keys): void;
  end(): Bucket[];
}

/** Buckets that begin at these keys, but for the first. */
function createBuckets(spill: Spill, cuts: readonly Uint8Array[]): Buckets {
  const find = finder(cuts);
  const count = cuts.length + 1;
  const room = Math.min(256 * 1024, Math.max(4096, Math.floor(BUFFERS_BYTES / count)));
  const buckets = Array.from({ length: count }, (): Filling => {
    const bytes = new Uint8Array(room);
    return { rows: 0, extents: [], keyBytes: 0, buffer: new DataView(bytes.buffer), room: bytes, filled: 0 };
  });
  const store = (bucket: Bucket, bytes: Uint8Array) => {
    bucket.extents.push({ at: spill.bytes, length: bytes.length });
    spill.append(bytes);
  };
  const flush = (bucket: Filling) => {
    if (bucket.filled === 0) return;
    store(bucket, bucket.room.subarray(0, bucket.filled));
    bucket.filled = 0;
  };
  return {
    put({ lengths, ready }, bytes, keys) {
      const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      let from = 0;
      let begin = 0;
      for (let row = 0; row < lengths.length; row++) {
        const length = lengths[row]!;
        const end = keys.ends[row]!;
        if (end > begin) {
          const bucket = buckets[find(keys.bytes, begin, end)]!;
          const size = LEAD + end - begin + length;
          if (bucket.filled + size > room) flush(bucket);
          let { room: target, buffer, filled: at } = bucket;
          if (size > room) {
            target = new Uint8Array(size);
            buffer = new DataView(target.buffer);
            at = 0;
          } else bucket.filled += size;
          bucket.rows++;
          bucket.keyBytes += end - begin;
          buffer.setUint32(at, ready ? length + READY : length);
          buffer.setUint32(at + 4, end - begin);
          const to = copyKey(target, at + LEAD, keys.bytes, begin, end);
          // No view per row: that would cost more than the copy.
          source.copy(target, to, from, from + length);
          if (size > room) store(bucket, target);
        }
        from += length;
        begin = end;
      }
    },
    end: () =>
      buckets.splice(0).map((bucket) => {
        flush(bucket);
        const { rows, extents, keyBytes } = bucket;
        return { rows, extents, keyBytes };
      }),
  };
}

/** The least and the greatest of all keys; a key ends with the place of its row. */
function createEnds() {
  let least: Uint8Array | null = null;
  let most: Uint8Array | null = null;
  const placeOf = (key: Uint8Array) => new DataView(key.buffer).getUint32(key.length - PLACE_BYTES);
  return {
    look({ bytes, ends }: Keys) {
      let from = 0;
      for (const end of ends) {
        if (least === null || compare(bytes, from, end, least, 0, least.length) < 0)
          least = Uint8Array.from(bytes.subarray(from, end));
        if (most === null || compare(bytes, from, end, most, 0, most.length) > 0)
          most = Uint8Array.from(bytes.subarray(from, end));
        from = end;
      }
    },
    places: () => (least === null || most === null ? null : { first: placeOf(least), last: placeOf(most) }),
  };
}

function byKeys(spill: Spill, { descending }: ByKeys): Scatter {
  let buckets = createBuckets(spill, []);
  const ends = createEnds();
  return {
    order(part) {
      if ('cuts' in part) buckets = createBuckets(spill, part.cuts);
    },
    add(records, bytes, lists) {
      const places = new Uint32Array(records.lengths.length);
      for (let row = 0; row < places.length; row++) places[row] = records.first + row;
      const keys = keysOf(lists, descending, places);
      ends.look(keys);
      buckets.put(records, bytes, keys);
      release(keys.bytes);
    },
    ends: ends.places,
    end: () => buckets.end(),
  };
}

interface Waiting extends Records {
  at: number;
  bytes: number;
}
/** Of the records that wait, so many chunks are taken with each that comes: nobody is kept waiting for all of them. */
const CATCH_UP = 3;

function byRanks(spill: Spill, { rows, width }: ByRanks, ranks: number): Scatter {
  const step = rowsPerBucket(width);
  const cuts = Array.from(
    { length: bucketsFor(ranks, width) - 1 },
    (_, index) => placeKeys([(index + 1) * step]).bytes,
  );
  const buckets = createBuckets(spill, cuts);
  const rankOf = new Int32Array(rows).fill(-1);
  let next = 0;
  const put = (records: Records, bytes: Uint8Array) => {
    const { first, lengths } = records;
    buckets.put(records, bytes, placeKeys(rankOf.subarray(first, first + lengths.length)));
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
    order(part) {
      if (!('positions' in part)) return;
      const { positions } = part;
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
    ends: () => null,
    end() {
      catchUp(waiting.length);
      return buckets.end();
    },
  };
}

/** `rows`: so many are of the order. */
export const createScatter = (spill: Spill, by: ByRanks | ByKeys, rows: number): Scatter =>
  by.by === 'keys' ? byKeys(spill, by) : byRanks(spill, by, rows);
