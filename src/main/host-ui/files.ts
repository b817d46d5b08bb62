/** Files whose content the window produced: written under a temporary name, read back, renamed when complete. */
import { createHash, type Hash, randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { ParapetError } from '#shared/bridge/errors.ts';
import {
  commitPart,
  exists,
  fileError,
  type Naming,
  newPart,
  openPart,
  partialName,
  removePart,
} from '../files/temp-file.ts';
import {
  commitWithManifest,
  digestOf,
  type FileFacts,
  fileManifest,
  requireNames,
  requireSame,
} from '../files/whole-file.ts';
import type { Context } from '../kernel/context.ts';
import type { HandlersOf, OperationIn } from '../kernel/handlers.ts';
import { redeemForClear } from '../kernel/policy.ts';
import type { ChosenPath } from '../kernel/ports.ts';

interface Begun {
  chosen: ChosenPath;
  /** Where the finished file goes. */
  path: string;
  /** Why the file is not whole, in words, or null if it is. */
  missing: string | null;
  facts: FileFacts;
  part: string;
  /** The file existed when the analyst chose it. */
  naming: Naming;
  handle: FileHandle;
  hash: Hash;
  bytes: number;
  /** The previous call: calls run one at a time, in order. */
  before: Promise<unknown>;
}

const KEPT = 8;
/** Larger than any image or list of the window. */
const MAX_BYTES = 1024 * 1024 * 1024;

/** Files started and neither finished nor discarded, as a closed window leaves them; the oldest are dropped. */
class OpenFiles {
  readonly #files = new Map<string, Begun>();

  async add(file: Begun): Promise<string> {
    const fileId = randomUUID();
    this.#files.set(fileId, file);
    for (const oldest of [...this.#files.keys()].slice(0, -KEPT)) await this.discard(oldest);
    return fileId;
  }

  /** Serialises calls on a file. A file system error ends the file. */
  inTurn<T>(fileId: string, work: (file: Begun) => Promise<T>): Promise<T> {
    const gone = () => new ParapetError('not-found', 'That file is no longer being written. Save it again.');
    const file = this.#files.get(fileId);
    if (file === undefined) return Promise.reject(gone());
    const turn = file.before.then(async () => {
      // An earlier call may have ended it.
      if (this.#files.get(fileId) !== file) throw gone();
      try {
        return await work(file);
      } catch (error) {
        await this.#drop(fileId, file);
        throw fileError(error, file.chosen.name);
      }
    });
    file.before = turn.catch(() => undefined);
    return turn;
  }

  /** The file has its final name: there is nothing to discard. */
  forget(fileId: string): void {
    this.#files.delete(fileId);
  }

  async discard(fileId: string): Promise<void> {
    const file = this.#files.get(fileId);
    if (file === undefined) return;
    await file.before;
    if (this.#files.get(fileId) === file) await this.#drop(fileId, file);
  }

  async #drop(fileId: string, { handle, part }: Begun): Promise<void> {
    this.#files.delete(fileId);
    await handle.close().catch(() => undefined);
    await removePart(part).catch(() => undefined);
  }
}

export function createFilesHandlers(
  ctx: Pick<Context, 'grants' | 'ports'>,
): HandlersOf<Exclude<OperationIn<'files'>, 'files.verify'>> {
  const files = new OpenFiles();
  return {
    async 'files.open'({ grantId, what, entries, missing = null }) {
      const chosen = redeemForClear(ctx, grantId);
      const part = newPart(chosen.path);
      const path = missing === null ? chosen.path : partialName(chosen.path);
      try {
        // An incomplete file never replaces one that may be complete.
        const naming = { replace: missing === null && (await exists(path)), number: missing !== null };
        await requireNames(path, naming);
        const handle = await openPart(part);
        const fileId = await files.add({
          chosen,
          path,
          missing,
          facts: {
            what,
            entries,
            connection: null,
            ...(missing === null ? {} : { completeness: 'PARTIAL', why: missing }),
          },
          part,
          naming,
          handle,
          hash: createHash('sha256'),
          bytes: 0,
          before: Promise.resolve(),
        });
        return { fileId };
      } catch (error) {
        throw fileError(error, chosen.name);
      }
    },

    'files.append': ({ fileId, chunk }) =>
      files.inTurn(fileId, async (file) => {
        const bytes = 'text' in chunk ? Buffer.from(chunk.text, 'utf8') : Buffer.from(chunk.base64, 'base64');
        if (file.bytes + bytes.length > MAX_BYTES)
          throw new ParapetError('too-large', `${file.chosen.name} would be larger than 1 GB.`);
        file.bytes += bytes.length;
        file.hash.update(bytes);
        await file.handle.writeFile(bytes);
        return {};
      }),

    'files.finish': ({ fileId }) =>
      files.inTurn(fileId, async ({ chosen, path, missing, facts, part, naming, handle, hash, bytes }) => {
        const digest = { bytes, sha256: hash.digest('hex') };
        await handle.sync();
        requireSame(await digestOf(handle), digest, chosen.name);
        await handle.close();
        const nameOf = (file: string) => (missing === null ? chosen.name : file);
        const { file, beside } = await commitWithManifest(
          path,
          (named) => fileManifest(ctx, nameOf(named), digest, facts),
          naming,
          async () => {
            const settled = await commitPart(part, path, naming);
            files.forget(fileId);
            return settled;
          },
        );
        chosen.finished?.([beside], nameOf(file));
        return { name: nameOf(file), ...digest, ...(missing === null ? {} : { missing }) };
      }),

    async 'files.discard'({ fileId }) {
      await files.discard(fileId);
      return {};
    },
  };
}
