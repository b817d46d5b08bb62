/** Ways to compress a single file, or a mail in a mailbox: by what they are recognised, and how they are unpacked. */
import { unbzip2 } from './bzip2.ts';
import { gunzipped } from './inflate.ts';
import { unlz4 } from './lz4.ts';
import { unxz } from './xz.ts';
import { unzstd } from './zstd.ts';

export type Compression = 'gzip' | 'bzip2' | 'xz' | 'zstd' | 'lz4';

interface Means {
  /** First bytes, as latin1. */
  starts: readonly string[];
  /** Ends of names; the first of a compressed tar, `.tgz`. */
  tar: RegExp;
  single: RegExp;
  /** Calls `packed` again for damaged bytes. Throws at the end of a damaged file. */
  unpack(packed: () => AsyncIterable<Buffer>): AsyncIterable<Uint8Array>;
}

/** Of bzip2. */
const LEVELS = [1, 2, 3, 4, 5, 6, 7, 8, 9];

const MEANS: Readonly<Record<Compression, Means>> = {
  gzip: { starts: ['\x1f\x8b\x08'], tar: /\.tgz$/i, single: /\.gz$/i, unpack: gunzipped },
  bzip2: {
    starts: LEVELS.flatMap((level) => [`BZh${level}1AY&SY`, `BZh${level}\x17rE8P\x90`]),
    tar: /\.tbz2?$/i,
    single: /\.bz2$/i,
    unpack: unbzip2,
  },
  xz: { starts: ['\xfd7zXZ\0'], tar: /\.txz$/i, single: /\.xz$/i, unpack: unxz },
  zstd: { starts: ['\x28\xb5\x2f\xfd'], tar: /\.tzst$/i, single: /\.zst$/i, unpack: unzstd },
  lz4: {
    starts: ['\x04\x22\x4d\x18', 'Dovecot-LZ4\r*\x9b\xc5'],
    tar: /\.tlz4$/i,
    single: /\.lz4$/i,
    unpack: unlz4,
  },
};

const ALL = Object.entries(MEANS) as [Compression, Means][];

export const isCompression = (kind: string): kind is Compression => Object.hasOwn(MEANS, kind);

/** How a file that begins with this text, as latin1, is compressed, or null if it shows no sign of it. */
export const compressionOf = (text: string): Compression | null =>
  ALL.find(([, { starts }]) => starts.some((start) => text.startsWith(start)))?.[0] ?? null;

export const compressionByName = (name: string): Compression | null =>
  ALL.find(([, { tar, single }]) => tar.test(name) || single.test(name))?.[0] ?? null;

/** The name of the file that is compressed: `.tgz` holds a `.tar`. */
export function nameInside(kind: Compression, name: string): string {
  const { tar, single } = MEANS[kind];
  return name.replace(tar, '.tar').replace(single, '');
}

/** The content of a compressed file. `packed` may be called again. Throws, in words, at the end of a damaged one. */
export const decompressed = (
  kind: Compression,
  packed: () => AsyncIterable<Buffer>,
): AsyncIterable<Uint8Array> => MEANS[kind].unpack(packed);

async function* single(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/** A mail of a mailbox, decompressed if it is compressed. Null if it is damaged, or exceeds the limit. */
export async function decompressedMail(bytes: Buffer, limit: number): Promise<Buffer | null> {
  const kind = compressionOf(bytes.toString('latin1', 0, 16));
  if (kind === null) return bytes;
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of decompressed(kind, () => single(bytes))) {
      length += piece.length;
      if (length > limit) return null;
      pieces.push(piece);
    }
  } catch {
    return null;
  }
  return Buffer.concat(pieces, length);
}
