/** The type of bytes by their content, regardless of the declared type. */
import { narrowed } from './mail-start.ts';

type Mark = readonly [type: string, offset: number, bytes: string];

/** Bytes as latin1. The first match applies. */
const MARKS: readonly Mark[] = [
  ['application/pdf', 0, '%PDF-'],
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/gif', 0, 'GIF8'],
  ['image/bmp', 0, 'BM'],
  ['image/tiff', 0, 'II*\0'],
  ['image/tiff', 0, 'MM\0*'],
  ['image/vnd.microsoft.icon', 0, '\0\0\x01\0'],
  ['application/x-msdownload', 0, 'MZ'],
  ['application/x-elf', 0, '\x7fELF'],
  ['application/x-mach-binary', 0, '\xcf\xfa\xed\xfe'],
  ['application/x-mach-binary', 0, '\xce\xfa\xed\xfe'],
  ['application/x-ms-shortcut', 0, 'L\0\0\0\x01\x14\x02\0'],
  ['application/x-cfb', 0, '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'],
  ['application/onenote', 0, '\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d'],
  ['application/rtf', 0, '{\\rt'],
  ['application/vnd.ms-cab-compressed', 0, 'MSCF'],
  ['application/x-7z-compressed', 0, '7z\xbc\xaf\x27\x1c'],
  ['application/vnd.rar', 0, 'Rar!\x1a\x07'],
  ['application/gzip', 0, '\x1f\x8b'],
  ['application/x-bzip2', 0, 'BZh'],
  ['application/x-xz', 0, '\xfd7zXZ\0'],
  ['application/zstd', 0, '\x28\xb5\x2f\xfd'],
  ['application/x-compress', 0, '\x1f\x9d'],
  ['application/x-lzh-compressed', 2, '-lh5-'],
  ['application/x-ace', 7, '**ACE**'],
  ['application/x-arj', 0, '\x60\xea'],
  ['application/x-tar', 257, 'ustar'],
  ['application/x-iso9660-image', 32_769, 'CD001'],
  ['application/x-vhd', 0, 'conectix'],
  ['application/x-vhdx', 0, 'vhdxfile'],
  ['application/x-ms-wim', 0, 'MSWIM\0\0\0'],
  ['application/vnd.ms-tnef', 0, '\x78\x9f\x3e\x22'],
  ['application/vnd.ms-htmlhelp', 0, 'ITSF'],
  ['application/java-vm', 0, '\xca\xfe\xba\xbe'],
  ['application/x-msaccess', 4, 'Standard Jet DB\0'],
  ['application/x-msaccess', 4, 'Standard ACE DB\0'],
  ['application/vnd.ms-outlook-pst', 0, '!BDN'],
  ['application/x-sqlite3', 0, 'SQLite format 3\0'],
  ['audio/wav', 8, 'WAVE'],
  ['image/webp', 8, 'WEBP'],
  ['audio/mpeg', 0, 'ID3'],
  ['image/heic', 4, 'ftyphei'],
  ['image/heif', 4, 'ftypmif1'],
  ['image/avif', 4, 'ftypavif'],
  ['audio/mp4', 4, 'ftypM4A '],
  ['video/quicktime', 4, 'ftypqt  '],
  ['video/mp4', 4, 'ftyp'],
  ['application/pgp-encrypted', 0, '-----BEGIN PGP MESSAGE'],
];

