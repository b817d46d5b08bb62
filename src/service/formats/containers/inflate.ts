/** Deflated bytes, unpacked up to the byte at which they are damaged. */
import { createGunzip, createInflateRaw, type createZstdDecompress } from 'node:zlib';

/** Packed bytes unpacked in one step; an error loses the output of the step. */
const STEP = 16 * 1024;
const CHUNK = 256 * 1024;

type Create = typeof createGunzip | typeof createInflateRaw | typeof createZstdDecompress;

/** The bytes in steps, whose length may depend on their position. */
async function* steps(
  pieces: AsyncIterable<Buffer>,
  lengthAt: (index: number) => number,
): AsyncGenerator<Buffer> {
  let start = 0;
  for await (const piece of pieces) {
    for (let offset = 0; offset < piece.length; ) {
      const end = offset + lengthAt(start + offset);
      yield piece.subarray(offset, end);
      offset = end;
    }
    start += piece.length;
  }
}

/** Unpacks step by step: a stream would discard its output when it meets damage. */
export async function* unpacked(packed: AsyncIterable<Buffer>, create: Create): AsyncGenerator<Uint8Array> {
  const unpacker = create({ chunkSize: CHUNK });
  const ready: Buffer[] = [];
  unpacker.on('data', (piece: Buffer) => ready.push(piece));
  unpacker.on('error', () => undefined);
  // Listeners are added per step: a permanent wait for an error would grow with the steps.
  const until = (event: 'end' | null, begin: (callback: () => void) => void) =>
    new Promise<void>((resolve) => {
      const finish = () => {
        unpacker.off('error', finish);
        if (event !== null) unpacker.off(event, finish);
        resolve();
      };
      unpacker.on('error', finish);
      if (event !== null) unpacker.on(event, finish);
      begin(finish);
    });
  try {
    for await (const piece of packed) {
      await until(null, (callback) => unpacker.write(piece, callback));
      yield* ready.splice(0);
      if (unpacker.errored !== null) throw unpacker.errored;
      // The stream has ended, before bytes that do not belong to it.
      if (unpacker.readableEnded || unpacker.destroyed) return;
    }
    await until('end', () => unpacker.end());
    yield* ready.splice(0);
    if (unpacker.errored !== null) throw unpacker.errored;
  } finally {
    unpacker.on('error', () => {}).destroy();
  }
}

/** Throws at the end, after all available bytes. `packed` is called again for damaged bytes. */
async function* salvaged(packed: () => AsyncIterable<Buffer>, create: Create): AsyncGenerator<Uint8Array> {
  let reached = 0;
  let yielded = 0;
  const long = steps(packed(), (position) => {
    reached = position;
    return STEP;
  });
  try {
    for await (const piece of unpacked(long, create)) {
      yielded += piece.length;
      yield piece;
    }
  } catch {
    // Runs again, with the failing step byte by byte; it fails again.
    const short = steps(packed(), (position) =>
      position < reached ? Math.min(STEP, reached - position) : 1,
    );
    let skip = yielded;
    for await (const piece of unpacked(short, create)) {
      if (piece.length > skip) yield piece.subarray(skip);
      skip = Math.max(0, skip - piece.length);
    }
  }
}

/** The content of a gzip. Throws at the end of a damaged one. */
export const gunzipped = (packed: () => AsyncIterable<Buffer>) => salvaged(packed, createGunzip);

/** The content of deflated bytes, ignoring anything after them. Throws at the end of damaged ones. */
export const inflated = (packed: () => AsyncIterable<Buffer>) => salvaged(packed, createInflateRaw);
