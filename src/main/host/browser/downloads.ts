/**
 * Files that wait for a page to fetch them. A waiting file has no name on disk, only this process holds it: what
 * ends the process, however hard, leaves nothing that anyone can open.
 */
import { closeSync, fstatSync, openSync, read, rmSync } from 'node:fs';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import type { Pages } from './pages.ts';

/** Files that nobody fetches; the oldest go. */
const KEPT = 100;
/** A page whose downloads break off again and again gets no more of them: the next page does. */
const TRIES = 8;

interface Download {
  name: string;
  bytes: number;
  read(): Readable;
  /** How the transfer ended: `arrived` lets go of the file, otherwise it can be fetched again. */
  end(arrived: boolean): void;
}

interface Waiting {
  descriptor: number;
  name: string;
  bytes: number;
  tries: number;
  /** Resolves when the transfer that is under way has ended. */
  transfer: Promise<void> | null;
}

export interface Downloads {
  /** Takes the file from its place on disk and offers it to the page of now, or to the next one. */
  offer(path: string, name: string): void;
  /** Name and size of a file, which stays. null: unknown, under way, or fetched before. */
  look(id: string): { name: string; bytes: number } | null;
  /** The file of an offer, for one transfer at a time. null: as above. */
  take(id: string): Download | null;
  /** Lets go of all of them; answers how many were never fetched. */
  clear(): number;
}

const readAt = promisify(read);
const CHUNK_BYTES = 256 * 1024;

/** From the first byte to the last. The descriptor stays open, which a stream of the file system would close. */
async function* contents(descriptor: number): AsyncGenerator<Buffer> {
  for (let at = 0; ; ) {
    const { bytesRead, buffer } = await readAt(descriptor, Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, at);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}

export function createDownloads(pages: Pick<Pages, 'ask' | 'settle' | 'page'>): Downloads {
  const waiting = new Set<Waiting>();
  const offered = new Map<string, Waiting>();

  const release = (file: Waiting) => {
    if (waiting.delete(file)) closeSync(file.descriptor);
  };

  /** One page after the other is told of the file, until one has it. */
  const offer = async (file: Waiting) => {
    while (waiting.has(file)) {
      await pages.page(false);
      const { id, answer } = pages.ask({ host: 'download', name: file.name });
      file.tries = 0;
      offered.set(id, file);
      const outcome = await answer;
      offered.delete(id);
      // A transfer outlives the page that began it.
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
      rmSync(path);
      const file: Waiting = { descriptor, name, bytes: fstatSync(descriptor).size, tries: 0, transfer: null };
      waiting.add(file);
      for (const oldest of [...waiting].slice(0, -KEPT)) if (oldest.transfer === null) release(oldest);
      void offer(file);
    },
    look: find,
    take(id) {
      const file = find(id);
      if (file === null) return null;
      const transfer = Promise.withResolvers<void>();
      file.transfer = transfer.promise;
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
      const left = waiting.size;
      for (const file of waiting) release(file);
      return left;
    },
  };
}
