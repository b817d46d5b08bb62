/**
 * Partitions rows that arrive in set order, so that each partition can be sorted in memory (merge.ts). Reading rows one
 * by one through a sort index costs a page each; reading them sequentially and sorting the output costs a third of that
 * (docs/adr/0028-measured.md).
 */

import type { Spill } from '../../files/spill-file.ts';
import { release } from '../../kernel/release.ts';
import type { SetRecord } from '../../results/record.ts';
import type { ByKeys, BySortIndex, OrderPart, SortLists } from '../protocol.ts';
import { compare, copyKey, type Keys, keysOf, numberKeys, partitionFinder, ROW_INDEX_BYTES } from './keys.ts';

const PARTITION_BYTES = 12 * 1024 * 1024;
const BUFFERS_BYTES = 24 * 1024 * 1024;
/** Header before each record in the spill file: the lengths of the record and of its key, which both follow. */
export const RECORD_HEADER = 8;
/** Top bit of a record's length: the record is rendered as XML already. */
export const RENDERED = 0x8000_0000;

/** Average bytes per row. */
export const bytesPerRow = ({ bytes, loaded }: SetRecord): number => Math.ceil(bytes / Math.max(1, loaded));

const rowsPerPartition = (width: number): number =>
  Math.max(64, Math.ceil(PARTITION_BYTES / (width + RECORD_HEADER)));
export const partitionsFor = (rows: number, width: number): number =>
  Math.max(1, Math.ceil(rows / rowsPerPartition(width)));

/** Records of consecutive rows of the set. */
interface Records {
  /** Row index of the first. */
  first: number;
  lengths: readonly number[];
  /** Rendered as XML already. */
  rendered: boolean;
}

export interface Partitioner {
  order(part: OrderPart): void;
  /**
   * `bytes` are the records, concatenated; `lists` are their sort values. Records that arrive before the order is
   * complete wait in the spill file.
   */
  add(records: Records, bytes: Uint8Array, lists: SortLists): void;
  /** With sort keys: row indexes of the first and last row, tracked while rows are added. */
  ends(): { first: number; last: number } | null;
  /** The partitions in order, with every record that belongs to the order. Nothing may be added afterwards. */
  end(): Partition[];
}

/** A partition, and where its records are in the spill file. */
export interface Partition {
  rows: number;
  /** No record spans two extents. */
  extents: { offset: number; length: number }[];
  keyBytes: number;
}

interface Filling extends Partition {
  buffer: DataView;
  room: Uint8Array;
  filled: number;
}

interface Partitions {
  /** Adds records with their keys; a record with an empty key is not part of the order and is dropped. */
  put(records: Records, bytes: Uint8Array, keys: Keys): void;
  end(): Partition[];
}

/** The partitions between these splitters. */
function createPartitions(spill: Spill, splitters: readonly Uint8Array[]): Partitions {
  const find = partitionFinder(splitters);
  const count = splitters.length + 1;
  const room = Math.min(256 * 1024, Math.max(4096, Math.floor(BUFFERS_BYTES / count)));
  const partitions = Array.from({ length: count }, (): Filling => {
    const bytes = new Uint8Array(room);
    return { rows: 0, extents: [], keyBytes: 0, buffer: new DataView(bytes.buffer), room: bytes, filled: 0 };
  });
  const store = (partition: Partition, bytes: Uint8Array) => {
    partition.extents.push({ offset: spill.bytes, length: bytes.length });
    spill.append(bytes);
  };
  const flush = (partition: Filling) => {
    if (partition.filled === 0) return;
    store(partition, partition.room.subarray(0, partition.filled));
    partition.filled = 0;
  };
  return {
    put({ lengths, rendered }, bytes, keys) {
      const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      let from = 0;
      let begin = 0;
      for (let row = 0; row < lengths.length; row++) {
        const length = lengths[row]!;
        const end = keys.ends[row]!;
        if (end > begin) {
          const partition = partitions[find(keys.bytes, begin, end)]!;
          const size = RECORD_HEADER + end - begin + length;
          if (partition.filled + size > room) flush(partition);
          let { room: target, buffer, filled: offset } = partition;
          if (size > room) {
            target = new Uint8Array(size);
            buffer = new DataView(target.buffer);
            offset = 0;
          } else partition.filled += size;
          partition.rows++;
          partition.keyBytes += end - begin;
          buffer.setUint32(offset, rendered ? length + RENDERED : length);
          buffer.setUint32(offset + 4, end - begin);
          const to = copyKey(target, offset + RECORD_HEADER, keys.bytes, begin, end);
          // A Buffer view per row would cost more than the copy.
          source.copy(target, to, from, from + length);
          if (size > room) store(partition, target);
        }
        from += length;
        begin = end;
      }
    },
    end: () =>
      partitions.splice(0).map((partition) => {
        flush(partition);
        const { rows, extents, keyBytes } = partition;
        return { rows, extents, keyBytes };
      }),
  };
}

