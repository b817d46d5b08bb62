/**
 * Reads a file as its recipient would: hashes, counts and parses it. It takes every byte from the file system and
 * nothing from the writer, at constant memory for any size.
 */
import { createHash } from 'node:crypto';
import { crc32, createInflateRaw } from 'node:zlib';
import type { FileEntry } from '@zip.js/zip.js';
import type { ExportFormat } from '#shared/bridge/operations/exports.ts';
import { openSpill, SpillFailure } from '../files/spill-file.ts';
import { release } from '../kernel/release.ts';
import { createScanner, type IdColumn, MalformedFile, type Scanned } from './scan.ts';

/** Bytes with random access. */
export interface Source {
  readonly size: number;
  /** Returns a buffer of its own, shorter at the end of the file. */
  read(position: number, length: number): Uint8Array | Promise<Uint8Array>;
}

/** What is known of a file before reading it. */
export interface ReadOptions {
  /** Null if only the bytes are hashed. */
  format: ExportFormat | null;
  /** The file is a zip that contains one of that format, and a manifest. */
  zip: boolean;
  password: string | null;
  id: IdColumn;
  /** Folder in which a workbook from an encrypted zip is unpacked, encrypted with a key that stays in memory. */
  scratch: string;
}

export interface Found {
  bytes: number;
  /** Hex. */
  sha256: string;
  crc32: number;
  /** For an export that is not inside a zip. */
  scanned: Scanned | null;
  /** For a workbook. */
  sheets: string[] | null;
}

export interface FoundFile extends Found {
  inside: (Found & { file: string }) | null;
  /** The manifest inside a zip. */
  manifest: Uint8Array | null;
}

export interface Reader {
  /** A buffer for the next piece of the file, valid until it is pushed. */
  room(): Uint8Array;
  /** The next bytes of the file; the buffer may be reused afterwards. */
  push(bytes: Uint8Array): void;
  /** Called after the last byte. Rejects `Torn` for a file that is not what it should be. */
  end(file: Source): Promise<FoundFile>;
}

/** Size of the pieces in which a file is read. */
export const PIECE = 1024 * 1024;
const MANIFEST = '.manifest.json';
const MANIFEST_MAX = 64 * 1024 * 1024;
const PART_MAX = 16 * 1024 * 1024;
const DEFLATED = 8;
const INFLATED = 512 * 1024;
const RAW = 256 * 1024;

/** What an error says of the file. Failures of a disk say nothing of it, so they stay as they are. */
function malformed(error: unknown, what: string): unknown {
  const isOfDisk = error instanceof SpillFailure || (error instanceof Error && 'syscall' in error);
  if (error instanceof MalformedFile || isOfDisk) return error;
  return new MalformedFile(`${what} (${error instanceof Error ? error.message : String(error)})`);
}

async function openZip(file: Source): Promise<FileEntry[]> {
  const { Reader: ZipSource, ZipReader } = await import('@zip.js/zip.js');
  class FromSource extends ZipSource<Source> {
    override size = file.size;
    override readUint8Array = async (position: number, length: number) => {
      const { buffer, byteOffset, length: count } = await file.read(position, length);
      const bytes = new Uint8Array(buffer, byteOffset, count);
      // zip.js would take the whole underlying buffer.
      return byteOffset === 0 ? bytes : bytes.slice();
    };
  }
  try {
    const entries = await new ZipReader(new FromSource(file)).getEntries();
    return entries.filter((entry): entry is FileEntry => !entry.directory);
  } catch (error) {
    throw malformed(error, 'is not a zip that can be opened');
  }
}

/** Local file header: 30 bytes, then name and extra field of the lengths it gives (APPNOTE.TXT, 4.3.7). */
const HEADER = 30;
const HEADER_MARK = 0x04034b50;

/**
 * The raw bytes of an entry, decrypted if necessary. Unencrypted ones are read here, because zip.js cuts them into
 * pieces that pile up for the garbage collector by the ten megabytes.
 */
