/** What runs or is loaded from a document of an office program, and its links; nothing in it is opened as a document. */
import { Parser } from 'htmlparser2';
import type { AttachmentTrait } from '#shared/checks/prepared-mail.ts';
import { zipList, zippedBytes } from '../containers/zip-list.ts';
import { readCfb, type Storage } from '../outlook/cfb.ts';

export interface OfficeContents {
  links: string[];
  traits: Set<AttachmentTrait>;
  /** Some of its lists of links were not read. */
  isPartial: boolean;
}

/** Lists of links in a document (OPC, 9.3), their unpacked bytes, and links that are taken. */
const MOST_LISTS = 200;
const MOST_LIST = 1024 * 1024;
const MOST_LINKS = 1_000;
const MOST_TEXT = 16 * 1024 * 1024;

/** Types of links that a program follows when the document is opened. */
const LOADED = /\/(?:attachedTemplate|oleObject|frame|subDocument|externalLinkPath|package)$/i;

/** The links to other places in a list of relations. */
function readRelations(xml: string, out: OfficeContents): void {
  const parser = new Parser(
    {
      onopentag: (name, { Target = '', TargetMode = '', Type = '' }) => {
        if (!/(?:^|:)Relationship$/.test(name) || TargetMode.toLowerCase() !== 'external') return;
        if (/^(?:https?|ftp|file):|^\\\\/i.test(Target) && LOADED.test(Type)) out.traits.add('template');
        if (out.links.length >= MOST_LINKS) out.isPartial = true;
        else if (/^[a-z][a-z\d+.-]+:/i.test(Target)) out.links.push(Target);
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
}

/** A document of Office since 2007, or OpenDocument: a zip of parts. */
function inZip(bytes: Buffer): OfficeContents {
  const out: OfficeContents = { links: [], traits: new Set(), isPartial: false };
  let lists = 0;
  for (const file of zipList(bytes) ?? []) {
    const { path } = file;
    if (/(?:^|\/)(?:vbaProject\.bin|macrosheets\/.+|Basic\/.+)$/i.test(path)) out.traits.add('macros');
    if (/(?:^|\/)(?:embeddings\/.+\.(?:bin|ole)|activeX\/.+\.bin)$/i.test(path)) out.traits.add('objects');
    if (!/(?:^|\/)_rels\/[^/]+\.rels$/i.test(path)) continue;
    lists += 1;
    const list = lists > MOST_LISTS ? null : zippedBytes(bytes, file, MOST_LIST);
    if (list === null) out.isPartial = true;
    else readRelations(list.toString('utf8'), out);
  }
  return out;
}

const MACROS = /^(?:Macros|_VBA_PROJECT_CUR|VBA)$/i;
const OBJECTS = /^(?:ObjectPool|MBD[\dA-F]{8}|.?Ole10Native)$/i;

function inStorage(storage: Storage, traits: Set<AttachmentTrait>): void {
  for (const name of storage.streams.keys()) if (OBJECTS.test(name)) traits.add('objects');
  for (const [name, inner] of storage.storages) {
    if (MACROS.test(name)) traits.add('macros');
    if (OBJECTS.test(name) && inner.storages.size + inner.streams.size > 0) traits.add('objects');
    inStorage(inner, traits);
  }
}

/** A document of Office before 2007. */
function inCompoundFile(bytes: Buffer): OfficeContents {
  const traits = new Set<AttachmentTrait>();
  try {
    inStorage(readCfb(bytes).root, traits);
    return { links: [], traits, isPartial: false };
  } catch {
    return { links: [], traits, isPartial: true };
  }
}

function inRichText(bytes: Buffer): OfficeContents {
  const text = bytes.toString('latin1', 0, MOST_TEXT);
  const traits = new Set<AttachmentTrait>();
  if (/\\obj(?:data|ocx|update|emb|autlink)(?![a-z])/.test(text)) traits.add('objects');
  if (/\\\*\s*\\template\s+(?:https?|ftp|file|\\\\)/i.test(text)) traits.add('template');
  const targets = [...text.matchAll(/HYPERLINK\s{1,20}"([^"\r\n]{4,2000})"/g)].slice(0, MOST_LINKS);
  return { links: targets.map(([, url = '']) => url), traits, isPartial: bytes.length > MOST_TEXT };
}

/** The type is that of its content (magic.ts). Null for anything but a document of an office program. */
export function officeContents(type: string, bytes: Buffer): OfficeContents | null {
  if (/openxmlformats|opendocument/.test(type)) return inZip(bytes);
  if (type === 'application/x-cfb') return inCompoundFile(bytes);
  return type === 'application/rtf' ? inRichText(bytes) : null;
}
