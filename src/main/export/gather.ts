/**
 * The buckets of scatter.ts back into rows, in rank order: in the writer itself, or in a thread beside it where there are
 * several, so that one is put in order while the one before is hashed and written.
 */
import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import { release } from './release.ts';
import { type Bucket, LEAD, READY } from './scatter.ts';
import { readSpill, type SpillShare } from './spill.ts';

/** Rows in rank order, in bytes of the caller's own; all of them are ready, or none is. */
export interface Batch {
  bytes: Uint8Array;
  rows: number;
  ready: boolean;
}

const BATCH_BYTES = 1024 * 1024;

// Not `& ~READY`: bits are signed in JavaScript.
const lengthAt = (view: DataView, at: number): number => view.getUint32(at + 4) % READY;

/** The rows of one bucket. */
export function* gather(share: SpillShare, bucket: Bucket): Generator<Batch> {
  const all = Buffer.allocUnsafeSlow(bucket.bytes);
  let at = 0;
  for (const extent of bucket.extents) {
    const piece = readSpill(share, extent.at, extent.length);
    all.set(piece, at);
    release(piece);
    at += extent.length;
  }
  const view = new DataView(all.buffer);
  const places = new Int32Array(bucket.ranks).fill(-1);
  for (at = 0; at < all.length; at += LEAD + lengthAt(view, at))
    places[view.getUint32(at) - bucket.first] = at;

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
