/** Words of the palette. */
import { plural } from '#shared/model/format.ts';
import type { Ioc } from '#shared/model/ioc.ts';

export type ValueKind = Ioc['type'] | 'message-id';

export const KIND_LABELS: Readonly<Record<ValueKind, string>> = {
  'message-id': 'Message-ID',
  address: 'email address',
  domain: 'domain',
  ip: 'IP address',
  url: 'URL',
  md5: 'MD5',
  sha1: 'SHA-1',
  sha256: 'SHA-256',
};
export const ENTITY_ID = 'entity ID';
export const HEADER_LINE = 'header line';
export const MD5_OR_ENTITY_ID = 'MD5 or entity ID';

export const guidePage = (label: string): string => `Guide: ${label}`;
export const PLACEHOLDER = 'Find a screen, query, person or file, or paste values';
export const SEARCHING = 'Searching for this email';
/** `why` is why the data may be incomplete, or null if it is complete. */
export const noEmail = (why: string | null): string =>
  `No email with this Message-ID${why === null ? '' : ` so far. ${why}`}`;
export const noResults = (text: string): string => `No results for “${text}”`;
/** `why` is a sentence. */
export const notSearched = (why: string): string => `Not everything was searched. ${why}`;
export const cut = (most: string): string => `Only the first ${most} characters are searched for`;
export const indicators = (count: number): string => plural(count, 'indicator');
export const savedWith = (text: string): string => `Saved profiles that contain “${text}”`;

export const HINTS = [
  { keys: 'Up Down', text: 'move' },
  { keys: 'Enter', text: 'open' },
  { keys: 'Esc', text: 'close' },
];
