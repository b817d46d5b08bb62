/** Contents of the matched files of the demo tenant: harmless text of the right size, with correct hashes. */
import { createHash } from 'node:crypto';
import type { MatchedFile } from '../store/mail-source.ts';
import type { FileRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { hashOf, random } from './prng.ts';

const LINES = 16;

/** Deterministic for name and size. */
function standIn(name: string, size: number): Buffer {
  const head = Buffer.from(`Demo tenant: this stands for "${name}". It is plain text and harmless.\r\n`);
  const rng = random(`stand-in/${name}/${size}`);
  // A short repeating pattern: hashing takes the time, not generating.
  const pattern = Array.from({ length: LINES }, () => `${rng.hex(70)}\r\n`).join('');
  const body = Buffer.alloc(Math.max(0, size), pattern, 'latin1');
  head.copy(body);
  return body;
}

const existingHashes = new Map<string, { md5: string; sha1: string; sha256: string }>();

/** Lowercase hex hashes of the generated content. */
export function standInHashes(name: string, size: number): { md5: string; sha1: string; sha256: string } {
  const key = `${size}/${name}`;
  let hashes = existingHashes.get(key);
  if (!hashes) {
    const bytes = standIn(name, size);
    const hash = (kind: string) => createHash(kind).update(bytes).digest('hex');
    hashes = { md5: hash('md5'), sha1: hash('sha1'), sha256: hash('sha256') };
    existingHashes.set(key, hashes);
  }
  return hashes;
}

const MOST_BYTES = 400_000;

/** Matched files can be downloaded: they get small sizes and the hashes of real bytes. */
export function matchedFiles(records: FileRecord[]): FileRecord[] {
  return records.map((record) => {
    if (record.verdict !== 'found') return record;
    const size = (record.size % MOST_BYTES) + 200;
    return { ...record, size, ...standInHashes(record.title, size) };
  });
}

const TRIES_OF_A_SLOW_ARCHIVE = 3;
const tries = new WeakMap<Store, Map<string, number>>();

/** Some files are only available at the third request, as from a slow archive, and some never, to test the console. */
function probe(store: Store, id: string): ReturnType<MatchedFile['probe']> {
  const kind = (hashOf(`${id}/archive`) >>> 0) % 7;
  if (kind === 3) return 'gone';
  if (kind !== 5) return 'ready';
  const counts = tries.get(store) ?? new Map<string, number>();
  tries.set(store, counts);
  const count = (counts.get(id) ?? 0) + 1;
  counts.set(id, count);
  return count >= TRIES_OF_A_SLOW_ARCHIVE ? 'ready' : 'not-yet';
}

export async function matchedFile(store: Store, id: string): Promise<MatchedFile | null> {
  const file = await store.files.find(id);
  const attachment = file ? null : (await store.mails.attachment(id))?.row;
  const match = file
    ? { name: file.title, row: file, matched: file.verdict === 'found' && file.is_deleted === 0 }
    : attachment
      ? { name: attachment.name, row: attachment, matched: attachment.verdict_code === 'malw' }
      : null;
  if (!match) return null;
  const { name, row, matched } = match;
  const size = row.size ?? 0;
  return {
    id,
    name,
    size,
    sha256: row.sha256,
    matched,
    bytes: async () => standIn(name, size),
    probe: () => probe(store, id),
  };
}
