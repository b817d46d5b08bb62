/**
 * Merges the partitions of partition.ts: each is read, sorted in memory and emitted. Runs in the writer, or, with
 * several partitions, in a helper thread that sorts one while the writer hashes and writes the one before.
 */
import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import { readSpill, type SpillShare } from '../../files/spill-file.ts';
import { release } from '../../kernel/release.ts';
import { copyKey, type Keys, sortedOrder } from './keys.ts';
import { type Partition, RECORD_HEADER, RENDERED } from './partition.ts';

/** Sorted rows in a buffer of their own; `ready` holds for all of them or for none. */
export interface Batch {
  bytes: Uint8Array;
  rows: number;
  rendered: boolean;
}

const BATCH_BYTES = 1024 * 1024;

/** The rows of a partition as they were added: all keys together, the records in the pieces they were read in. */
interface PartitionRows {
  keys: Keys;
  pieces: Buffer[];
  pieceOf: Uint32Array;
  offsets: Uint32Array;
  /** Includes the flag of rendered records. */
  lengths: Uint32Array;
}

function readPartition(share: SpillShare, { rows, keyBytes, extents }: Partition): PartitionRows {
  const read: PartitionRows = {
    keys: { bytes: Buffer.allocUnsafeSlow(keyBytes), ends: new Uint32Array(rows) },
    pieces: [],
    pieceOf: new Uint32Array(rows),
    offsets: new Uint32Array(rows),
    lengths: new Uint32Array(rows),
  };
  let row = 0;
  for (const { offset, length } of extents) row = readPiece(read, readSpill(share, offset, length), row);
  return read;
}

/** Adds the rows of a piece, numbered from `first`; returns the next row number. */
function readPiece(
  { keys, pieces, pieceOf, offsets, lengths }: PartitionRows,
  piece: Buffer,
  first: number,
): number {
  const index = pieces.push(piece) - 1;
  const view = new DataView(piece.buffer, piece.byteOffset, piece.length);
  let filled = first === 0 ? 0 : keys.ends[first - 1]!;
  let row = first;
  for (let position = 0; position < piece.length; row++) {
    const length = view.getUint32(position);
    const end = position + RECORD_HEADER + view.getUint32(position + 4);
    filled = copyKey(keys.bytes, filled, piece, position + RECORD_HEADER, end);
    keys.ends[row] = filled;
    pieceOf[row] = index;
    offsets[row] = end;
    lengths[row] = length;
    // Not `& ~flag`: bitwise operators are signed in JavaScript.
    position = end + (length % RENDERED);
  }
  return row;
}

/** The rows of one partition in order. */
export function* mergePartition(share: SpillShare, partition: Partition): Generator<Batch> {
  const { keys, pieces, pieceOf, offsets, lengths } = readPartition(share, partition);
  let bytes = Buffer.allocUnsafeSlow(BATCH_BYTES);
  let filled = 0;
  let rows = 0;
  let rendered = false;
  const take = (): Batch => {
    const batch = { bytes: bytes.subarray(0, filled), rows, rendered };
    bytes = Buffer.allocUnsafeSlow(BATCH_BYTES);
    filled = 0;
    rows = 0;
    return batch;
  };
  const order = sortedOrder(keys);
  for (let index = 0; index < order.length; index++) {
    const row = order[index]!;
    const length = lengths[row]! % RENDERED;
    const isRendered = lengths[row]! >= RENDERED;
    if (rows > 0 && (isRendered !== rendered || filled + length > bytes.length)) yield take();
    if (length > bytes.length) bytes = Buffer.allocUnsafeSlow(length);
    rendered = isRendered;
    const from = offsets[row]!;
    pieces[pieceOf[row]!]!.copy(bytes, filled, from, from + length);
    filled += length;
    rows++;
  }
  for (const piece of pieces) release(piece);
  if (rows > 0) yield take();
}

/** `workerData` of the helper thread. */
export interface MergeData {
  merge: SpillShare;
}

export type FromMerge = { type: 'batch'; batch: Batch } | { type: 'over' };

/** Partitions in progress: one being written, one being sorted. */
const AHEAD = 2;

/** The rows of all partitions, sorted in a thread of `entry`. Rejects with that thread's error. */
export async function* mergeInThread(
  entry: URL,
  share: SpillShare,
  partitions: readonly Partition[],
): AsyncGenerator<Batch> {
  const worker = new Worker(entry, {
    workerData: { merge: share } satisfies MergeData,
    name: 'export-merge',
    resourceLimits: { maxYoungGenerationSizeMb: 4 },
  });
  try {
    const messages = on(worker, 'message', { close: ['exit'] });
    let sent = 0;
    const ask = () => {
      if (sent < partitions.length) worker.postMessage(partitions[sent++]);
    };
    for (let n = 0; n < AHEAD; n++) ask();
    let over = 0;
    for await (const [message] of messages as AsyncIterable<[FromMerge]>) {
      if (message.type === 'batch') {
        yield message.batch;
        continue;
      }
      ask();
      over++;
      if (over === partitions.length) return;
    }
    throw new Error('the thread that sorts rows ended before they were sorted');
  } finally {
    await worker.terminate();
  }
}