/** Tracks the smallest and the largest key; a key ends with its row index. */
function trackEnds() {
  let least: Uint8Array | null = null;
  let most: Uint8Array | null = null;
  const rowIndexOf = (key: Uint8Array) => new DataView(key.buffer).getUint32(key.length - ROW_INDEX_BYTES);
  return {
    add({ bytes, ends }: Keys) {
      let from = 0;
      for (const end of ends) {
        if (least === null || compare(bytes, from, end, least, 0, least.length) < 0)
          least = Uint8Array.from(bytes.subarray(from, end));
        if (most === null || compare(bytes, from, end, most, 0, most.length) > 0)
          most = Uint8Array.from(bytes.subarray(from, end));
        from = end;
      }
    },
    rowIndexes: () =>
      least === null || most === null ? null : { first: rowIndexOf(least), last: rowIndexOf(most) },
  };
}

function byKeys(spill: Spill, { descending }: ByKeys): Partitioner {
  let partitions = createPartitions(spill, []);
  const ends = trackEnds();
  return {
    order(part) {
      if ('splitters' in part) partitions = createPartitions(spill, part.splitters);
    },
    add(records, bytes, lists) {
      const rowIndexes = new Uint32Array(records.lengths.length);
      for (let row = 0; row < rowIndexes.length; row++) rowIndexes[row] = records.first + row;
      const keys = keysOf(lists, descending, rowIndexes);
      ends.add(keys);
      partitions.put(records, bytes, keys);
      release(keys.bytes);
    },
    ends: ends.rowIndexes,
    end: () => partitions.end(),
  };
}

interface WaitingRecords extends Records {
  offset: number;
  bytes: number;
}
/** Waiting chunks processed with each new one, so that no single `add` has to process them all. */
const CATCH_UP = 3;

function bySortIndex(spill: Spill, { rows, bytesPerRow: width }: BySortIndex, ranks: number): Partitioner {
  const step = rowsPerPartition(width);
  const splitters = Array.from(
    { length: partitionsFor(ranks, width) - 1 },
    (_, index) => numberKeys([(index + 1) * step]).bytes,
  );
  const partitions = createPartitions(spill, splitters);
  const rankOf = new Int32Array(rows).fill(-1);
  let next = 0;
  const assign = (records: Records, bytes: Uint8Array) => {
    const { first, lengths } = records;
    partitions.put(records, bytes, numberKeys(rankOf.subarray(first, first + lengths.length)));
  };
  const waiting: WaitingRecords[] = [];
  const catchUp = (most: number) => {
    for (const records of waiting.splice(0, most)) {
      const bytes = spill.read(records.offset, records.bytes);
      assign(records, bytes);
      release(bytes);
    }
  };
  return {
    order(part) {
      if (!('rowIndexes' in part)) return;
      const { rowIndexes: positions } = part;
      for (const position of positions) {
        if (position < rows) rankOf[position] = next;
        next++;
      }
    },
    add(records, bytes) {
      if (next < ranks) {
        waiting.push({ ...records, offset: spill.bytes, bytes: bytes.length });
        spill.append(bytes);
        return;
      }
      assign(records, bytes);
      catchUp(CATCH_UP);
    },
    ends: () => null,
    end() {
      catchUp(waiting.length);
      return partitions.end();
    },
  };
}

/** `rows` is the number of rows in the order. */
export const createPartitioner = (spill: Spill, by: BySortIndex | ByKeys, rows: number): Partitioner =>
  by.by === 'keys' ? byKeys(spill, by) : bySortIndex(spill, by, rows);
