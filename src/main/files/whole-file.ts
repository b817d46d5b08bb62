/** Small files: written, read back, then named; and their manifests. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ParapetError } from '#shared/bridge/errors.ts';
import { codeOf } from '#shared/model/disk-errors.ts';
import type { Context } from '../kernel/context.ts';
import type { ChosenPath } from '../kernel/ports.ts';
import { anyManifest, type FileManifest, manifestBytes, manifestName } from './manifest.ts';
import {
  commitPart,
  exists,
  fileError,
  isPart,
  isSameFile,
  type Naming,
  namedNow,
  newPart,
  openPart,
  partialName,
  removePart,
} from './temp-file.ts';

export interface Digest {
  bytes: number;
  /** Hex. */
  sha256: string;
}

const PIECE = 1024 * 1024;

/** Length and SHA-256 of the whole file. */
export async function digestOf(handle: FileHandle): Promise<Digest> {
  const hash = createHash('sha256');
  const piece = Buffer.allocUnsafe(PIECE);
  for (let bytes = 0; ; ) {
    const { bytesRead } = await handle.read(piece, 0, PIECE, bytes);
    if (bytesRead === 0) return { bytes, sha256: hash.digest('hex') };
    hash.update(piece.subarray(0, bytesRead));
    bytes += bytesRead;
  }
}

export const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Throws `damaged` unless the file holds exactly what was written. */
export function requireSame(digest: Digest, written: Digest, name: string): void {
  if (digest.bytes === written.bytes && digest.sha256 === written.sha256) return;
  throw new ParapetError(
    'damaged',
    `${name} was read back after it was written and does not hold what was written. It was removed. Try again, or choose another disk.`,
    { retryable: true },
  );
}

/**
 * Writes the bytes to a part, syncs it and reads it back; `path` is the final path, for messages. Rejects ParapetError.
 */
async function writePart(part: string, path: string, bytes: Uint8Array): Promise<void> {
  try {
    const handle = await openPart(part);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
      requireSame(await digestOf(handle), { bytes: bytes.length, sha256: sha256Of(bytes) }, basename(path));
    } finally {
      await handle.close();
    }
  } catch (error) {
    await removePart(part).catch(() => undefined);
    throw fileError(error, basename(path));
  }
}

/** Writes a file completely or not at all; returns its path. Rejects ParapetError. */
export async function writeFileWhole(path: string, bytes: Uint8Array, naming: Naming): Promise<string> {
  const part = newPart(path);
  await writePart(part, path, bytes);
  try {
    return await commitPart(part, path, naming);
  } catch (error) {
    throw fileError(error, basename(path));
  } finally {
    await removePart(part).catch(() => undefined);
  }
}

export type FileFacts = Pick<FileManifest, 'what' | 'entries' | 'connection' | 'completeness' | 'why'>;

export const fileManifest = (
  ctx: Pick<Context, 'ports'>,
  file: string,
  { bytes, sha256 }: Digest,
  { what, entries, connection, ...partial }: FileFacts,
): FileManifest => ({
  kind: 'parapet-file-manifest',
  version: 1,
  file,
  bytes,
  sha256,
  what,
  entries,
  connection,
  ...partial,
  app_version: ctx.ports.version,
  written_at: new Date(ctx.ports.now()).toISOString(),
});

/** A manifest is never larger; a larger part is the file itself. */
const MANIFEST_MAX = 4 * 1024 * 1024;

/** Whether a manifest belongs to an earlier file of that name. */
async function isStale(path: string, sha256: string): Promise<boolean> {
  // A file that is not a manifest is not Parapet's, and stays.
  const value: unknown = await readFile(path, 'utf8')
    .then(JSON.parse)
    .catch(() => null);
  const there = anyManifest.safeParse(value);
  return there.success && there.data.sha256 !== sha256;
}

