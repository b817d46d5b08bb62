import { isUtf8 } from 'node:buffer';
import PostalMime from 'postal-mime';
import { decodeGuess, decoderOf, isUtf8Instead } from './charset.ts';
import { narrowed } from './mail-start.ts';
import type { PartNode } from './structure.ts';

/** Encodings that `decodeTransfer` decodes exactly. */
const PLAIN_ENCODINGS = new Set(['7bit', '8bit', 'binary', 'base64', 'quoted-printable']);

/**
 * Decodes one text part with the mail library, which knows unusual charset labels. It gets only the part: given a whole
 * mail, it would join the texts of nested messages and convert between text and HTML, neither of which is acceptable
 * for evidence.
 */
export async function decodeWithLibrary(node: PartNode): Promise<string> {
  const charset = node.charset?.trim() || 'utf-8';
  const label = decoderOf(charset)?.encoding ?? charset.replace(/[^\w.:-]/g, '');
  const flowed = node.parameters.get('format')?.toLowerCase() === 'flowed' ? '; format=flowed' : '';
  const delsp = node.parameters.get('delsp')?.toLowerCase() === 'yes' ? '; delsp=yes' : '';
  const encoding = PLAIN_ENCODINGS.has(node.encoding) ? node.encoding : '8bit';
  const type = node.contentType === 'text/html' ? 'text/html' : 'text/plain';
  const head = `Content-Type: ${type}; charset="${label}"${flowed}${delsp}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`;
  const bytes = new Uint8Array(head.length + node.body.length);
  bytes.set(Buffer.from(head, 'latin1'));
  bytes.set(node.body, head.length);
  const mail = await PostalMime.parse(bytes.buffer);
  return (type === 'text/html' ? mail.html : mail.text) ?? '';
}

const META_CHARSET = /<meta[^>]{0,200}charset\s*=\s*["']?([\w.:-]{2,40})/i;

/** Charsets that are not supersets of ASCII. Browsers read a meta element as ASCII, so they ignore it if it names one. */
const NOT_ASCII = /^utf-(?:7|16)/;

/** The charset named by a meta element, as browsers read it (HTML, 13.2.3.2); null: none. */
function metaCharset(bytes: Buffer): string | null {
  const meta = META_CHARSET.exec(bytes.toString('latin1', 0, 2_048))?.[1];
  const encoding = meta === undefined ? undefined : decoderOf(meta)?.encoding;
  return encoding === undefined || NOT_ASCII.test(encoding) ? null : encoding;
}

/** The charset named by a part: its parameter, or a meta element in HTML; null for none and for US-ASCII. */
function namedCharset(node: PartNode, bytes: Buffer): string | null {
  const named = node.charset?.trim() || null;
  if (named !== null && !/^(?:us-)?ascii$/i.test(named)) return named;
  return node.contentType === 'text/html' ? metaCharset(bytes) : null;
}

/**
 * The text of an attached page, as a browser shows the saved file: the charset that the mail names is ignored; only the
 * byte order mark and meta elements of the page count.
 */
export function decodePage(bytes: Buffer): string {
  const text = narrowed(bytes);
  const charset = text === bytes ? metaCharset(bytes) : null;
  return lineFeeds(charset === null ? decodeGuess(text) : (decoderOf(charset)?.decode(bytes) ?? ''));
}

/**
 * The text of a text part, with LF line ends. `bytes` is its body with the transfer encoding undone. Parts in a known
 * charset are decoded directly: the library goes through a Blob for every part, which takes most of its time. A test
 * compares both ways over real mail.
 */
export async function decodeText(node: PartNode, bytes: Buffer, problems: Set<string>): Promise<string> {
  const charset = namedCharset(node, bytes);
  const decoder = charset === null ? null : decoderOf(charset);
  const flowed = node.parameters.get('format')?.toLowerCase() === 'flowed';
  const isSpaced = node.parameters.get('delsp')?.toLowerCase() === 'yes';
  // A mail with the line ends of old Macs, as Outlook for Mac stores it.
  const isMac = node.body.includes('\r') && !node.body.includes('\n');
  const paragraphs = (text: string): string => {
    const lines = isMac ? text.replaceAll('\r', '\n') : text;
    return flowed ? unflowed(lines, isSpaced) : lines;
  };
  const wide = narrowed(bytes);
  if (wide !== bytes && !decoder?.encoding.startsWith('utf-16')) {
    problems.add(
      `the text is UTF-16${charset === null ? '' : `, not ${charset.slice(0, 40)} as the mail says`}`,
    );
    return paragraphs(lineFeeds(decodeGuess(wide)));
  }
  if (charset !== null && !decoder) {
    const isUtf = isUtf8(bytes);
    problems.add(`unknown charset "${charset.slice(0, 40)}"; read as ${isUtf ? 'UTF-8' : 'windows-1252'}`);
    return isUtf ? paragraphs(lineFeeds(decodeGuess(bytes))) : lineFeeds(await decodeWithLibrary(node));
  }
  if (!decoder) {
    if (!isUtf8(bytes)) problems.add('8-bit text of no named charset; read as windows-1252');
    return paragraphs(lineFeeds(decodeGuess(bytes)));
  }
  if (isUtf8Instead(bytes, decoder)) {
    problems.add(`the text is UTF-8, not ${decoder.encoding} as the mail says`);
    return paragraphs(lineFeeds(decodeGuess(bytes)));
  }
  const text = lineFeeds(decoder.decode(bytes));
  if (text.includes('\ufffd')) problems.add(`some characters are not valid ${decoder.encoding}`);
  return paragraphs(text);
}

/**
 * Joins lines of format=flowed (RFC 3676) to paragraphs: a line that ends with a space continues in the next one of the
 * same quote depth, except a signature line. `isSpaced`: that space is not part of the text (DelSp). Linear; the
 * library takes 3 s and 480 MB per MB.
 */
function unflowed(text: string, isSpaced: boolean): string {
  const out: string[] = [];
  let open: string[] | null = null;
  let depth = 0;
  for (const line of text.split('\n')) {
    const quote = /^>*/.exec(line)?.[0].length ?? 0;
    const words = line.startsWith(' ', quote) ? line.slice(quote + 1) : line.slice(quote);
    const goesOn = words.endsWith(' ') && words !== '-- ';
    if (open !== null && quote === depth && words !== '-- ') open.push(words);
    else {
      if (open !== null) out.push(open.join(''));
      depth = quote;
      open = [quote > 0 ? `${'>'.repeat(quote)} ${words}` : words];
    }
    if (goesOn) {
      if (isSpaced) open.push((open.pop() ?? '').slice(0, -1));
    } else {
      out.push(open.join(''));
      open = null;
    }
  }
  if (open !== null) out.push(open.join(''));
  return out.join('\n');
}

function lineFeeds(text: string): string {
  return text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text;
}
