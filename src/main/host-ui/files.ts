/** Files whose content the window produced: written under a temporary name, read back, renamed when complete. */
import { createHash, type Hash, randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { ParapetError } from '#shared/bridge/errors.ts';
import { commitPart, exists, fileError, newPart, openPart, removePart } from '../files/part.ts';
import {
  commitWithManifest,
  digestOf,
  type FileFacts,
  fileManifest,
  requireSame,
} from '../files/whole-file.ts';
import type { Context } from '../kernel/context.ts';
import type { HandlersOf, OperationIn } from '../kernel/handlers.ts';
import { redeemForClear } from '../kernel/policy.ts';
import type { ChosenPath } from '../kernel/ports.ts';

interface Begun {
  chosen: ChosenPath;
  facts: FileFacts;
  part: string;
  /** The file existed when the analyst chose it. */
  replace: boolean;
  handle: FileHandle;
  hash: Hash;
  bytes: number;
  /** The previous call: calls run one at a time, in order. */
  before: Promise<unknown>;
}

/** Files started and neither finished nor discarded, as a closed window leaves them; the oldest are dropped. */
const KEPT = 8;
/** Larger than any image or list of the window. */
const MAX_BYTES = 1024 * 1024 * 1024;

export function createFilesHandlers(
  ctx: Pick<Context, 'grants' | 'ports'>,
): HandlersOf<Exclude<OperationIn<'files'>, 'files.verify'>> {
  const files = new Map<string, Begun>();

  const drop = async (fileId: string, { handle, part }: Begun) => {
    files.delete(fileId);
    await handle.close().catch(() => undefined);
    await removePart(part).catch(() => undefined);
  };
  /** Serialises calls on a file. A file system error ends the file. */
  const inTurn = <T>(fileId: string, work: (file: Begun) => Promise<T>): Promise<T> => {
    const gone = () => new ParapetError('not-found', 'That file is no longer being written. Save it again.');
    const file = files.get(fileId);
    if (file === undefined) return Promise.reject(gone());
    const turn = file.before.then(async () => {
      // An earlier call may have ended it.
      if (files.get(fileId) !== file) throw gone();
      try {
        return await work(file);
      } catch (error) {
        await drop(fileId, file);
        throw fileError(error, file.chosen.name);
      }
    });
    file.before = turn.catch(() => undefined);
    return turn;
  };
  const discard = async (fileId: string) => {
    const file = files.get(fileId);
    if (file === undefined) return;
    await file.before;
    if (files.get(fileId) === file) await drop(fileId, file);
  };

  return {
    async 'files.open'({ grantId, what, entries }) {
      const chosen = redeemForClear(ctx, grantId);
      const part = newPart(chosen.path);
      try {
        const replace = await exists(chosen.path);
        const handle = await openPart(part);
        const fileId = randomUUID();
        files.set(fileId, {
          chosen,
          facts: { what, entries, connection: null },
          part,
          replace,
          handle,
          hash: createHash('sha256'),
          bytes: 0,
          before: Promise.resolve(),
        });
        for (const oldest of [...files.keys()].slice(0, -KEPT)) await discard(oldest);
        return { fileId };
      } catch (error) {
        throw fileError(error, chosen.name);
      }
    },

    'files.append': ({ fileId, chunk }) =>
      inTurn(fileId, async (file) => {
        const bytes = 'text' in chunk ? Buffer.from(chunk.text, 'utf8') : Buffer.from(chunk.base64, 'base64');
        if (file.bytes + bytes.length > MAX_BYTES)
          throw new ParapetError('too-large', `${file.chosen.name} would be larger than 1 GB.`);
        file.bytes += bytes.length;
        file.hash.update(bytes);
        await file.handle.writeFile(bytes);
        return {};
      }),

    'files.finish': ({ fileId }) =>
      inTurn(fileId, async ({ chosen, facts, part, replace, handle, hash, bytes }) => {
        const digest = { bytes, sha256: hash.digest('hex') };
        await handle.sync();
        requireSame(await digestOf(handle), digest, chosen.name);
        await handle.close();
        const { beside } = await commitWithManifest(
          chosen.path,
          () => fileManifest(ctx, chosen.name, digest, facts),
          replace,
          async () => {
            const settled = await commitPart(part, chosen.path, { replace });
            files.delete(fileId);
            return settled;
          },
        );
        chosen.finished?.([beside]);
        return { name: chosen.name, ...digest };
      }),

    async 'files.discard'({ fileId }) {
      await discard(fileId);
      return {};
    },
  };
}
