import type { DecodeBytes } from './charsets.ts';
import { decodeWords, wordAt } from './encoded-words.ts';

/** One mailbox of an address header. */
export interface MailAddress {
  /** Display name, decoded; empty when there is none. */
  name: string;
  /** local@domain as written, without angle brackets; may lack the domain in broken mail. */
  address: string;
  local: string;
  /** Lowercased; empty when the address has no domain. */
  domain: string;
  /** The name of the group it stood in (`Team: a@x.example;`), if any. */
  group?: string;
}

type Token = { kind: 'text' | 'quoted' | 'comment' | 'angle'; text: string };

/** Addresses that are read of one header. */
export const MAX_ADDRESSES = 20_000;
/** Several times what RFC 5321 allows. */
const MAX_ADDRESS = 2_000;
/** Characters of a quoted string or a comment in an address: without a limit, unclosed ones would take quadratic time. */
const MAX_WITHIN = 512;

interface Run {
  text: string;
  /** Of the closer, or of the end of the text. */
  end: number;
  closed: boolean;
}

/** Reads a quoted string or comment with its quoted pairs from `start`, just after its opener, up to `end`. */
function delimited(text: string, start: number, open: string, close: string, end = text.length): Run {
  let depth = 1;
  let out = '';
  let index = start;
  for (; index < end; index++) {
    const char = text[index] ?? '';
    if (char === '\\' && index + 1 < end) {
      out += text[++index];
      continue;
    }
    if (char === close && --depth === 0) return { text: out, end: index, closed: true };
    if (char === open && open !== close) depth++;
    out += char;
  }
  return { text: out, end: index, closed: false };
}

/**
 * Reads the content of angle brackets, from just after the opener. Quoted strings may contain a closer, comments are
 * dropped (RFC 5322 section 3.4); an unclosed bracket ends where the next one begins, since it would otherwise swallow
 * another address.
 */
function angled(text: string, start: number, last: { quote: number; bracket: number }): Run {
  let out = '';
  let position = start;
  for (; position < text.length; position++) {
    const char = text[position] ?? '';
    if (char === '>') return { text: out, end: position, closed: true };
    if (char === '<') return { text: out, end: position - 1, closed: false };
    const quoted = char === '"' && position < last.quote;
    if (quoted || (char === '(' && position < last.bracket)) {
      const end = Math.min(text.length, position + 1 + MAX_WITHIN);
      const run = delimited(text, position + 1, char, quoted ? '"' : ')', end);
      if (run.closed) {
        if (quoted) out += text.slice(position, run.end + 1);
        position = run.end;
        continue;
      }
    }
    out += char;
  }
  return { text: out, end: position, closed: false };
}

const ENCODED_ADDRESS = 'an address is encoded as a whole; programs differ in whether they read it';

/** White space that is not one space. */
const UNEVEN = /[^\S ]|\s{2}/;

/** Mailboxes whose brackets and address are inside encoded words, where RFC 2047 forbids them; none: there is no address. */
function encodedMailboxes(text: string, decode: DecodeBytes): MailAddress[] {
  if (!text.includes('=?') || decodeWords(text, () => '').includes('@')) return [];
  const whole = decodeWords(text, decode);
  if (whole === text || !whole.includes('@')) return [];
  return parseAddresses(whole, decode).filter(({ domain }) => domain !== '');
}

/** What servers write where a mail names no recipient, if not as an empty group. */
const NOBODY = /^(?:undisclosed|unlisted|unspecified)[- ]recipients?$/i;

/** The display name among the tokens: their words, with comments in brackets, as servers show them to the reader. */
const shownName = (tokens: readonly Token[]): string =>
  tokens.map(({ kind, text }) => (kind === 'comment' ? `(${text.trim()})` : text)).join(' ');

/** A name in single quotes, as Outlook writes it; they are not part of it. Several such names in a row stay as they are. */
const SINGLE_QUOTED = /^'((?:[^']|(?<!\s)'(?!\s))+)'$/;

