/** Contents of the files that tools matched in the demo tenant: harmless text of the right size, with true hashes. */
import { createHash } from 'node:crypto';
import type { FileRecord } from '../store/records.ts';
import { random } from './prng.ts';

const LINES = 16;

/** Always the same bytes for the same name and size. */
export function standIn(name: string, size: number): Buffer {
  const head = Buffer.from(`Demo tenant: this stands for "${name}". It is plain text and harmless.\r\n`);
  const rng = random(`stand-in/${name}/${size}`);
  // A short pattern over and over: hashing is what takes time, not making.
  const pattern = Array.from({ length: LINES }, () => `${rng.hex(70)}\r\n`).join('');
  const body = Buffer.alloc(Math.max(0, size), pattern, 'latin1');
  head.copy(body);
  return body;
}

const known = new Map<string, { md5: string; sha1: string; sha256: string }>();

/** Lowercase hex hashes of the stand-in. */
export function standInHashes(name: string, size: number): { md5: string; sha1: string; sha256: string } {
  const key = `${size}/${name}`;
  let hashes = known.get(key);
  if (!hashes) {
    const bytes = standIn(name, size);
    const hash = (kind: string) => createHash(kind).update(bytes).digest('hex');
    hashes = { md5: hash('md5'), sha1: hash('sha1'), sha256: hash('sha256') };
    known.set(key, hashes);
  }
  return hashes;
}

const MOST_BYTES = 400_000;

/** Files that a tool matched can be downloaded: they get sizes that are quickly made, and the hashes of real bytes. */
export function matchedFiles(records: FileRecord[]): FileRecord[] {
  return records.map((record) => {
    if (record.verdict !== 'found') return record;
    const size = (record.size % MOST_BYTES) + 200;
    return { ...record, size, ...standInHashes(record.title, size) };
  });
}
