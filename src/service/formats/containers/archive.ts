/** The entries of a zip, a tar or a compressed file: names and bytes, unpacked while reading. Nothing is written to disk. */
import type { FileEntry } from '@zip.js/zip.js';
import { type ByteSource, piecesOf } from '../files/bytes.ts';
import { labelOf } from '../files/paths.ts';
import { UnknownMethodError } from '../files/unknown-method.ts';
import { type Compression, decompressed, nameInside } from './compressions.ts';
import { CUT_METHODS, cutZipFiles } from './cut-zip.ts';
import { tarFiles } from './tar.ts';

/** An Outlook store counts as one: each of its messages is a file in it. */
export type ArchiveKind = 'zip' | 'tar' | Compression;

/** Limits against archive bombs. */
export interface ArchiveLimits {
  entries: number;
  /** Total unpacked bytes of one file. */
  bytes: number;
  /** Maximum ratio of unpacked to packed size, beyond `free` bytes. */
  ratio: number;
  free: number;
  /** Nesting of archives around a mail. */
  levels: number;
  /** Unpacked bytes of a mailbox in it that are held in memory; a larger message in one is unpacked twice. */
  window: number;
  /** Bytes of a zip in another archive, which is held in memory because it is read from its end. */
  inner: number;
  /** Other entries listed by name; further ones are counted. */
  listed: number;
}

export const ARCHIVE_LIMITS: ArchiveLimits = {
  entries: 500_000,
  bytes: 256 * 1024 ** 3,
  ratio: 300,
  free: 64 * 1024 * 1024,
  levels: 2,
  window: 64 * 1024 * 1024,
  inner: 128 * 1024 * 1024,
  listed: 1_000,
};

/** A limit of the archive is reached: nothing more of it is read. The message gives the reason. */
export class ArchiveLimitError extends Error {
  override readonly name = 'ArchiveLimitError';
}

/** Counts what one file unpacks to, archives in it included. Its methods throw ArchiveLimitError. */
export class Budget {
  readonly limits: ArchiveLimits;
  readonly #packed: number;
  #entries = 0;
  #bytes = 0;

  /** `packed` is the size of the file. */
  constructor(packed: number, limits: ArchiveLimits) {
    this.#packed = packed;
    this.limits = limits;
  }

  entry(): void {
    this.#entries += 1;
    if (this.#entries > this.limits.entries)
      throw new ArchiveLimitError(`it holds more than ${this.limits.entries} files; the rest is not read`);
  }

  bytes(more: number): void {
    this.#bytes += more;
    const { bytes, ratio, free } = this.limits;
    if (this.#bytes > bytes)
      throw new ArchiveLimitError(`it unpacks to more than ${bytes} bytes; the rest is not read`);
    if (this.#bytes > free && this.#bytes > ratio * this.#packed)
      throw new ArchiveLimitError(
        `it unpacks to more than ${ratio} times its size, as a zip bomb does; the rest is not read`,
      );
  }
}

export interface ArchiveEntry {
  /** A label from `labelOf`, unique in its archive; no part is `..` or empty. */
  name: string;
  encrypted: boolean;
  /** Its declared unpacked size. */
  size?: number;
  /** After it was read: parts of it are missing or changed. */
  isDamaged?(): boolean;
  /** Cheapest if called in the order of the archive; each call gives all bytes. Errors are thrown by the iteration. */
  open(): AsyncIterable<Uint8Array>;
}

const ZIPPED = { useWebWorkers: false, checkSignature: true } as const;
/** Stored, deflated and Deflate64. */
const METHODS: ReadonlySet<number> = new Set([0, 8, 9]);
const MAX_NAME = 1_000;

/** Makes names unique and keeps them inside the archive. */
export class Names {
  readonly #names = new Set<string>();
  /** The number of the last copy of a name. */
  readonly #copies = new Map<string, number>();

  of(raw: Uint8Array): string {
    // A character has at most four bytes.
    const parts = labelOf(Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.byteLength, 4 * MAX_NAME)))
      .replace(/\p{Cc}/gu, (sign) => `\\x${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
      .slice(0, MAX_NAME)
      .split(/\/|\\(?!x[0-9A-F]{2})/)
      .filter((part) => part !== '' && part !== '.')
      .map((part) => (part === '..' ? '\\x2E\\x2E' : part));
    const name = parts.join('/') || 'unnamed';
    let unique = name;
    for (let copy = this.#copies.get(name) ?? 1; this.#names.has(unique); this.#copies.set(name, copy)) {
      copy += 1;
      unique = `${name}#${copy}`;
    }
    this.#names.add(unique);
    return unique;
  }
}

const unknownMethod = (method: number): string =>
  `it is compressed by a method that is not read here (${method}): unpack it first`;

/** For bytes that this service cannot read. */
const refused = (reason: string): AsyncIterable<never> => ({
  [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new UnknownMethodError(reason)) }),
});

