/**
 * Attachments that Dovecot keeps apart from a mail (`mail_attachment_dir`): the mail has nothing in their places, and the
 * lines after it say where each belongs. The folder is found beside the mailbox, or beside a folder above it.
 */
import { readdir } from 'node:fs/promises';
import { isThere } from '#workers/exists-or-throw.ts';
import { partFile, unlessMissing } from '../files/part-file.ts';
import { labelOf, pathOf } from '../files/paths.ts';

/** An attachment in another file of Dovecot. */
export interface DovecotPart {
  /** In the complete mail, and as stored in it: encoded. */
  offset: number;
  size: number;
  /** Characters of a line of base64, or null if it is not encoded. */
  line: number | null;
  eol: '\n' | '\r\n';
  /** Below the folder of attachments; the file has more after it. Null if no path that Dovecot writes. */
  path: string | null;
}

/** A mail with the parts that were found. */
interface Rejoined {
  mail: Buffer;
  isParted: boolean;
}

export type PutBack = (mail: Buffer, parts: readonly DovecotPart[]) => Promise<Rejoined>;

const REFERENCE = /(\d{1,12}) (\d{1,12}) (\S+) (\S+)(?: |$)/g;
const PATH = /^([\da-f]{2})\/([\da-f]{2})\/\1\2[\da-f]*-[\da-f]{32}$/i;
/** Folders beside each other that are searched for one of attachments. */
const MOST_BESIDE = 1_000;

/** The attachments that are listed on a line after a mail, without the letter before it. */
export const dovecotParts = (line: string): DovecotPart[] =>
  [...line.matchAll(REFERENCE)].map(([, offset, size, options = '', path = '']) => {
    const characters = Number(/B(\d{1,4})/.exec(options)?.[1] ?? 0);
    return {
      offset: Number(offset),
      size: Number(size),
      line: characters > 0 ? characters : null,
      eol: options.includes('C') ? '\r\n' : '\n',
      path: PATH.test(path) ? path : null,
    };
  });

/** As it was in the mail, or null if not of this size. */
function encoded(bytes: Buffer, { size, line, eol }: DovecotPart): Buffer | null {
  if (line === null) return bytes.length === size ? bytes : null;
  const lines = bytes.toString('base64').match(new RegExp(`.{1,${line}}`, 'g')) ?? [];
  const text = lines.join(eol);
  return Buffer.from(text.length === size ? text : `${text}${eol}`, 'latin1');
}

const listed = async (root: string, label: string) =>
  (await readdir(pathOf(root, label), { encoding: 'buffer', withFileTypes: true }).catch(unlessMissing)) ??
  [];

/** Far faster than listing it. Throws, in words, if the lookup fails, which says nothing about the part. */
function isFolderThere(root: string, label: string): boolean {
  try {
    return isThere(pathOf(root, label));
  } catch (error) {
    return unlessMissing(error) !== null;
  }
}

const below = (label: string, name: string): string => (label === '' ? name : `${label}/${name}`);

/** Puts parts back into mails of the evidence at `root`, a real path. Nothing outside is read, and no link is followed. */
export class DovecotFolders {
  readonly #root: string;
  readonly #most: number;
  /** By folder: itself and those in it. */
  readonly #beside = new Map<string, Promise<string[]>>();

  /** `most` are the bytes of a mail. */
  constructor(root: string, most: number) {
    this.#root = root;
    this.#most = most;
  }

  #foldersAt(label: string): Promise<string[]> {
    const listing = this.#beside.get(label);
    if (listing !== undefined) return listing;
    const parts = listed(this.#root, label).then((entries) => {
      const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => labelOf(entry.name));
      return [label, ...folders.slice(0, MOST_BESIDE).map((name) => below(label, name))];
    });
    this.#beside.set(label, parts);
    return parts;
  }

  async #file(label: string, path: string): Promise<string | null> {
    const steps = label.split('/');
    const folder = path.slice(0, path.lastIndexOf('/'));
    const name = path.slice(folder.length + 1);
    while (steps.pop() !== undefined)
      for (const base of await this.#foldersAt(steps.join('/'))) {
        const place = below(base, folder);
        if (!isFolderThere(this.#root, place)) continue;
        const parts = (await listed(this.#root, place))
          .map((entry) => labelOf(entry.name))
          .find((label) => label === name || label.startsWith(`${name}-`));
        if (parts !== undefined) return `${place}/${parts}`;
      }
    return null;
  }

  /** For the mails of the mailbox at `label`. */
  readonly putBackFor =
    (label: string): PutBack =>
    async (mail, parts) => {
      const pieces: Buffer[] = [];
      let isParted = false;
      let start = 0;
      let length = 0;
      let room = this.#most - mail.length;
      for (const part of parts) {
        const file = part.path === null ? null : await this.#file(label, part.path);
        const bytes = file === null ? null : await partFile(pathOf(this.#root, file), room);
        const piece = bytes && encoded(bytes, part);
        const before = part.offset - length;
        if (before < 0 || start + before > mail.length) return { mail, isParted: true };
        pieces.push(mail.subarray(start, start + before));
        start += before;
        length += before + part.size;
        if (piece?.length !== part.size || part.size > room) {
          isParted = true;
          continue;
        }
        pieces.push(piece);
        room -= piece.length;
      }
      return { mail: Buffer.concat([...pieces, mail.subarray(start)]), isParted };
    };
}