function mailboxes(
  tokens: readonly Token[],
  group: string | undefined,
  decode: DecodeBytes,
  isAuthor: boolean,
): MailAddress[] {
  const inGroup = group === undefined ? {} : { group };
  const angle = tokens.find((token) => token.kind === 'angle');
  const words = tokens.filter((token) => token.kind === 'text' || token.kind === 'quoted');
  const comments = tokens.filter(({ kind, text }) => kind === 'comment' && /[\p{L}\p{N}]/u.test(text));
  const isBare = (angle?.text.trim() ?? '') === '';
  const isNobody = NOBODY.test(
    (isBare ? shownName(words) : (angle?.text ?? '')).replace(/(?<![\s:;])[\s:;]+$/, ''),
  );
  if (!isAuthor && (isNobody || (isBare && words.length === 0))) return [];
  let name = '';
  let address = '';
  if (angle) {
    // Source routes (<@relay.example:user@x.example>) are obsolete; the last part is the mailbox. Quotation marks around
    // a whole address hide its domain from servers, while readers see the address.
    address = angle.text
      .trim()
      .replace(/^@[^:]*:/, '')
      .replace(/^"([^"\\\s@]+@[^"\\\s]+)"$/, '$1');
    name =
      words.length > 0
        ? shownName(tokens.filter((token) => words.includes(token) || comments.includes(token)))
        : '';
  } else {
    const raw = words.map((token) =>
      token.kind === 'quoted' && token.text.includes('@') ? `"${token.text}"` : token.text,
    );
    const text = raw.join(' ').replace(/\s+/g, ' ').replaceAll(' . ', '.').replaceAll(' .', '.').trim();
    const encoded = encodedMailboxes(text, decode);
    if (encoded.length > 0) {
      decode.guessed?.(ENCODED_ADDRESS);
      return encoded.map((address) => ({ ...address, ...inGroup }));
    }
    // A quoted local part may contain spaces; otherwise an address has none.
    const addresses =
      /"(?:[^"\\]|\\.){0,200}"@[^\s"]+/.exec(text)?.[0] ??
      text.split(/\s+/).find((piece) => piece.includes('@'));
    if (addresses === undefined) address = text;
    else {
      address = /^"(?:[^"\\]|\\.)*"@/.test(addresses)
        ? addresses
        : addresses.replace(/^["'<]+|(?<!["'>])["'>]+$/g, '');
      name = text.replace(addresses, ' ').trim();
      if (name !== '') name = `${name} ${shownName(comments)}`;
    }
  }
  if (UNEVEN.test(name)) name = name.replace(/\s+/g, ' ');
  name = decodeWords(name.trim(), decode).trim();
  if (angle) name = SINGLE_QUOTED.exec(name)?.[1] ?? name;
  if (name === '') name = decodeWords(comments.map(({ text }) => text.trim()).join(' '), decode).trim();
  address = address.slice(0, MAX_ADDRESS);
  if (/\s/.test(address)) address = address.replace(/(?<!\s)\s+(?=[@.])|(?<=[@.])\s+/g, '').trim();
  if (address.includes('=?')) {
    const [encoded] = encodedMailboxes(address, decode);
    if (encoded) decode.guessed?.(ENCODED_ADDRESS);
    address = encoded?.address ?? decodeWords(address, decode).trim();
    name ||= encoded?.name ?? '';
  }
  if (address === '' && name === '') return [];
  const cut = address.lastIndexOf('@');
  const domain =
    cut < 0
      ? ''
      : address
          .slice(cut + 1)
          .toLowerCase()
          .replace(/(?<!\.)\.+$/, '');
  return [{ name, address, local: cut < 0 ? address : address.slice(0, cut), domain, ...inGroup }];
}

const withComma = (tokens: readonly Token[]): Token[] =>
  tokens.map((token, index) => (index < tokens.length - 1 ? token : { ...token, text: `${token.text},` }));

/**
 * Whether the text before a comma is part of the name of the address in brackets behind it, as in `Lee, Ann <a@x.test>`.
 * In a field that names one author, so is an address without brackets: Microsoft's servers take
 * `"shop@bank.test", <a@x.test>` to be from x.test, as `header.from` in their DMARC results on real phishing says.
 */
const isPartOfName = (tokens: readonly Token[], isAuthor: boolean): boolean =>
  isAuthor || tokens.every(({ kind, text }) => kind === 'text' && !text.includes('@'));

/**
 * Parses an address list (RFC 5322 section 3.4): display names, comments, groups, quoted local parts, encoded words,
 * and the usual damage (missing brackets, stray commas, semicolons as separators). `text` is the raw unfolded value:
 * words are decoded after splitting, so an encoded comma never splits. A name may contain commas if its address is in
 * brackets. An address with two pairs of brackets is two mailboxes. `isAuthor` means that the field normally names
 * one mailbox (From, Sender). Never throws, linear; at most `most`.
 */
