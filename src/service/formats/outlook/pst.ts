/** `.pst` and `.ost`: Outlook's stores (MS-PST), each message written as mail. */
import type { ArchiveEntry } from '../containers/archive.ts';
import type { ByteSource } from '../files/bytes.ts';
import { composeMail, type OutlookMessage, READ } from './compose.ts';
import { namedKeys, type Properties, TYPE, textOf } from './properties.ts';
import { NoMailError, PstBlocks, PstError, type PstNode, type Room } from './pst-blocks.ts';
import { PstHeap } from './pst-heap.ts';

const TYPES = { folder: 2, message: 4, attachment: 5, recipients: 0x12 } as const;
const ROOT = 0x122;
/** The node of a store's named properties, and the numbers of the properties with their sets and their list. */
const NAMES = { node: 0x61, sets: 2, list: 3 } as const;
const ID = { class: 0x001a, subject: 0x0037, name: 0x3001, data: 0x3701 } as const;
const MAX_FOLDERS = 64;
const MAX_DEPTH = 10;
const MAX_NAME = 200;
/** Maximum bytes read for one mail. */
const MAX_MAIL = 256 * 1024 * 1024;
const NAMED: ReadonlySet<number> = new Set([ID.name]);
/** Notes, posts, delivery reports, invitations, assigned tasks. */
const MAIL =
  /^(?:IPM\.(?:Note|Post|Schedule\.Meeting|TaskRequest|Sharing|Recall|Outlook\.Recall|Document)|REPORT)(?:\.|$)/i;
const typeOf = (id: number): number => id & 31;

/** The length of a subject's prefix, stored before the subject as two characters that are not shown. */
function withoutMark(properties: Properties): void {
  const subject = properties.get(ID.subject);
  if (subject?.type === TYPE.text16 && subject.bytes.length >= 4 && subject.bytes.readUInt16LE() === 1)
    properties.set(ID.subject, { ...subject, bytes: subject.bytes.subarray(4) });
  else if (subject?.type === TYPE.text8 && subject.bytes[0] === 1)
    properties.set(ID.subject, { ...subject, bytes: subject.bytes.subarray(2) });
}

class Store {
  readonly #blocks: PstBlocks;
  readonly #folders = new Map<number, string>();
  /** A folder that contains mail cannot be read, so that its name or place is unknown. */
  areFoldersDamaged = false;
  #names: ReadonlyMap<number, number> = new Map();
  #read = READ;

  constructor(blocks: PstBlocks) {
    this.#blocks = blocks;
  }