/** The names of entries near the beginning say which kind of zip it is; their directory is at its end. */
const ZIPPED: readonly (readonly [name: string, type: string])[] = [
  ['word/', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['xl/', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['ppt/', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
  ['AndroidManifest.xml', 'application/vnd.android.package-archive'],
  ['AppxManifest.xml', 'application/vnd.ms-appx'],
];
/** For a zip that does not name its type. */
const LESS_SURE: typeof ZIPPED = [
  ['META-INF/MANIFEST.MF', 'application/java-archive'],
  ['META-INF/container.xml', 'application/epub+zip'],
];
/** Of an ordinary zip, an empty one, and the first file of a split one. */
const ZIPS = ['PK\x03\x04', 'PK\x05\x06', 'PK\x07\x08'];
const HEAD = 4_096;
/** Nearly all signatures end before this offset. */
const NEAR = 512;

/**
 * OpenDocument, EPUB and signed containers name their type in their first entry, which is not compressed. Any other
 * type there could be a pretence.
 */
const NAMED =
  /^mimetype.{0,64}?(application\/(?:epub\+zip|vnd\.(?:oasis\.opendocument|etsi\.asic)[a-z.+-]{1,40}))/s;
/** The offset of the first entry's name. */
const FIRST_NAME = 30;

function zippedType(bytes: Buffer): string {
  const ends = [bytes.subarray(0, HEAD), bytes.subarray(-HEAD)]
    .map((part) => part.toString('latin1'))
    .join(' ');
  const typeOf = (list: typeof ZIPPED) => list.find(([name]) => ends.includes(name))?.[1];
  return (
    typeOf(ZIPPED) ?? NAMED.exec(ends.slice(FIRST_NAME, NEAR))?.[1] ?? typeOf(LESS_SURE) ?? 'application/zip'
  );
}

/** Control characters of texts: tab, line ends, form feed, and escape, with which ISO-2022 changes charsets. */
const IN_TEXTS = (1 << 9) | (1 << 10) | (1 << 12) | (1 << 13) | (1 << 27);
function isText(head: Buffer): boolean {
  for (let index = 0; index < head.length; index++) {
    const byte = head[index]!;
    if (byte < 32 && ((IN_TEXTS >>> byte) & 1) === 0) return false;
  }
  return true;
}

/** The type of a text: HTML, SVG and XML are distinguished by their first element, as in browsers. */
function textType(head: Buffer): string {
  const text = head
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '')
    .trimStart()
    .toLowerCase();
  const first = /^(?:<\?xml[^>]*>\s*|<!--(?:(?!-->)[\s\S])*-->\s*)*<!?([a-z][\w:]*)/.exec(
    text.slice(0, 1_024),
  )?.[1];
  if (first === 'doctype') return text.includes('<svg') ? 'image/svg+xml' : 'text/html';
  if (first === 'svg') return 'image/svg+xml';
  if (
    first !== undefined &&
    /^(?:html|head|body|script|iframe|meta|title|div|form|table|a|p|img|style)$/.test(first)
  )
    return 'text/html';
  return text.startsWith('<?xml') ? 'text/xml' : 'text/plain';
}

/** Java's classes and Apple's programs for several processors begin alike: the first have a version from 45 on. */
const isFatBinary = (bytes: Buffer): boolean => bytes.length >= 8 && bytes.readUInt32BE(4) < 45;

/** Readers open a PDF that begins this late, after a byte order mark or anything else. */
const LATEST_PDF = 1_024;
const isLatePdf = (bytes: Buffer): boolean =>
  bytes.subarray(0, LATEST_PDF).includes('%PDF-') && bytes.subarray(-LATEST_PDF).includes('%%EOF');

/** The type of bytes that are not text in ASCII or UTF-8. */
function otherType(head: Buffer): string {
  // Browsers open HTML in UTF-16, too.
  const text = narrowed(head);
  return text !== head && isText(text) ? textType(text) : 'application/octet-stream';
}

/** A media type; `application/octet-stream`: unknown, or null if there are no bytes. */
export function typeByContent(bytes: Buffer): string | null {
  if (bytes.length === 0) return null;
  if (ZIPS.includes(bytes.toString('latin1', 0, 4))) return zippedType(bytes);
  const start = bytes.toString('latin1', 0, NEAR);
  const match = MARKS.find(([, offset, mark]) =>
    offset < NEAR
      ? start.startsWith(mark, offset)
      : bytes.toString('latin1', offset, offset + mark.length) === mark,
  );
  const head = bytes.subarray(0, HEAD);
  // A text may start with the letters of a short signature.
  if (match && !(/^[\w-]+$/.test(match[2]) && isText(head)))
    return match[0] === 'application/java-vm' && isFatBinary(bytes) ? 'application/x-mach-binary' : match[0];
  if (isLatePdf(bytes)) return 'application/pdf';
  return isText(head) ? textType(head) : otherType(head);
}