async function readRaw(
  file: Source,
  entry: FileEntry,
  password: string | null,
  write: (bytes: Uint8Array) => void | Promise<void>,
): Promise<void> {
  if (entry.encrypted)
    return void (await entry.getData(new WritableStream<Uint8Array>({ write }), {
      useWebWorkers: false,
      passThrough: 'compressed',
      checkAuthenticationCode: true,
      ...(password === null ? {} : { password }),
    }));
  const header = Buffer.from(await file.read(entry.offset, HEADER));
  if (header.length < HEADER || header.readUInt32LE() !== HEADER_MARK)
    throw new Error('it does not begin where it should');
  let position = entry.offset + HEADER + header.readUInt16LE(26) + header.readUInt16LE(28);
  for (const end = position + entry.compressedSize; position < end; ) {
    const piece = await file.read(position, Math.min(RAW, end - position));
    if (piece.length === 0) throw new Error('the file ends before it does');
    position += piece.length;
    await write(piece);
  }
}

/** Inflates what `read` delivers and passes it to `take` in pieces. Rejects unless all of it is one deflate stream. */
async function inflated(
  read: (write: (bytes: Uint8Array) => Promise<void>) => Promise<void>,
  take: (bytes: Uint8Array) => void,
): Promise<void> {
  const inflate = createInflateRaw({ chunkSize: INFLATED });
  const reading = (async () => {
    const pieces: AsyncIterable<Uint8Array> = inflate;
    for await (const piece of pieces) {
      take(piece);
      // zlib fills one buffer in pieces before it takes the next: this was the last piece of a full one.
      if (piece.byteOffset + piece.length === piece.buffer.byteLength) release(piece);
    }
  })();
  let handedOn = 0;
  const write = (bytes: Uint8Array) => {
    handedOn += bytes.length;
    return new Promise<void>((resolve, reject) => {
      inflate.write(bytes, (error) => {
        if (error) return reject(error);
        // A view of a larger buffer may share it with pieces that are still to come.
        if (bytes.length === bytes.buffer.byteLength) release(bytes);
        resolve();
      });
    });
  };
  try {
    // If the deflate stream ends before its input does, the last write may never be answered.
    await Promise.race([read(write).then(() => void inflate.end()), reading]);
    await reading;
  } finally {
    // The error that led here has been reported already.
    inflate.on('error', () => undefined).destroy();
  }
  if (inflate.bytesWritten !== handedOn) throw new Error('data follows its end');
}

/** The content of an entry in pieces; verifies its length and checksum. */
async function readEntry(
  file: Source,
  entry: FileEntry,
  password: string | null,
  take: (bytes: Uint8Array) => void,
): Promise<void> {
  let size = 0;
  let crc = 0;
  const count = (bytes: Uint8Array) => {
    size += bytes.length;
    crc = crc32(bytes, crc);
    take(bytes);
  };
  try {
    if (entry.compressionMethod === DEFLATED)
      await inflated((write) => readRaw(file, entry, password, write), count);
    else await readRaw(file, entry, password, count);
  } catch (error) {
    throw malformed(error, `has an unreadable part: ${entry.filename}`);
  }
  const announcedCrc = entry.encrypted ? undefined : entry.crc32;
  if (size !== entry.uncompressedSize || (announcedCrc !== undefined && announcedCrc !== crc))
    throw new MalformedFile(`has a part that does not match its zip directory: ${entry.filename}`);
}

async function bytesOf(
  file: Source,
  entry: FileEntry | undefined,
  password: string | null,
  most: number,
): Promise<Buffer> {
  if (entry === undefined) throw new MalformedFile('is missing a part');
  if (entry.uncompressedSize > most)
    throw new MalformedFile(`has a part that is too large: ${entry.filename}`);
  const pieces: Buffer[] = [];
  await readEntry(file, entry, password, (bytes) => pieces.push(Buffer.from(bytes)));
  return Buffer.concat(pieces);
}

const attribute = (tag: string, name: string): string =>
  new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? '';

