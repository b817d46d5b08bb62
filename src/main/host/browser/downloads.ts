/**
 * Files waiting for a page to download them. A waiting file is unlinked and held only by a descriptor of this process,
 * so however the process ends, nothing remains that could be opened.
 */
import { closeSync, fstatSync, openSync, read, rmSync } from 'node:fs';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { patientlySync } from '#workers/retry-locked-file.ts';
import type { Pages } from './pages.ts';

/** Limit of waiting files; the oldest are dropped. */
const KEPT = 100;
/** Failed transfers after which a page is given up and the file offered to the next one. */
const TRIES = 8;
/** How long the next download waits for one that has not begun; a browser may ask the analyst first. */
export const BEGINS_WITHIN_MS = 30_000;

interface Download {
  name: string;
  bytes: number;
  read(): Readable;
  /** Ends the transfer: if it `arrived` the file is released, otherwise it can be downloaded again. */
  end(arrived: boolean): void;
}

interface Waiting {
  descriptor: number;
  name: string;
  bytes: number;
  tries: number;
  /** Called when its transfer begins. */
  begun(): void;
  /** Resolves when the current transfer has ended. */
  transfer: Promise<void> | null;
}

export interface Downloads {
  /** Unlinks the file and offers it to the current page, or to the next one. */
  offer(path: string, name: string): void;
  /** Name and size of a file, without taking it. Null if unknown, in transfer, or downloaded already. */
  peek(id: string): { name: string; bytes: number } | null;
  /** Takes the file for a transfer, one at a time. null as above. */
  take(id: string): Download | null;
  /** Releases all files; returns how many were never downloaded. */
  clear(): number;
}

const readAt = promisify(read);
const CHUNK_BYTES = 256 * 1024;

/** Reads from start to end without closing the descriptor, as a file stream would. */
async function* contents(descriptor: number): AsyncGenerator<Buffer> {
  for (let index = 0; ; ) {
    const { bytesRead, buffer } = await readAt(descriptor, Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, index);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    index += bytesRead;
  }
}

export function createDownloads(pages: Pick<Pages, 'ask' | 'settle' | 'page'>): Downloads {
  const waiting = new Set<Waiting>();
  const offered = new Map<string, Waiting>();

  const release = (file: Waiting) => {
    if (waiting.delete(file)) closeSync(file.descriptor);
    file.begun();
  };

  /**
   * Resolves when the next download may begin. Safari drops a download whose request it has not made yet when the page
   * begins another, and a file and its manifest are offered in the same moment.
   */
  let turn: Promise<void> = Promise.resolve();

  /** Offers the file to one page after another until one has it. */
  const offer = async (file: Waiting) => {
    while (waiting.has(file)) {
      await pages.page(false);
      const before = turn;
      const { promise, resolve } = Promise.withResolvers<void>();
      turn = promise;
      await before;
      if (!waiting.has(file)) return resolve();
      const late = setTimeout(resolve, BEGINS_WITHIN_MS).unref();
      file.begun = () => {
        clearTimeout(late);
        resolve();
      };
      const { id, answer } = pages.ask({ host: 'download', name: file.name });
      file.tries = 0;
      offered.set(id, file);
      const outcome = await answer;
      file.begun();
      offered.delete(id);
      // A transfer may outlive the page that started it.
      await file.transfer;
      if (outcome !== null && waiting.has(file)) await pages.page(true);
    }
  };

  const find = (id: string) => {
    const file = offered.get(id);
    if (file === undefined || !waiting.has(file)) return null;
    return file.transfer !== null || file.tries >= TRIES ? null : file;
  };

  return {
    offer(path, name) {
      const descriptor = openSync(path, 'r');
      patientlySync(() => rmSync(path));
      const { size: bytes } = fstatSync(descriptor);
      const file: Waiting = { descriptor, name, bytes, tries: 0, begun() {}, transfer: null };
      waiting.add(file);
      for (const oldest of [...waiting].slice(0, -KEPT)) if (oldest.transfer === null) release(oldest);
      void offer(file);
    },
    peek: find,
    take(id) {
      const file = find(id);
      if (file === null) return null;
      const transfer = Promise.withResolvers<void>();
      file.transfer = transfer.promise;
      file.begun();
      const { descriptor, name, bytes } = file;
      return {
        name,
        bytes,
        read: () => Readable.from(contents(descriptor), { objectMode: false }),
        end(arrived) {
          if (file.transfer !== transfer.promise) return;
          file.transfer = null;
          if (arrived) {
            release(file);
            pages.settle(id, 'done');
          } else if (++file.tries >= TRIES) pages.settle(id, 'failed');
          transfer.resolve();
        },
      };
    },
    clear() {
      const count = waiting.size;
      for (const file of waiting) release(file);
      return count;
    },
  };
}
