/**
 * Checks a write-ahead log without SQLite, which takes the first invalid frame for the end and silently drops
 * everything after it.
 */

const MAGIC = 0x377f0682;
const HEADER = 32;
const FRAME_HEADER = 24;
const VERSION = 3_007_000;
/** 64 GB of pages, far more than any workspace. */
const PAGES_MAX = 0xff_ffff;

/** SQLite's checksum, continued from `seed`; the magic number gives the byte order of the words. */
function checksum(bytes: Buffer, littleEndian: boolean, seed: readonly [number, number]): [number, number] {
  let [a, b] = seed;
  for (let offset = 0; offset + 8 <= bytes.length; offset += 8) {
    const x = littleEndian ? bytes.readUInt32LE(offset) : bytes.readUInt32BE(offset);
    const y = littleEndian ? bytes.readUInt32LE(offset + 4) : bytes.readUInt32BE(offset + 4);
    a = (a + x + b) >>> 0;
    b = (b + y + a) >>> 0;
  }
  return [a, b];
}

const sumAt = (bytes: Buffer, offset: number): [number, number] => [
  bytes.readUInt32BE(offset),
  bytes.readUInt32BE(offset + 4),
];
const same = (a: readonly [number, number], b: readonly [number, number]) => a[0] === b[0] && a[1] === b[1];

/**
 * Null if every frame is valid, apart from a last uncommitted change. Otherwise the log with corrected checksums, so
 * that SQLite reads past the damage: damaged pages still fail their own authentication.
 */
export function repairedLog(log: Buffer, pageSize: number): Buffer | null {
  const size = FRAME_HEADER + pageSize;
  if (log.length < HEADER + size) return null;
  const littleEndian = (log.readUInt32BE(0) & 1) === 0;
  const headerFits =
    (log.readUInt32BE(0) & ~1) >>> 0 === MAGIC &&
    log.readUInt32BE(4) === VERSION &&
    log.readUInt32BE(8) === pageSize &&
    same(checksum(log.subarray(0, 24), littleEndian, [0, 0]), sumAt(log, 24));
  const header = Buffer.from(log.subarray(0, HEADER));
  if (!headerFits) {
    header.writeUInt32BE(MAGIC, 0);
    header.writeUInt32BE(VERSION, 4);
    header.writeUInt32BE(pageSize, 8);
    // Every frame repeats the two salts of its log.
    log.copy(header, 16, HEADER + 8, HEADER + 16);
    const [a, b] = checksum(header.subarray(0, 24), true, [0, 0]);
    header.writeUInt32BE(a, 24);
    header.writeUInt32BE(b, 28);
  }
  const little = headerFits ? littleEndian : true;
  const salts = sumAt(header, 16);
  const ofThisLog = (position: number) => {
    const [a, b] = sumAt(log, position + 8);
    return a === salts[0] || b === salts[1];
  };
  /** The running checksum before the next frame: in the file, and in the repaired log. */
  let read = sumAt(header, 24);
  let written = sumAt(header, 24);
  let damaged = !headerFits;
  let ended = false;
  const frames: Buffer[] = [];
  for (let offset = HEADER; offset + size <= log.length; offset += size) {
    // Remains of an older log, or never written.
    if (!ofThisLog(offset)) {
      ended = true;
      continue;
    }
    const frame = Buffer.from(log.subarray(offset, offset + size));
    const content = frame.subarray(FRAME_HEADER);
    read = checksum(content, little, checksum(frame.subarray(0, 8), little, read));
    // A log is written from its start, so a valid frame after an invalid one means that the latter was damaged.
    damaged ||= ended || !same(salts, sumAt(frame, 8)) || !same(read, sumAt(frame, 16));
    const page = frame.readUInt32BE(0);
    const pages = frame.readUInt32BE(4);
    // A frame with a damaged header cannot be assigned to a page.
    if (page === 0 || page > PAGES_MAX || pages > PAGES_MAX) continue;
    header.copy(frame, 8, 16, 24);
    written = checksum(content, little, checksum(frame.subarray(0, 8), little, written));
    frame.writeUInt32BE(written[0], 16);
    frame.writeUInt32BE(written[1], 20);
    frames.push(frame);
  }
  return damaged ? Buffer.concat([header, ...frames]) : null;
}