/** Names a manifest when its file has its name and matches what the manifest says. */
async function finishManifest(part: string): Promise<void> {
  if ((await lstat(part)).size > MANIFEST_MAX) return;
  const { file, bytes, sha256 } = anyManifest.parse(JSON.parse(await readFile(part, 'utf8')));
  const path = join(dirname(part), basename(file));
  const handle = await open(
    path,
    constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
  );
  try {
    if (!(await handle.stat()).isFile()) return;
    const digest = await digestOf(handle);
    if (digest.bytes !== bytes || digest.sha256 !== sha256) return;
  } finally {
    await handle.close();
  }
  const name = manifestName(path);
  // The manifest has its final name; only the part's name was left.
  if (await isSameFile(part, name)) return;
  await commitPart(part, name, { replace: await isStale(name, sha256), number: true });
}

/**
 * Removes a part that a crash left. A manifest whose file already has its name is renamed instead: it was on disk
 * before, and only the second of two renames is missing.
 */
export async function clearPart(part: string | undefined): Promise<void> {
  // It is not a manifest, or its file does not exist.
  if (part !== undefined && isPart(part)) await finishManifest(part).catch(() => undefined);
  await removePart(part);
}

/**
 * Writes content held in memory as a file with its manifest beside it, and returns the name it got. An incomplete file
 * never replaces one that may be complete.
 */
export async function writeWithManifest(
  ctx: Pick<Context, 'ports'>,
  chosen: ChosenPath,
  bytes: Uint8Array,
  facts: FileFacts,
): Promise<string> {
  const isPartial = facts.completeness === 'PARTIAL';
  const path = isPartial ? partialName(chosen.path) : chosen.path;
  const naming = { replace: !isPartial && (await exists(path)), number: isPartial };
  const digest = { bytes: bytes.length, sha256: sha256Of(bytes) };
  const { file, beside } = await commitWithManifest(
    path,
    (name) => fileManifest(ctx, isPartial ? name : chosen.name, digest, facts),
    naming,
    () => writeFileWhole(path, bytes, naming),
  );
  const name = isPartial ? file : chosen.name;
  chosen.finished?.([beside], name);
  return name;
}

/**
 * Rejects if the file or its manifest, whose name is longer, cannot get its name: before any file has one. Anything but
 * a file stays, such as the pipe of another program.
 */
export async function requireNames(path: string, naming: Naming): Promise<void> {
  const now = await namedNow(path, naming);
  for (const wantedName of [now, manifestName(now)]) {
    const name = basename(wantedName);
    const there = await stat(wantedName).catch((error: unknown) => {
      if (error instanceof Error && codeOf(error) === 'ENAMETOOLONG')
        throw fileError(Object.assign(error, { syscall: 'rename' }), name);
      return null;
    });
    if (there?.isDirectory()) throw fileError(Object.assign(new Error('a folder'), { code: 'EISDIR' }), name);
    if (there !== null && !there.isFile())
      throw new ParapetError(
        'file-exists',
        `${name} is a device or a pipe, and no file. Choose another name.`,
        { retryable: true },
      );
  }
}

/**
 * Renames a file by `named`, which returns the path it got, and then its manifest; returns both names. The manifest is
 * on disk before that, in `part`, so that after a crash between the two renames the next start can do the second.
 * `manifest` is called again when `named` had to choose another path. If only the manifest fails, the complete file
 * stays.
 */
export async function commitWithManifest(
  path: string,
  manifest: (file: string) => object,
  naming: Naming,
  named: () => Promise<string>,
  part: string = newPart(path),
): Promise<{ file: string; beside: string }> {
  const bytesOf = (file: string) => manifestBytes(manifest(basename(file)));
  await requireNames(path, naming);
  await writePart(part, path, bytesOf(path));
  try {
    const settled = await named();
    const [file, name] = [basename(settled), manifestName(settled)];
    const numbered = { ...naming, number: true };
    try {
      const beside =
        settled === path
          ? await commitPart(part, name, numbered)
          : await writeFileWhole(name, bytesOf(settled), numbered);
      return { file, beside: basename(beside) };
    } catch (error) {
      const explained = fileError(error, basename(name));
      const why = explained instanceof Error ? explained.message : String(explained);
      throw new ParapetError(
        'permission-denied',
        `${file} is complete, but its manifest is missing: ${why}`,
        {
          retryable: true,
          cause: error,
        },
      );
    }
  } finally {
    await removePart(part).catch(() => undefined);
  }
}
