/** Files of content that the window made: written beside their name as `.part`, renamed when whole. */
import { createHash, type Hash, randomUUID } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { ParapetError } from '#shared/bridge/errors.ts';
import type { Context } from '../core/context.ts';
import type { HandlersOf } from '../core/handlers.ts';
import type { ChosenPath } from '../core/ports.ts';
import { fileError, partOf } from '../export/target.ts';

interface Begun {
  chosen: ChosenPath;
  handle: FileHandle;
  hash: Hash;
  bytes: number;
}

/** Begun and neither finished nor discarded, as a closed window leaves them; the oldest go. */
const KEPT = 8;
/** No picture or list of the window is larger. */
const MAX_BYTES = 1024 * 1024 * 1024;

export function createFilesHandlers(
  ctx: Pick<Context, 'grants'>,
): HandlersOf<'files.open' | 'files.append' | 'files.finish' | 'files.discard'> {
  const files = new Map<string, Begun>();

  const find = (fileId: string): Begun => {
    const file = files.get(fileId);
    if (file === undefined)
      throw new ParapetError('not-found', 'That file is not being written any more. Save it again.');
    return file;
  };
  const discard = async (fileId: string) => {
    const file = files.get(fileId);
    files.delete(fileId);
    await file?.handle.close().catch(() => undefined);
    if (file !== undefined) await rm(partOf(file.chosen.path), { force: true }).catch(() => undefined);
  };
  /** What the file system refuses ends the file. */
  const guarded = async <T>(fileId: string, work: (file: Begun) => Promise<T>): Promise<T> => {
    const file = find(fileId);
    try {
      return await work(file);
    } catch (error) {
      await discard(fileId);
      throw fileError(error, file.chosen.name);
    }
  };

  return {
    async 'files.open'({ grantId }) {
      const chosen = ctx.grants.redeem(grantId);
      try {
        const handle = await open(partOf(chosen.path), 'w', 0o600);
        const fileId = randomUUID();
        files.set(fileId, { chosen, handle, hash: createHash('sha256'), bytes: 0 });
        for (const oldest of [...files.keys()].slice(0, -KEPT)) await discard(oldest);
        return { fileId };
      } catch (error) {
        throw fileError(error, chosen.name);
      }
    },

    'files.append': ({ fileId, chunk }) =>
      guarded(fileId, async (file) => {
        const bytes = 'text' in chunk ? Buffer.from(chunk.text, 'utf8') : Buffer.from(chunk.base64, 'base64');
        if (file.bytes + bytes.length > MAX_BYTES)
          throw new ParapetError('too-large', `${file.chosen.name} would be larger than 1 GB.`);
        file.bytes += bytes.length;
        file.hash.update(bytes);
        await file.handle.writeFile(bytes);
        return {};
      }),

    'files.finish': ({ fileId }) =>
      guarded(fileId, async ({ chosen, handle, hash, bytes }) => {
        await handle.sync();
        await handle.close();
        await rename(partOf(chosen.path), chosen.path);
        files.delete(fileId);
        chosen.finished?.();
        return { name: chosen.name, bytes, sha256: hash.digest('hex') };
      }),

    async 'files.discard'({ fileId }) {
      await discard(fileId);
      return {};
    },
  };
}