export function parseAddresses(
  text: string,
  decode: DecodeBytes,
  { most = MAX_ADDRESSES, isAuthor = false }: { most?: number; isAuthor?: boolean } = {},
): MailAddress[] {
  const out: MailAddress[] = [];
  /** The text before each comma, as long as it can be part of a name. */
  let pieces: Token[][] = [];
  let tokens: Token[] = [];
  let word = '';
  let group: string | undefined;
  const last = { quote: text.lastIndexOf('"'), bracket: text.lastIndexOf(')') };
  const endWord = () => {
    if (word.trim() !== '') tokens.push({ kind: 'text', text: word.trim() });
    word = '';
  };
  const add = (piece: readonly Token[]) => {
    if (piece.length > 0) out.push(...mailboxes(piece, group, decode, isAuthor).slice(0, most - out.length));
  };
  /** Ends a mailbox with the pieces before it, which are mailboxes of their own if they are not part of its name. */
  const endMailbox = () => {
    endWord();
    const isNamed = tokens.some(({ kind }) => kind === 'text' || kind === 'quoted');
    const isName = tokens.some(({ kind }) => kind === 'angle');
    const before = pieces.findLastIndex((piece) => !isName || !isPartOfName(piece, isAuthor)) + 1;
    for (const piece of pieces.slice(0, before)) add(piece);
    const named = pieces.slice(before);
    const isFollowed = (position: number) => isNamed || position < named.length - 1;
    add([...named.flatMap((piece, index) => (isFollowed(index) ? withComma(piece) : piece)), ...tokens]);
    pieces = [];
    tokens = [];
  };
  const endPiece = () => {
    endWord();
    if (tokens.some(({ kind }) => kind === 'angle')) endMailbox();
    else if (tokens.length > 0) {
      pieces.push(tokens);
      tokens = [];
    }
  };
  for (let position = 0; position < text.length && out.length < most; position++) {
    const char = text[position] ?? '';
    if (char === '=' && text[position + 1] === '?') {
      // The content of an encoded word never splits a list, not even by the comma that no word may contain.
      const end = wordAt(text, position)?.end ?? position + 1;
      word += text.slice(position, end);
      position = end - 1;
    } else if (char === '"') {
      const run = delimited(text, position + 1, '"', '"');
      // "a.b"@x.example: a quoted local part belongs to the word that follows it.
      if (text[run.end + 1] === '@') word += text.slice(position, run.end + 1);
      else {
        endWord();
        tokens.push({ kind: 'quoted', text: run.text });
      }
      position = run.end;
    } else if (char === '(') {
      const run = delimited(text, position + 1, '(', ')');
      // When a comment interrupts an address, the text after it still belongs to the address: `a(x)@b(y).test`.
      const next = text[run.end + 1];
      const inside =
        word.endsWith('@') || word.endsWith('.') || (word !== '' && (next === '@' || next === '.'));
      if (!inside) endWord();
      tokens.push({ kind: 'comment', text: run.text });
      position = run.end;
    } else if (char === '<') {
      // A second address in brackets is another mailbox: mail programs differ in which one they show.
      if (tokens.some((token) => token.kind === 'angle')) endMailbox();
      endWord();
      const run = angled(text, position + 1, last);
      tokens.push({ kind: 'angle', text: run.text.replace(/[,;]\s*$/, '') });
      position = run.end;
    } else if (char === ',') endPiece();
    else if (char === ';') {
      endMailbox();
      group = undefined;
    } else if (
      char === ':' &&
      group === undefined &&
      !word.includes('@') &&
      !tokens.some((token) => token.kind === 'angle')
    ) {
      endWord();
      for (const piece of pieces) add(piece);
      pieces = [];
      group = decodeWords(tokens.map((token) => token.text).join(' '), decode);
      tokens = [];
    } else word += char;
  }
  endMailbox();
  return out;
}

/** Addresses inside a text, such as a display name that poses as another sender. */
export function addressesInText(text: string): string[] {
  return [
    ...text
      .slice(0, 4000)
      .matchAll(/[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}/gu),
  ].map((match) => match[0]);
}
