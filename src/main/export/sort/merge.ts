/**
 * The buckets of scatter.ts back into rows, in their order: in the writer itself, or in a thread beside it where there are
 * several, so that one is put in order while the one before is hashed and written.
 */
import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import { readSpill, type SpillShare } from '../../files/spill-file.ts';
import { release } from '../../kernel/release.ts';
import { copyKey, inOrder, type Keys } from './keys.ts';
import { type Bucket, LEAD, READY } from './partition.ts';

/** Rows in their order, in bytes of the caller's own; all of them are ready, or none is. */
export interface Batch {
  bytes: Uint8Array;
  rows: number;
  ready: boolean;
}

const BATCH_BYTES = 1024 * 1024;

/** Rows of a bucket as they were added: their keys together, their records in the pieces that they were read in. */
interface Read {
  keys: Keys;
  pieces: Buffer[];
  pieceOf: Uint32Array;
  places: Uint32Array;
  /** With READY. */
  lengths: Uint32Array;
}

function readBucket(share: SpillShare, { rows, keyBytes, extents }: Bucket): Read {
  const read: Read = {
    keys: { bytes: Buffer.allocUnsafeSlow(keyBytes), ends: new Uint32Array(rows) },
    pieces: [],
    pieceOf: new Uint32Array(rows),
    places: new Uint32Array(rows),
    lengths: new Uint32Array(rows),
  };
  let row = 0;
  for (const { at, length } of extents) row = readPiece(read, readSpill(share, at, length), row);
  return read;
}

/** Adds the rows of a piece, the first as `first`; answers what comes after them. */
function readPiece({ keys, pieces, pieceOf, places, lengths }: Read, piece: Buffer, first: number): number {
  const index = pieces.push(piece) - 1;
  const view = new DataView(piece.buffer, piece.byteOffset, piece.length);
  let filled = first === 0 ? 0 : keys.ends[first - 1]!;
  let row = first;
  for (let at = 0; at < piece.length; row++) {
    const length = view.getUint32(at);
    const end = at + LEAD + view.getUint32(at + 4);
    filled = copyKey(keys.bytes, filled, piece, at + LEAD, end);
    keys.ends[row] = filled;
    pieceOf[row] = index;
    places[row] = end;
    lengths[row] = length;
    // Not `& ~READY`: bits are signed in JavaScript.
    at = end + (length % READY);
  }
  return row;
}

/** The rows of one bucket. */
export function* gather(share: SpillShare, bucket: Bucket): Generator<Batch> {
  const { keys, pieces, pieceOf, places, lengths } = readBucket(share, bucket);
  let bytes = Buffer.allocUnsafeSlow(BATCH_BYTES);
  let filled = 0;
  let rows = 0;
  let ready = false;
  const take = (): Batch => {
    const batch = { bytes: bytes.subarray(0, filled), rows, ready };
    bytes = Buffer.allocUnsafeSlow(BATCH_BYTES);
    filled = 0;
    rows = 0;
    return batch;
  };
  const order = inOrder(keys);
  for (let at = 0; at < order.length; at++) {
    const row = order[at]!;
    const length = lengths[row]! % READY;
    const isReady = lengths[row]! >= READY;
    if (rows > 0 && (isReady !== ready || filled + length > bytes.length)) yield take();
    if (length > bytes.length) bytes = Buffer.allocUnsafeSlow(length);
    ready = isReady;
    const from = places[row]!;
    pieces[pieceOf[row]!]!.copy(bytes, filled, from, from + length);
    filled += length;
    rows++;
  }
  for (const piece of pieces) release(piece);
  if (rows > 0) yield take();
}

/** What the thread beside the writer is started with. */
export interface GatherData {
  gather: SpillShare;
}

export type FromGather = { type: 'batch'; batch: Batch } | { type: 'over' };

/** Buckets in work at once: one is written, one is put in order. */
const AHEAD = 2;

/** The rows of all buckets through a thread of `entry`. Rejects what that thread failed with. */
export async function* gatherBeside(
  entry: URL,
  share: SpillShare,
  buckets: readonly Bucket[],
): AsyncGenerator<Batch> {
  const worker = new Worker(entry, {
    workerData: { gather: share } satisfies GatherData,
    name: 'export-gather',
    resourceLimits: { maxYoungGenerationSizeMb: 4 },
  });
  try {
    const messages = on(worker, 'message', { close: ['exit'] });
    let asked = 0;
    const ask = () => {
      if (asked < buckets.length) worker.postMessage(buckets[asked++]);
    };
    for (let n = 0; n < AHEAD; n++) ask();
    let over = 0;
    for await (const [message] of messages as AsyncIterable<[FromGather]>) {
      if (message.type === 'batch') {
        yield message.batch;
        continue;
      }
      ask();
      over++;
      if (over === buckets.length) return;
    }
    throw new Error('the thread that puts rows in order ended before they were');
  } finally {
    await worker.terminate();
  }
}