  /** Reads the numbers of the named properties in this store. If that fails, mails lack the values of these properties. */
  async readNames(): Promise<void> {
    try {
      const node = await this.#blocks.node(NAMES.node);
      if (node === null) return;
      const heap = await PstHeap.open(this.#blocks, node, { bytes: MAX_MAIL });
      const { properties, lost } = await heap.properties(new Set([NAMES.sets, NAMES.list]));
      const [sets, list] = [NAMES.sets, NAMES.list].map((id) => properties.get(id)?.bytes ?? Buffer.alloc(0));
      this.#names = sets && list ? namedKeys(sets, list) : new Map();
      this.#read = new Set([...READ, ...this.#names.keys()]);
      if (lost > 0) this.#blocks.isDamaged = true;
    } catch (error) {
      if (!(error instanceof PstError)) throw error;
      this.#blocks.isDamaged = true;
    }
  }

  /** The names of a folder and its parents; the root has none. */
  async folder(id: number, depth = 0): Promise<string> {
    const folder = this.#folders.get(id);
    if (folder !== undefined) return folder;
    let path = '';
    if (id !== ROOT && id !== 0 && depth < MAX_FOLDERS) {
      let name = `folder ${id.toString(16)}`;
      let parent = 0;
      const before = this.#blocks.isDamaged;
      this.#blocks.isDamaged = false;
      try {
        const node = await this.#blocks.node(id);
        if (node === null) this.areFoldersDamaged = true;
        else {
          parent = node.parent === id ? 0 : node.parent;
          const heap = await PstHeap.open(this.#blocks, node, { bytes: MAX_MAIL });
          const { properties } = await heap.properties(NAMED);
          name = textOf(properties, ID.name, 'windows-1252').slice(0, MAX_NAME) || name;
        }
      } catch (error) {
        if (!(error instanceof PstError)) throw error;
        this.areFoldersDamaged = true;
      }
      this.areFoldersDamaged ||= this.#blocks.isDamaged;
      this.#blocks.isDamaged = before;
      const around = parent === 0 ? '' : await this.folder(parent, depth + 1);
      path = `${around}${name.replaceAll('/', '_')}/`;
    }
    this.#folders.set(id, path);
    return path;
  }

  async #message(
    node: PstNode,
    room: Room,
    depth: number,
  ): Promise<{ message: OutlookMessage; lost: number }> {
    const heap = await PstHeap.open(this.#blocks, node, room);
    const read = await heap.properties(this.#read);
    const properties: Properties = new Map(
      [...read.properties].map(([id, property]) => [this.#names.get(id) ?? id, property]),
    );
    let { lost } = read;
    if (depth === 0) {
      const kind = textOf(properties, ID.class, 'windows-1252') || 'IPM.Note';
      if (!MAIL.test(kind) && this.#blocks.isDamaged) throw new PstError('its kind is damaged');
      if (!MAIL.test(kind)) throw new NoMailError(kind.slice(0, 80));
    }
    withoutMark(properties);
    const message: OutlookMessage = { properties, recipients: [], attachments: [] };
    for (const child of [...heap.children.values()].sort((a, b) => a.id - b.id))
      try {
        if (typeOf(child.id) === TYPES.recipients)
          message.recipients.push(...(await (await PstHeap.open(this.#blocks, child, room)).rows()));
        else if (typeOf(child.id) === TYPES.attachment) {
          const attached = await this.#attachment(child, room, depth);
          message.attachments.push(attached.attachment);
          lost += attached.lost;
        }
      } catch (error) {
        if (!(error instanceof PstError) || room.bytes < 0) throw error;
        lost += 1;
      }
    return { message, lost };
  }

  async #attachment(node: PstNode, room: Room, depth: number) {
    const heap = await PstHeap.open(this.#blocks, node, room);
    const { properties, nodes, lost } = await heap.properties(READ);
    const inner = heap.children.get(nodes.get(ID.data) ?? 0);
    if (inner === undefined) return { attachment: { properties, message: null }, lost };
    if (typeOf(inner.id) !== TYPES.message || depth >= MAX_DEPTH) {
      // An object of another program: its unchanged bytes.
      const bytes = Buffer.concat(await this.#blocks.data(inner.data, room));
      properties.set(ID.data, { type: TYPE.bytes, bytes });
      return { attachment: { properties, message: null }, lost };
    }
    const { message, lost: further } = await this.#message(inner, room, depth + 1);
    return { attachment: { properties, message }, lost: lost + further };
  }

  /** Throws NoMailError, or PstError. */
  async mail(node: PstNode): Promise<{ mail: Buffer; isDamaged: boolean }> {
    const before = this.#blocks.isDamaged;
    this.#blocks.isDamaged = false;
    const { message, lost } = await this.#message(node, { bytes: MAX_MAIL }, 0);
    const { mail, isDamaged } = composeMail(message);
    const isMarked = isDamaged || lost > 0 || this.#blocks.isDamaged;
    this.#blocks.isDamaged ||= before;
    return { mail, isDamaged: isMarked };
  }
}

/**
 * The messages of a store by folder and number, each composed when it is opened. Throws PstError if it is not a store;
 * damage in its index is reported at the end.
 */
export async function* pstEntries(source: ByteSource, size: number): AsyncGenerator<ArchiveEntry> {
  const blocks = await PstBlocks.open(source, size);
  const store = new Store(blocks);
  await store.readNames();
  let isIndexDamaged = blocks.isDamaged;
  blocks.isDamaged = false;
  for await (const node of blocks.nodes()) {
    isIndexDamaged ||= blocks.isDamaged;
    if (typeOf(node.id) !== TYPES.message) continue;
    let isDamaged = false;
    yield {
      name: `${await store.folder(node.parent)}${node.id.toString(16)}.eml`,
      encrypted: false,
      isDamaged: () => isDamaged,
      async *open() {
        const mail = await store.mail(node);
        isDamaged = mail.isDamaged;
        yield mail.mail;
      },
    };
    blocks.isDamaged = false;
  }
  if (isIndexDamaged || blocks.isDamaged)
    throw new PstError('its index is damaged: mails that it no longer finds are missing');
  if (store.areFoldersDamaged)
    throw new PstError('folders in it are damaged: their names may be wrong or missing');
}
