/** Small files: written, read back, named; and their manifests. */
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { ParapetError } from '#shared/bridge/errors.ts';
import type { Context } from '../core/context.ts';
import type { ChosenPath } from '../core/ports.ts';
import { type FileManifest, manifestBytes, manifestName } from '../proof/manifest.ts';
import { exists, fileError, type Naming, newPart, openPart, removePart, settlePart } from './part.ts';

export interface Digest {
  bytes: number;
  /** Hex. */
  sha256: string;
}

const PIECE = 1024 * 1024;

/** What a file holds, from its first byte to its last. */
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

/** Throws `damaged` unless the file holds what was written to it. */
export function requireSame(found: Digest, written: Digest, name: string): void {
  if (found.bytes === written.bytes && found.sha256 === written.sha256) return;
  throw new ParapetError(
    'damaged',
    `${name} was read back after it was written and does not hold what was written. It was removed. Try again, or choose another disk.`,
    { retryable: true },
  );
}

/** Writes a file whole or not at all; answers the path it has. `part`: its name in the making. Rejects ParapetError. */
export async function writeFileWhole(
  path: string,
  bytes: Uint8Array,
  naming: Naming,
  part: string = newPart(path),
): Promise<string> {
  try {
    const handle = await openPart(part);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
      requireSame(await digestOf(handle), { bytes: bytes.length, sha256: sha256Of(bytes) }, basename(path));
    } finally {
      await handle.close();
    }
    return await settlePart(part, path, naming);
  } catch (error) {
    throw fileError(error, basename(path));
  } finally {
    await removePart(part).catch(() => undefined);
  }
}

export type FileFacts = Pick<FileManifest, 'what' | 'entries' | 'connection'>;

export const fileManifest = (
  ctx: Pick<Context, 'ports'>,
  file: string,
  { bytes, sha256 }: Digest,
  { what, entries, connection }: FileFacts,
): FileManifest => ({
  kind: 'parapet-file-manifest',
  version: 1,
  file,
  bytes,
  sha256,
  what,
  entries,
  connection,
  app_version: ctx.ports.version,
  written_at: new Date(ctx.ports.now()).toISOString(),
});

/** Writes a manifest beside a finished file and lets the host know of both. */
export async function finishWith(chosen: ChosenPath, manifest: object, replace: boolean): Promise<void> {
  const beside = await writeFileWhole(manifestName(chosen.path), manifestBytes(manifest), {
    replace,
    number: true,
  });
  chosen.finished?.([basename(beside)]);
}

/** A whole file of content at hand, with its manifest beside it. */
export async function writeProved(
  ctx: Pick<Context, 'ports'>,
  chosen: ChosenPath,
  bytes: Uint8Array,
  facts: FileFacts,
): Promise<Digest> {
  const replace = await exists(chosen.path);
  await writeFileWhole(chosen.path, bytes, { replace });
  const digest = { bytes: bytes.length, sha256: sha256Of(bytes) };
  await finishWith(chosen, fileManifest(ctx, chosen.name, digest, facts), replace);
  return digest;
}
