/** Values as other programs put them on the clipboard: with invisible characters, quotes, labels and display names. */
import { refang } from './defang.ts';

/** Soft hyphens, zero-width and bidirectional characters: invisible, and ignored by browsers. */
const INVISIBLE =
  /\u034f|[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]|[\ufe00-\ufe0f]/g;

export const withoutInvisible = (text: string): string => text.replace(INVISIBLE, '');

const isEdge = (char: string | undefined) => char !== undefined && withoutInvisible(char).trim() === '';

/** Trims invisible characters as well as white space. Those inside stay, as the text that is searched may have them. */
export function trimPasted(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isEdge(text[start])) start += 1;
  while (start < end && isEdge(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

const OPENING = `"'\`\u00ab\u2018\u201a\u201c\u201e\u2039`;
const CLOSING = `"'\`\u00bb\u2018\u2019\u201c\u201d\u203a`;
/** By pairs of any style, as each language has its own. */
const QUOTED = new RegExp(`^[${OPENING}]([^${OPENING}${CLOSING}]+)[${CLOSING}]$`);

/** `Ann Example <a@b.example>`, `a@b.example<mailto:a@b.example>`, `Ann Example (a@b.example)`. */
const NAMED_ADDRESS = /^[^<>]*<\s*(?:mailto:)?([^<>\s@]+@[^<>\s]+)>$|^[^()@]*\(([^()\s@]+@[^()\s]+)\)$/i;
/** `<https://a.example>`, and what Outlook makes of a link in plain text: `a.example<https://a.example>`. */
const NAMED_URL = /^[^<>]*<\s*([a-z*]+:\/\/[^<>\s]+)\s*>$/i;
const HASH_LABEL = /^(?:md5|sha-?1|sha-?256)\s*[:=]\s*/i;

/** The part of a URL before its path, in which an invisible character is never intended. */
const AUTHORITY = /^[^/?#]*(?:\/\/[^/?#]*)?/;

/**
 * An indicator without surrounding text, and live. `kind`: `email`, `url`, `hash`, or another word for anything else (a
 * domain, an IP address).
 */
export function pastedIndicator(text: string, kind: string): string {
  const trimmed = trimPasted(text);
  const visible = kind === 'url' ? trimmed.replace(AUTHORITY, withoutInvisible) : withoutInvisible(trimmed);
  const bare = QUOTED.exec(visible)?.[1]?.trim() ?? visible;
  switch (kind) {
    case 'email': {
      const named = NAMED_ADDRESS.exec(bare);
      return refang(named?.[1] ?? named?.[2] ?? bare.replace(/^mailto:([^?]*).*$/is, '$1'));
    }
    case 'url':
      return refang(NAMED_URL.exec(bare)?.[1] ?? bare);
    case 'hash':
      return bare.replace(HASH_LABEL, '');
    default:
      return refang(bare);
  }
}

/** The parts of a list of recipients and what ends each of them. */
const PART = /([^;,\r\n\t]*)([;,\r\n\t]|$)/g;

/**
 * A list of recipients as mail programs copy it, split at lines, tabs, commas and semicolons. A name with a comma before
 * an address in angle brackets, as in `Example, Ann <a@b.example>`, does not become a part of its own.
 */
export function splitRecipients(text: string): string[] {
  const parts: { text: string; end: string }[] = [];
  for (const [, part = '', end = ''] of text.matchAll(PART)) {
    if (part.includes('<'))
      for (
        let before = parts.at(-1);
        before?.end === ',' && !/@|\S\.\S/.test(before.text);
        before = parts.at(-1)
      )
        parts.pop();
    if (trimPasted(part) !== '') parts.push({ text: part, end });
  }
  return parts.map((part) => part.text);
}
