/** Native dialogs as far as a page can replace them: downloads, a file picker, a prompt for a path. */
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ParapetError } from '#shared/bridge/errors.ts';
import { UPLOAD_MAX_BYTES, VERIFY_MAX_BYTES } from '#shared/bridge/host-channel.ts';
import type { InputOf } from '#shared/bridge/operations.ts';
import { diskFailure, isDenied, withheld } from '#shared/model/disk-errors.ts';
import { bytes as bytesWords } from '#shared/model/format.ts';
import { manifestName } from '../../files/manifest.ts';
import { fileError } from '../../files/temp-file.ts';
import { safeFileName } from '../../kernel/file-names.ts';
import type { ChosenPath, Dialogs, SaveKind } from '../../kernel/ports.ts';
import { homeFolder } from '../profile.ts';
import { createDownloads, type Downloads } from './downloads.ts';
import type { Pages } from './pages.ts';

/** Uploads kept in the profile at a time; a newer choice replaces the oldest. */
const UPLOADS_KEPT = 4;

interface Upload {
  maxBytes: number;
  /** Folder of its files, created with the first one. */
  folder: string | null;
  settle(end: ChosenPath | ParapetError): void;
}

/** What each kind of picker accepts. A manifest by itself is treated as an ordinary file. */
const PICKS = {
  'query-file': {
    title: 'Import queries',
    accept: '.json,application/json',
    pair: false,
    maxBytes: UPLOAD_MAX_BYTES,
  },
  'rule-file': { title: 'Import rules', accept: '', pair: false, maxBytes: UPLOAD_MAX_BYTES },
  'verify-file': { title: 'Verify a file', accept: '', pair: true, maxBytes: VERIFY_MAX_BYTES },
  'verify-manifest': {
    title: 'The manifest of the file',
    accept: '.json,application/json',
    pair: false,
    maxBytes: UPLOAD_MAX_BYTES,
  },
} as const;

/** Whether the page uploads the file; any other kind is asked for by its path. */
const isPicked = (kind: string): kind is keyof typeof PICKS => Object.hasOwn(PICKS, kind);

const tooLarge = (maxBytes: number) =>
  new ParapetError(
    'too-large',
    `The file is larger than ${bytesWords(maxBytes)}, the upload limit of a page.`,
  );

const sizeLimit = (maxBytes: number) => {
  let bytes = 0;
  return new Transform({
    transform(chunk: Uint8Array, _encoding, callback) {
      bytes += chunk.byteLength;
      if (bytes <= maxBytes) callback(null, chunk);
      else callback(tooLarge(maxBytes));
    },
  });
};

function problemOf(error: NodeJS.ErrnoException, kind: 'folder' | 'file'): string {
  if (isDenied(error)) return 'Parapet may not read this path.';
  const reason = diskFailure(error) ?? withheld(error);
  return reason === null
    ? `There is no such ${kind} on this machine.`
    : `This path cannot be read: ${reason}.`;
}

async function checkPath(typed: string, kind: 'folder' | 'file') {
  // Windows Explorer copies a path with quotation marks.
  const unquoted = typed.trim().replace(/^"(.*)"$/, '$1');
  const expanded = unquoted.replace(/^~(?=$|[/\\])/, (tilde) => homeFolder() ?? tilde);
  if (!path.isAbsolute(expanded)) return { problem: 'Enter the whole path, from the root of the disk.' };
  const info = await stat(expanded).catch((error: NodeJS.ErrnoException) => error);
  if (info instanceof Error) return { problem: problemOf(info, kind) };
  if (kind === 'folder' && !info.isDirectory()) return { problem: 'This is a file, not a folder.' };
  if (kind === 'file' && !info.isFile()) return { problem: 'This is a folder, not a file.' };
  return { path: expanded };
}

/** Dialogs of the browser host. Transferred files live below `dir`, in folders with unguessable names. */
export class BrowserDialogs implements Dialogs {
  readonly #dir: string;
  readonly #pages: Pick<Pages, 'ask' | 'settle' | 'page'>;
  readonly #uploads = new Map<string, Upload>();
  /** Upload folders, oldest first. */
  readonly #uploadFolders: string[] = [];
  readonly #paths = new Map<string, { expected: 'folder' | 'file'; take(chosen: ChosenPath): void }>();
  /** Saved files that wait for a page to download them. */
  readonly downloads: Downloads;

