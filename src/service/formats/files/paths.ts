/** Paths of evidence. A label names a file below the root, with '/' between the parts; bytes that are not UTF-8 are escaped. */
import { isUtf8 } from 'node:buffer';
import { dirname, join, sep } from 'node:path';

/** A Buffer if the name is not UTF-8. */
export type FilePath = string | Buffer;

const ESCAPED = /\\x([0-9A-F]{2})/g;
const SEPARATOR = sep.charCodeAt(0);

const sequenceLength = (lead: number): number => (lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4);

/** A name as part of a label: `M\xFCller`. If a name contains text like such an escape, its backslash is escaped. */
export function labelOf(name: Buffer): string {
  const escaped = (byte: number) => `\\x${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  let out = '';
  for (let offset = 0; offset < name.length; ) {
    const lead = name[offset] ?? 0;
    const piece = name.subarray(offset, offset + sequenceLength(lead));
    const isText = isUtf8(piece) && !/^\\x[0-9A-F]{2}/.test(name.toString('latin1', offset, offset + 4));
    out += isText ? piece.toString('utf8') : escaped(lead);
    offset += isText ? piece.length : 1;
  }
  return out;
}

/** The file that a label names. */
export function pathOf(root: string, label: string): FilePath {
  if (!label.includes('\\x')) return join(root, label);
  // Escapes in the root are not decoded: it is a plain path, and on Windows may have a folder such as "xABC".
  const name = Buffer.from(
    Buffer.from(label, 'utf8')
      .toString('latin1')
      .replaceAll('/', sep)
      .replace(ESCAPED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );
  if (isUtf8(name)) return join(root, name.toString('utf8'));
  return Buffer.concat([Buffer.from(join(root, sep), 'utf8'), name]);
}

/** Another file of the same folder. */
export function besideOf(path: FilePath, name: string): FilePath {
  if (typeof path === 'string') return join(dirname(path), name);
  return Buffer.concat([path.subarray(0, path.lastIndexOf(SEPARATOR) + 1), Buffer.from(name)]);
}