async function* unzipped(entry: FileEntry): AsyncGenerator<Uint8Array> {
  const method = entry.compressionMethod;
  if (!entry.encrypted && !METHODS.has(method)) throw new UnknownMethodError(unknownMethod(method));
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  let failure: unknown = null;
  const written = entry.getData(writable, ZIPPED).catch(async (error: unknown) => {
    failure = error;
    // A method that zip.js does not know is refused before the stream is touched.
    await writable.abort(error).catch(() => undefined);
  });
  yield* readable;
  await written;
  if (failure !== null) throw failure;
}

async function* zipEntries(
  source: ByteSource,
  size: number,
  signal?: AbortSignal,
): AsyncGenerator<ArchiveEntry> {
  const { Reader, WARNING_TRAILING_CENTRAL_DIRECTORY_DATA, ZipReader } = await import('@zip.js/zip.js');
  class FromSource extends Reader<ByteSource> {
    override size = size;
    override readUint8Array = async (position: number, length: number) => {
      const bytes = new Uint8Array(length);
      const { bytesRead } = await source.read(Buffer.from(bytes.buffer), 0, length, position);
      return bytes.subarray(0, bytesRead);
    };
  }
  const names = new Names();
  // Accepts path traversal in names and bytes after the end, which would otherwise hide every mail; nothing is written.
  const zip = new ZipReader(new FromSource(source), { strictness: 'tolerant' });
  let listed = 0;
  try {
    for await (const entry of zip.getEntriesGenerator()) {
      listed += 1;
      if (entry.directory) continue;
      yield {
        name: names.of(entry.rawFilename),
        encrypted: entry.encrypted,
        size: entry.uncompressedSize,
        open: () => unzipped(entry),
      };
    }
    // Other programs go on where the number of files at its end stops.
    if (zip.warnings?.some(({ reason }) => reason === WARNING_TRAILING_CENTRAL_DIRECTORY_DATA))
      throw new Error('its list of files is longer than its end says');
  } catch (error) {
    signal?.throwIfAborted();
    // Without the directory at the end, each file still has its own header.
    if (listed === 0)
      for await (const { name, encrypted, method, open } of cutZipFiles(source, size, signal))
        yield {
          name: names.of(name),
          encrypted,
          open: CUT_METHODS.has(method) ? open : () => refused(unknownMethod(method)),
        };
    throw error;
  } finally {
    await zip.close();
  }
}

const SPARSE = 'it is stored without its zeros, which is not read here: unpack it first';

async function* tarEntries(source: ByteSource, signal?: AbortSignal): AsyncGenerator<ArchiveEntry> {
  const names = new Names();
  for await (const { name, size, isSparse, open } of tarFiles(source, signal))
    yield {
      name: names.of(name),
      encrypted: false,
      size,
      open: isSparse ? () => refused(SPARSE) : open,
    };
}

/** The file in a compressed one, named after it. */
async function* compressedEntry(
  kind: Compression,
  source: ByteSource,
  name: string,
  signal?: AbortSignal,
): AsyncGenerator<ArchiveEntry> {
  const innerName = nameInside(kind, name.split('/').at(-1) ?? '');
  const open = () => decompressed(kind, () => piecesOf(source, signal));
  yield { name: innerName || 'unnamed', encrypted: false, open };
}

/** The files in an archive. Throws, in words, if it is not one or is damaged; entries before that are complete. */
export function archiveEntries(
  kind: ArchiveKind,
  archive: { source: ByteSource; size: number; name: string },
  signal?: AbortSignal,
): AsyncGenerator<ArchiveEntry> {
  const { source, size, name } = archive;
  if (kind === 'zip') return zipEntries(source, size, signal);
  return kind === 'tar' ? tarEntries(source, signal) : compressedEntry(kind, source, name, signal);
}