  constructor(dir: string, pages: Pick<Pages, 'ask' | 'settle' | 'page'>) {
    this.#dir = dir;
    this.#pages = pages;
    this.downloads = createDownloads(this.#pages);
  }

  async save({ suggestedName, kind }: { suggestedName: string; kind: SaveKind }): Promise<ChosenPath | null> {
    const wantedName = safeFileName(suggestedName);
    const named = kind === 'any' || wantedName.toLowerCase().endsWith(`.${kind}`);
    const name = named ? wantedName : `${wantedName}.${kind}`;
    const folder = await this.#privateFolder('downloads').catch((error: unknown) => {
      throw fileError(error, name);
    });
    const file = path.join(folder, name);
    return {
      path: file,
      name,
      finished: (beside = [], as = name) => {
        for (const offered of [as, ...beside])
          try {
            this.downloads.offer(path.join(folder, offered), offered);
          } catch (error) {
            throw fileError(error, offered);
          }
      },
    };
  }

  async open({ kind }: InputOf<'dialogs.open'>): Promise<ChosenPath | null> {
    if (isPicked(kind)) {
      let end: ChosenPath | ParapetError | null = null;
      const { id, answer } = this.#pages.ask({ host: 'pick', ...PICKS[kind] });
      this.#uploads.set(id, {
        maxBytes: PICKS[kind].maxBytes,
        folder: null,
        settle: (how) => {
          end = how;
        },
      });
      const outcome = await answer;
      this.#uploads.delete(id);
      const ended = end as ChosenPath | ParapetError | null;
      if (ended instanceof ParapetError) throw ended;
      if (outcome === 'failed')
        throw new ParapetError('internal', 'The page could not upload the file. Choose it again.');
      return ended;
    }
    const expectedKind = kind === 'evidence-folder' ? 'folder' : 'file';
    let chosen: ChosenPath | null = null;
    const { id, answer } = this.#pages.ask({ host: 'ask-path', expected: expectedKind });
    this.#paths.set(id, {
      expected: expectedKind,
      take: (name) => {
        chosen = name;
      },
    });
    await answer;
    this.#paths.delete(id);
    return chosen;
  }

  /** Size limit of this upload, or null if it was not requested. */
  limitOf(id: string, isManifest: boolean): number | null {
    const upload = this.#uploads.get(id);
    return upload === undefined ? null : isManifest ? UPLOAD_MAX_BYTES : upload.maxBytes;
  }

  /**
   * Stores a file that a page picked, or its manifest (sent first) under the name manifests have beside their file.
   * False if not requested. Rejects `too-large` and file system errors.
   */
  async receive(id: string, name: string, body: Readable, isManifest: boolean = false): Promise<boolean> {
    const upload = this.#uploads.get(id);
    if (upload === undefined) return false;
    if (!isManifest) this.#uploads.delete(id);
    const safe = safeFileName(name);
    const limit = sizeLimit(isManifest ? UPLOAD_MAX_BYTES : upload.maxBytes);
    const remove = async () => {
      if (upload.folder !== null) await rm(upload.folder, { recursive: true, force: true });
    };
    let file: string;
    try {
      file = path.join(await this.#folderOf(upload), isManifest ? manifestName(safe) : safe);
      await pipeline(body, limit, createWriteStream(file, { mode: 0o600, flags: 'wx' }));
    } catch (error) {
      this.#uploads.delete(id);
      await remove();
      // An upload that breaks off has the code of a lost connection, but it is not that of a disk.
      const isOfDisk = error instanceof Error && 'syscall' in error;
      const explained = isOfDisk ? fileError(error, name) : error;
      if (explained instanceof ParapetError) upload.settle(explained);
      this.#pages.settle(id, 'failed');
      throw error;
    }
    if (isManifest) return true;
    upload.settle({ path: file, name: path.basename(file), release: remove });
    this.#pages.settle(id, 'done');
    return true;
  }

  /** Submits the path that the analyst typed. Returns what is wrong with it, or null when it was accepted. */
  async choose(id: string, typed: string): Promise<string | null> {
    const question = this.#paths.get(id);
    if (question === undefined) return 'This dialog was already answered.';
    const checked = await checkPath(typed, question.expected);
    if (checked.path === undefined) return checked.problem;
    question.take({ path: checked.path, name: path.basename(checked.path) || checked.path });
    this.#pages.settle(id, 'done');
    return null;
  }

  /** Removes remaining uploads and downloads; returns how many files were never downloaded. */
  async clear(): Promise<number> {
    const count = this.downloads.clear();
    for (const kind of ['downloads', 'uploads'])
      await rm(path.join(this.#dir, kind), { recursive: true, force: true });
    return count;
  }

  /** Created with the first file of an upload; the oldest ones are removed. */
  async #folderOf(upload: Upload): Promise<string> {
    if (upload.folder !== null) return upload.folder;
    upload.folder = await this.#privateFolder('uploads');
    this.#uploadFolders.push(upload.folder);
    for (const old of this.#uploadFolders.splice(0, Math.max(0, this.#uploadFolders.length - UPLOADS_KEPT)))
      await rm(old, { recursive: true, force: true });
    return upload.folder;
  }

  async #privateFolder(kind: string) {
    const parent = path.join(this.#dir, kind);
    await mkdir(parent, { recursive: true, mode: 0o700 });
    return mkdtemp(path.join(parent, 'f-'));
  }
}
