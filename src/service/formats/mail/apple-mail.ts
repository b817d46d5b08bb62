/**
 * Parts that Apple Mail stores in files beside a mail, or never downloaded (`5.partial.emlx`): they are empty in the mail
 * and have a header field `X-Apple-Content-Length`. Apple does not document this; the locations are those that other
 * readers of its store use.
 */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { firstHeader } from '#shared/mail/headers.ts';
import { partFile, unlessMissing } from '../files/part-file.ts';
import { labelOf, pathOf } from '../files/paths.ts';
import { type PartNode, parseStructure } from './structure.ts';
import type { EvidenceLimits } from './types.ts';

const FIELD = 'X-Apple-Content-Length';
const LINE = /.{1,76}/g;

/** Whether the mail was stored without the content of this part. */
export const isLeftOut = ({ multipart, headers, body }: PartNode): boolean =>
  !multipart && firstHeader(headers, FIELD) !== undefined && body.toString('latin1', 0, 64).trim() === '';

/** The content of a part, encoded for transfer as in the mail or not, or null if it is missing. */
type FoundPart = { bytes: Buffer; isEncoded: boolean } | null;
/** Parts are numbered as in `2` or `1.2`. */
type FindPart = (number: string, filename: string | null) => Promise<FoundPart>;

/**
 * Finds parts of the mail at `label`: `Attachments/5/1.2/report.pdf` beside the folder of `5.partial.emlx`, or the older
 * `5.1.2.emlxpart` beside the mail itself. Nothing outside of `root` is read, and no link is followed.
 */
function partsBeside(root: string, label: string, most: number): FindPart {
  const steps = label.split('/');
  const name = steps.pop() ?? '';
  const id = name.replace(/(?:\.partial)?\.emlx$/i, '');
  const above = steps.length === 0 ? null : steps.slice(0, -1);
  return async (number, filename) => {
    const old = await partFile(pathOf(root, [...steps, `${id}.${number}.emlxpart`].join('/')), most);
    if (old !== null) return { bytes: old, isEncoded: true };
    if (above === null) return null;
    const folder = [...above, 'Attachments', id, number].join('/');
    const listed = await readdir(pathOf(root, folder), { encoding: 'buffer' }).catch(unlessMissing);
    const names = (listed ?? []).map(labelOf).filter((name) => !name.startsWith('.'));
    const normalName = filename?.normalize('NFC');
    const foundName =
      names.length === 1 ? names[0] : names.find((name) => name.normalize('NFC') === normalName);
    if (foundName === undefined) return null;
    const bytes = await partFile(pathOf(root, `${folder}/${foundName}`), most);
    return bytes && { bytes, isEncoded: false };
  };
}

const mailsOf = (id: string): string[] => [`${id}.partial.emlx`, `${id}.emlx`];

/** For a folder with these names: whether a file in it is read as a part of an existing mail. */
export function partsIn(root: string, label: string, names: readonly string[]): (name: string) => boolean {
  const [, above = '', id] = /^(.*?)(?:^|\/)Attachments\/(\d+)\/[\d.]+$/.exec(label) ?? [];
  if (id !== undefined) {
    const messages = above === '' ? 'Messages' : `${above}/Messages`;
    const hasMail = mailsOf(id).some((name) => existsSync(pathOf(root, `${messages}/${name}`)));
    const [only, ...others] = names.filter((name) => !name.startsWith('.'));
    return (name) => hasMail && others.length === 0 && name === only;
  }
  return (name) => {
    const mail = /^(\d+)\.[\d.]+\.emlxpart$/.exec(name)?.[1];
    return mail !== undefined && mailsOf(mail).some((name) => names.includes(name));
  };
}

/** Bytes in a transfer encoding (RFC 2045 section 6). */
function encoded(bytes: Buffer, encoding: string): Buffer {
  const name = encoding.toLowerCase();
  if (name === 'base64') return Buffer.from((bytes.toString('base64').match(LINE) ?? []).join('\n'));
  if (name !== 'quoted-printable') return bytes;
  const sign = (char: string) => `=${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
  return Buffer.from(bytes.toString('latin1').replace(/[^\n\r !-<>-~]|[ ](?=\r?\n|$)/g, sign), 'latin1');
}

function leftOut(node: PartNode): PartNode[] {
  if (node.nested > 0) return [];
  return isLeftOut(node) ? [node] : node.children.flatMap(leftOut);
}

/**
 * The mail at `label` of the evidence at `root`, a real path, with the parts beside it inserted, and a header field that
 * says so; unchanged if no part is missing or none is found.
 */
export async function rejoined(
  mail: Buffer,
  root: string,
  label: string,
  limits: EvidenceLimits,
): Promise<Buffer> {
  if (!mail.includes(FIELD)) return mail;
  const find = partsBeside(root, label, limits.maxMessageBytes);
  const pieces: Buffer[] = [];
  let offset = 0;
  let end = 0;
  let room = limits.maxMessageBytes - mail.length;
  for (const { path, filename, encoding, body } of leftOut(parseStructure(mail, limits).root)) {
    const position = body.byteOffset - mail.byteOffset;
    // A part that was already converted is not a range of the mail.
    if (body.buffer !== mail.buffer || position < end || position > mail.length) continue;
    const part = await find(path === '0' ? '1' : path, filename);
    if (part === null) continue;
    const bytes = part.isEncoded ? part.bytes : encoded(part.bytes, encoding);
    if (bytes.length > room) continue;
    room -= bytes.length;
    offset += 1;
    pieces.push(mail.subarray(end, position), bytes);
    end = position + body.length;
    // The line end before a boundary belongs to the boundary.
    if (end < mail.length && !/[\r\n]/.test(mail.toString('latin1', end, end + 1)))
      pieces.push(Buffer.from('\n'));
  }
  if (offset === 0) return mail;
  const from = offset === 1 ? 'one part of the mail is' : `${offset} parts of the mail are`;
  return Buffer.concat([
    Buffer.from(`X-Parapet-Converted: from Apple Mail; ${from} from files beside it\n`),
    ...pieces,
    mail.subarray(end),
  ]);
}
