/** Native dialogs, as far as a page can stand in for them: downloads, a file picker, a question for a path. */
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ParapetError } from '#shared/bridge/errors.ts';
import { UPLOAD_MAX_BYTES } from '#shared/bridge/host-channel.ts';
import { safeFileName } from '../../core/file-names.ts';
import type { ChosenPath, Dialogs } from '../../core/ports.ts';
import { createDownloads, type Downloads } from './downloads.ts';
import type { Pages } from './pages.ts';

export interface BrowserDialogs extends Dialogs {
  /** Files that were saved and wait for their page. */
  downloads: Pick<Downloads, 'look' | 'take'>;
  /** Stores the file that a page picked. False: nobody asked for it. Rejects `too-large`. */
  receive(id: string, name: string, body: Readable): Promise<boolean>;
  /** Takes the path that the analyst typed. Answers what is wrong with it, null: taken. */
  choose(id: string, typed: string): Promise<string | null>;
  /** Removes what is left of uploads and downloads; answers how many files were never fetched. */
  clear(): Promise<number>;
}

const sizeLimit = () => {
  let bytes = 0;
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      bytes += chunk.byteLength;
      if (bytes <= UPLOAD_MAX_BYTES) done(null, chunk);
      else done(new ParapetError('too-large', 'The file is too large to be a query file.'));
    },
  });
};

async function checkPath(typed: string, wanted: 'folder' | 'file') {
  const expanded = typed.replace(/^~(?=$|[/\\])/, os.homedir()).trim();
  if (!path.isAbsolute(expanded)) return { problem: 'Give the whole path, from the root of the disk.' };
  const info = await stat(expanded).catch((error: NodeJS.ErrnoException) => error.code ?? 'error');
  if (info === 'EACCES') return { problem: 'Parapet may not read this path.' };
  if (typeof info === 'string') return { problem: `There is no such ${wanted} on this machine.` };
  if (wanted === 'folder' && !info.isDirectory()) return { problem: 'This is a file, not a folder.' };
  if (wanted === 'file' && !info.isFile()) return { problem: 'This is a folder, not a file.' };
  return { path: expanded };
}

/** Dialogs of the browser host. Files on their way live below `dir`, in folders with names that nobody guesses. */
export function createDialogs(dir: string, pages: Pick<Pages, 'ask' | 'settle' | 'page'>): BrowserDialogs {
  const downloads = createDownloads(pages);
  const uploads = new Map<string, (chosen: ChosenPath) => void>();
  const paths = new Map<string, { wanted: 'folder' | 'file'; take(chosen: ChosenPath): void }>();

  const privateFolder = async (kind: string) => {
    const parent = path.join(dir, kind);
    await mkdir(parent, { recursive: true, mode: 0o700 });
    return mkdtemp(path.join(parent, 'f-'));
  };

  return {
    async save({ suggestedName, kind }) {
      const wanted = safeFileName(suggestedName);
      const named = kind === 'any' || wanted.toLowerCase().endsWith(`.${kind}`);
      const name = named ? wanted : `${wanted}.${kind}`;
      const file = path.join(await privateFolder('downloads'), name);
      return {
        path: file,
        name,
        finished(beside = [], as = name) {
          for (const offered of [as, ...beside])
            downloads.offer(path.join(path.dirname(file), offered), offered);
        },
      };
    },

    async open({ kind }) {
      if (kind === 'query-file') {
        let chosen: ChosenPath | null = null;
        const { id, answer } = pages.ask({ host: 'pick', accept: '.json,application/json' });
        uploads.set(id, (file) => {
          chosen = file;
        });
        await answer;
        uploads.delete(id);
        return chosen;
      }
      const wanted = kind === 'evidence-folder' ? 'folder' : 'file';
      let chosen: ChosenPath | null = null;
      const { id, answer } = pages.ask({ host: 'ask-path', wanted });
      paths.set(id, {
        wanted,
        take: (taken) => {
          chosen = taken;
        },
      });
      await answer;
      paths.delete(id);
      return chosen;
    },

    downloads,

    async receive(id, name, body) {
      const take = uploads.get(id);
      if (take === undefined) return false;
      uploads.delete(id);
      const folder = await privateFolder('uploads');
      const file = path.join(folder, safeFileName(name));
      try {
        await pipeline(body, sizeLimit(), createWriteStream(file, { mode: 0o600, flags: 'wx' }));
      } catch (error) {
        await rm(folder, { recursive: true, force: true });
        pages.settle(id, 'failed');
        throw error;
      }
      take({ path: file, name: path.basename(file) });
      pages.settle(id, 'done');
      return true;
    },

    async choose(id, typed) {
      const question = paths.get(id);
      if (question === undefined) return 'This question was answered already.';
      const checked = await checkPath(typed, question.wanted);
      if (checked.path === undefined) return checked.problem;
      question.take({ path: checked.path, name: path.basename(checked.path) || checked.path });
      pages.settle(id, 'done');
      return null;
    },

    async clear() {
      const left = downloads.clear();
      for (const kind of ['downloads', 'uploads'])
        await rm(path.join(dir, kind), { recursive: true, force: true });
      return left;
    },
  };
}
