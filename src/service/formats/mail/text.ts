import { isUtf8 } from 'node:buffer';
import { charsetOf, decodeGuess, isLikelier, readLabelled } from '#shared/mail/charsets.ts';
import { narrowed, wideEncoding } from '../files/mail-start.ts';
import type { PartNode } from './structure.ts';

const META_CHARSET =
  /<meta[^>]{0,200}charset\s*=\s*["']?([\w.:-]{2,40})|^\s*<\?xml\s[^>]{0,200}encoding\s*=\s*["']([\w.:-]{2,40})/i;

/**
 * The charset named by a meta element, or by an XML declaration before the page, as browsers read them (HTML, 13.2.3.2),
 * or null if there is none. They read them as ASCII, so they ignore a charset that is not based on it.
 */
function metaCharset(bytes: Buffer): string | null {
  const match = META_CHARSET.exec(bytes.toString('latin1', 0, 2_048));
  const meta = match?.[1] ?? match?.[2];
  const charset = meta === undefined ? null : charsetOf(meta);
  return charset?.isAscii && charset.encoding !== 'utf-7' ? charset.encoding : null;
}

/** The charset that a part names; null for none and for US-ASCII. */
function namedCharset(node: PartNode): string | null {
  const named = node.charset?.trim() || null;
  return named !== null && !/^(?:us-)?ascii$/i.test(named) ? named : null;
}

/**
 * The text of a part whose page names another charset than the mail. The page counts where the mail's charset is unknown
 * or plainly wrong; `guess` says which one was taken if it matters.
 */
function readPage(bytes: Buffer, named: string, page: string): { text: string; guess: string | null } {
  const mail = readLabelled(bytes, named, 'the text');
  const text = readLabelled(bytes, page, 'the text');
  if (text.guess !== null || text.text === mail.text) return mail;
  const label = named.slice(0, 40);
  if (mail.text.includes('\ufffd') || charsetOf(named) === null || isLikelier(text.text, mail.text))
    return { text: text.text, guess: `the text is ${page} as its page says, not ${label} as the mail says` };
  return {
    text: mail.text,
    guess: `the page names the charset ${page}, the mail ${label}; read as ${label}`,
  };
}

/**
 * The text of an attached page, as a browser shows the saved file: the charset that the mail names is ignored; only the
 * byte order mark and meta elements of the page count.
 */
export function decodePage(bytes: Buffer): string {
  const text = narrowed(bytes);
  const charset = text === bytes ? metaCharset(bytes) : null;
  return lineFeeds(charset === null ? decodeGuess(text) : (charsetOf(charset)?.decode(bytes) ?? ''));
}

/** The text of a text part, with LF line ends. `bytes` is its body with the transfer encoding undone. */
export function decodeText(node: PartNode, bytes: Buffer, problems: Set<string>): string {
  const flowed = node.parameters.get('format')?.toLowerCase() === 'flowed';
  const isSpaced = node.parameters.get('delsp')?.toLowerCase() === 'yes';
  // A mail with the line ends of old Macs, as Outlook for Mac stores it.
  const isMac = node.body.includes('\r') && !node.body.includes('\n');
  const paragraphs = (text: string): string => {
    const lines = isMac ? text.replaceAll('\r', '\n') : text;
    return flowed ? unflowed(lines, isSpaced) : lines;
  };
  const named = namedCharset(node);
  const wide = wideEncoding(bytes)?.toUpperCase().slice(0, 'UTF-16'.length);
  if (wide !== undefined) {
    if (named === null || charsetOf(named)?.encoding.toUpperCase().startsWith(wide) !== true)
      problems.add(
        `the text is ${wide}${named === null ? '' : `, not ${named.slice(0, 40)} as the mail says`}`,
      );
    return paragraphs(lineFeeds(decodeGuess(narrowed(bytes))));
  }
  const page = node.contentType === 'text/html' ? metaCharset(bytes) : null;
  const charset = named ?? page;
  if (charset === null) {
    if (!isUtf8(bytes)) problems.add('8-bit text of no named charset; read as windows-1252');
    return paragraphs(lineFeeds(decodeGuess(bytes)));
  }
  const { text, guess } =
    named !== null && page !== null ? readPage(bytes, named, page) : readLabelled(bytes, charset, 'the text');
  if (guess !== null) problems.add(guess);
  return paragraphs(lineFeeds(text));
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
  return text.includes('\r\n') ? text.replace(/\r{1,3}\n/g, '\n') : text;
}
