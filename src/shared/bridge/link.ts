/**
 * `parapet://` links. They only open something and never change anything, since any web page and any mail can contain
 * one. A link that does not match the grammar completely is refused.
 */
import { z } from 'zod';

/** The words that may follow `parapet://`, and the number of parts after each. */
const SCREENS = [
  'home',
  'queries',
  'stack',
  'exceptions',
  'login-map',
  'activity',
  'settings',
  'guide',
] as const;
const PROFILES = ['email', 'message', 'file', 'user', 'group'] as const;

const place = z.discriminatedUnion('to', [
  z.object({ to: z.enum(SCREENS) }),
  z.object({ to: z.literal('query'), id: z.string() }),
  z.object({ to: z.enum(PROFILES), saas: z.string(), entityId: z.string() }),
]);
export const link = z.object({
  place,
  /** The connection that it belongs to, or null for the open one. */
  connectionId: z.string().nullable(),
});
export type Link = z.infer<typeof link>;
type Place = Link['place'];

export type ParsedLink = { ok: true; link: Link } | { ok: false; reason: string };

export const LINK_MAX = 2048;
const PART_MAX = 512;
const FORM = /^parapet:\/\/([a-z-]{1,20})((?:\/[^/?#]+)*)\/?(?:\?connection=([\w-]{1,80}))?$/i;
/** Characters of a path segment of a URL (RFC 3986, pchar). */
const ENCODED = /^(?:[\w\-.~!$&'()*+,;=:@]|%[0-9a-f]{2})+$/i;
/** Control, format, lone surrogate and line characters, which no id contains. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const SAAS = /^[\w.-]{1,64}$/;

export const isLink = (text: string): boolean => /^parapet:/i.test(text);

/** A part of the path, decoded once, or null if it is invalid. */
function decoded(part: string): string | null {
  if (!ENCODED.test(part)) return null;
  try {
    const text = decodeURIComponent(part);
    const isOdd = text.length > PART_MAX || UNSEEN.test(text) || text.trim() !== text;
    return isOdd || text === '.' || text === '..' ? null : text;
  } catch {
    return null;
  }
}

const oneOf = <T extends string>(list: readonly T[], text: string): T | undefined =>
  list.find((entry) => entry === text);

function placeOf(first: string, parts: readonly string[]): Place | null {
  const screen = oneOf(SCREENS, first);
  if (screen !== undefined) return parts.length === 0 ? { to: screen } : null;
  const [second, third] = parts;
  if (first === 'query') return second !== undefined && parts.length === 1 ? { to: first, id: second } : null;
  const profile = oneOf(PROFILES, first);
  if (profile === undefined || second === undefined || third === undefined || parts.length !== 2) return null;
  return SAAS.test(second) ? { to: profile, saas: second, entityId: third } : null;
}

const refuse = (reason: string): ParsedLink => ({ ok: false, reason });

/** Parses a link. The reason for a refusal never quotes the link. */
export function parseLink(text: string): ParsedLink {
  if (text.length > LINK_MAX) return refuse(`The link is longer than ${LINK_MAX} characters.`);
  const [matched, first = '', path = '', connectionId] = FORM.exec(text) ?? [];
  if (matched === undefined)
    return refuse('The link is not supported: links can only open a screen, a query or a profile.');
  const parts = path.split('/').slice(1).map(decoded);
  if (parts.includes(null)) return refuse('The link contains an invalid ID.');
  const place = placeOf(
    first.toLowerCase(),
    parts.filter((part) => part !== null),
  );
  return place === null
    ? refuse('The link leads to no screen, query or profile.')
    : { ok: true, link: { place: place, connectionId: connectionId ?? null } };
}