/** The sheets of a workbook in order, read as if they were one. */
async function readWorkbook(file: Source, id: IdColumn): Promise<Pick<Found, 'scanned' | 'sheets'>> {
  const entries = await openZip(file);
  const part = (path: string) => entries.find(({ filename }) => filename === path);
  const text = async (path: string) => (await bytesOf(file, part(path), null, PART_MAX)).toString('utf8');
  const links = new Map(
    [...(await text('xl/_rels/workbook.xml.rels')).matchAll(/<Relationship\s[^<>]*>/g)].map(([tag]) => [
      attribute(tag, 'Id'),
      attribute(tag, 'Target'),
    ]),
  );
  const sheets = [...(await text('xl/workbook.xml')).matchAll(/<sheet\s[^<>]*>/g)].map(([tag]) => ({
    name: attribute(tag, 'name'),
    path: `xl/${links.get(attribute(tag, 'r:id')) ?? ''}`,
  }));
  let all: Scanned | null = null;
  for (const { name, path } of sheets) {
    const entry = part(path);
    if (entry === undefined) throw new MalformedFile(`is missing its sheet “${name}”`);
    const scanner = createScanner('sheet', id);
    await readEntry(file, entry, null, scanner.push.bind(scanner));
    const count = scanner.end();
    if (all === null) all = count;
    else {
      if (JSON.stringify(count.header) !== JSON.stringify(all.header))
        throw new MalformedFile(`has a sheet with a different header: “${name}”`);
      all = {
        ...(count.records > 0 ? count : all),
        records: all.records + count.records,
        firstId: all.records > 0 ? all.firstId : count.firstId,
      };
    }
  }
  if (all === null) throw new MalformedFile('has no sheet');
  return { scanned: all, sheets: sheets.map(({ name }) => name) };
}

async function readZip(file: Source, how: ReadOptions): Promise<Pick<FoundFile, 'inside' | 'manifest'>> {
  const entries = await openZip(file);
  const [content, ...others] = entries.filter(({ filename }) => !filename.endsWith(MANIFEST));
  const manifest = entries.find(({ filename }) => filename.endsWith(MANIFEST));
  if (content === undefined || others.length > 0)
    throw new MalformedFile('does not contain one file beside its manifest');
  const reader = createReader({ ...how, zip: false });
  const spill = how.format === 'xlsx' ? openSpill(how.scratch) : null;
  try {
    await readEntry(file, content, how.password, (bytes) => {
      reader.push(bytes);
      spill?.append(bytes);
    });
    const unpacked: Source = {
      size: spill?.bytes ?? 0,
      read: (position, length) =>
        spill?.read(position, Math.min(length, spill.bytes - position)) ?? new Uint8Array(),
    };
    return {
      inside: { ...(await reader.end(unpacked)), file: content.filename },
      manifest: manifest === undefined ? null : await bytesOf(file, manifest, how.password, MANIFEST_MAX),
    };
  } finally {
    spill?.close();
  }
}

export function createReader(how: ReadOptions): Reader {
  const { format, zip, id } = how;
  const scanner = zip || format === null || format === 'xlsx' ? null : createScanner(format, id);
  const hash = createHash('sha256');
  let bytes = 0;
  let crc = 0;
  let buffer: Uint8Array | null = null;
  return {
    room() {
      if (scanner !== null) return scanner.room(PIECE);
      buffer ??= Buffer.allocUnsafe(PIECE);
      return buffer;
    },
    push(piece) {
      hash.update(piece);
      crc = crc32(piece, crc);
      bytes += piece.length;
      scanner?.push(piece);
    },
    async end(file) {
      const facts = { bytes, sha256: hash.digest('hex'), crc32: crc, inside: null, manifest: null };
      if (zip) return { ...facts, scanned: null, sheets: null, ...(await readZip(file, how)) };
      if (format === 'xlsx') return { ...facts, ...(await readWorkbook(file, id)) };
      return { ...facts, scanned: scanner?.end() ?? null, sheets: null };
    },
  };
}

/** Reads a whole file. */
export async function readBack(file: Source, how: ReadOptions): Promise<FoundFile> {
  const reader = createReader(how);
  for (let index = 0; ; ) {
    const piece = await file.read(index, PIECE);
    if (piece.length === 0) return reader.end(file);
    index += piece.length;
    reader.push(piece);
    release(piece);
  }
}
