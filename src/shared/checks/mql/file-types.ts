import { dictionary } from '../../dictionary.ts';
import { UNKNOWN } from './values.ts';

const BY_CONTENT: Readonly<Record<string, string>> = dictionary({
  'application/pdf': 'pdf',
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/bmp': 'bmp',
  'image/tiff': 'tif',
  'image/webp': 'webp',
  'image/heic': 'heif',
  'image/avif': 'avif',
  'image/vnd.microsoft.icon': 'ico',
  'application/x-msdownload': 'exe',
  'application/x-elf': 'elf',
  'application/x-mach-binary': 'macho',
  'application/x-ms-shortcut': 'lnk',
  'application/onenote': 'one',
  'application/rtf': 'rtf',
  'application/vnd.ms-cab-compressed': 'cab',
  'application/x-7z-compressed': '7z',
  'application/vnd.rar': 'rar',
  'application/gzip': 'gz',
  'application/x-bzip2': 'bz2',
  'application/x-xz': 'xz',
  'application/zip': 'zip',
  'application/x-tar': 'tar',
  'application/x-iso9660-image': 'iso',
  'application/vnd.ms-tnef': 'tnef',
  'application/java-archive': 'jar',
  'application/epub+zip': 'epub',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'audio/wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'mp4',
  'video/mp4': 'mp4',
});
/** Texts, which have no mark of their type; only their names tell them. */
const TEXTS = new Set(
  'html htm xhtml txt csv ics eml svg xml json js vbs hta bat cmd ps1 sh py css vcf md log'.split(' '),
);
const SAME: Readonly<Record<string, string>> = dictionary({ htm: 'html' });

/** By the bytes, and of a text by its name; null if it has no name that says it. */
export function fileType(
  contentType: string | null,
  extension: string | null,
): string | null | typeof UNKNOWN {
  if (contentType !== null && !/^text\/|xml$/.test(contentType)) return BY_CONTENT[contentType] ?? UNKNOWN;
  if (extension === null) return null;
  return TEXTS.has(extension) ? (SAME[extension] ?? extension) : UNKNOWN;
}
