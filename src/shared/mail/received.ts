import { isPlausibleTime } from '../model/constants.ts';
import { isIp, plainIp } from '../model/ip.ts';
import { onceFor } from '../remember.ts';
import { type MailDate, readMailDate } from './dates.ts';
import { allHeaders, type MailHeader } from './headers.ts';

export interface Hop {
  /** 0 is the oldest. */
  index: number;
  /** The name that the sending side claimed, or null. */
  from: string | null;
  /** The address that the receiving side saw, or null. */
  ip: string | null;
  by: string | null;
  /** Protocol word, such as ESMTPS. */
  with: string | null;
  /** True when the header says the passage was encrypted, false when it names a plain protocol, else null. */
  tls: boolean | null;
  /** Version and cipher as written, or null. */
  tlsDetail: string | null;
  id: string | null;
  for: string | null;
  /** Milliseconds since 1970, or null. */
  time: number | null;
  /** No mail can have passed at that time: the clock was never set, or the header is forged. */
  isImplausible: boolean;
  /** True when the date names no zone and was read as UTC. */
  zoneMissing: boolean;
  /** The time stands in another place or form than RFC 5321 requires. */
  isTimeGuessed: boolean;
  /** Milliseconds since the previous hop with a plausible time; negative when the clocks disagree; null without one. */
  delay: number | null;
  /** True when this hop claims to be earlier than the one before it. */
  skewed: boolean;
  /** The unfolded value. */
  raw: string;
}

interface Clause {
  words: string[];
  comments: string[];
}

const TAB = 0x09;
const SPACE = 0x20;
const OPEN = 0x28;
const CLOSE = 0x29;
const BACKSLASH = 0x5c;
const KEYWORDS = new Set(['from', 'by', 'via', 'with', 'id', 'for']);
const MAX_VALUE = 8192;
/** Clocks of well-kept servers differ by less than this. */
const SKEW_TOLERANCE_MS = 2_000;

const hasValue = ({ words, comments }: Clause): boolean => words.length > 0 || comments.length > 0;

function clauses(text: string): Map<string, Clause> {
  const out = new Map<string, Clause>();
  let key = '';
  const clause = (): Clause => {
    const value = out.get(key);
    if (value) return value;
    const fresh: Clause = { words: [], comments: [] };
    out.set(key, fresh);
    return fresh;
  };
  let depth = 0;
  let comment = '';
  /** Start of the current word, or of the part of the comment not yet copied. */
  let from = 0;
  const endWord = (position: number) => {
    const word = text.slice(from, position);
    from = position + 1;
    if (word === '') return;
    const lower = word.toLowerCase();
    // "with id" and "from by": a keyword in the place of a value is that value.
    if (KEYWORDS.has(lower) && !out.has(lower) && (key === '' || hasValue(clause()))) key = lower;
    else clause().words.push(word);
    clause();
  };
  const toComment = (position: number) => {
    comment += text.slice(from, position);
    from = position + 1;
  };
  for (let position = 0; position < text.length; position++) {
    const char = text.charCodeAt(position);
    if (depth > 0) {
      if (char === BACKSLASH) {
        // A quoted pair: the bracket after the backslash belongs to the comment (RFC 5322 section 3.2.1).
        toComment(position);
        position++;
      } else if (char === OPEN) depth++;
      else if (char === CLOSE && --depth === 0) {
        toComment(position);
        clause().comments.push(comment.trim());
        comment = '';
      }
    } else if (char === OPEN) {
      endWord(position);
      depth = 1;
    } else if (char === SPACE || char === TAB) endWord(position);
  }
  if (depth > 0) toComment(text.length);
  else endWord(text.length);
  if (comment !== '') clause().comments.push(comment.trim());
  return out;
}

/**
 * The address without its port, which Momentum writes inside the brackets, and Exim 3 behind a dot, or null if it is
 * none.
 */
function addressOf(text: string | undefined): string | null {
  if (text === undefined) return null;
  const bare = /^(\d{1,3}(?:\.\d{1,3}){3})[.:]\d{1,5}$/.exec(text)?.[1] ?? text;
  return isIp(bare) ? plainIp(bare) : null;
}

/** The comment contains only what the sending side claimed, or who logged in. */
const SAID =
  /^(?:(?:HELO|EHLO|LHLO)\b|authenticated\b|auth[:=\s]|account\b|envelope-from\b|(?:using|version)\b)/i;
/** The same within a comment that also contains the address: Exim's `helo=`, CommuniGate's `HELO x`, ident answers. */
const SAID_WITHIN =
  /\b(?:helo|ehlo|ident|claiming to be)[=\s]\s*(?:"[^"]*"|\S+)|\bIDENT:[^\s@]{0,256}(?=@)|^[^\s[\]]*@/gi;
const BRACKETED = /\[(?:ipv6:)?([0-9a-f.:]{2,45})\](?::\d{1,5})?/gi;
const WHOLE = new RegExp(`^${BRACKETED.source}$`, 'i');
const BARE =
  /^(?:(\d{1,3}(?:\.\d{1,3}){3})(?::\d{1,5})?|([0-9a-f]{0,4}(?::[0-9a-f.]{0,15}){2,8}))(?=$|[\s,])/i;

/**
 * The address that the receiving server saw. Postfix, Sendmail, Courier and Google write `helo (name [ip])`, Exim `name
 * ([ip] helo=x)` or `[ip] (helo=x)`, qmail `name (HELO x) (ip)`, Exchange `helo (ip)`. What the sending side claimed
 * never counts.
 */
function ipOf(clause: Clause | undefined, noHelo: boolean): string | null {
  if (!clause) return null;
  for (const comment of clause.comments) {
    if (SAID.test(comment)) continue;
    const plain = comment.replace(SAID_WITHIN, ' ').trim();
    const bracketed = plain.includes('[')
      ? [...plain.matchAll(BRACKETED)].flatMap(([, ip]) => addressOf(ip) ?? [])
      : [];
    const bare = BARE.exec(plain);
    const ip = bracketed.at(-1) ?? addressOf(bare?.[1] ?? bare?.[2]);
    if (ip !== null) return ip;
  }
  // Exim and CommuniGate put a bare address in the place of the HELO name, which they then add separately.
  const [word = '', second] = clause.words;
  // A HELO name has no port.
  const hasPort = /^(?:\[.*\]|[\d.]+):\d{1,5}$/.test(word);
  const alone = addressOf(WHOLE.exec(word)?.[1] ?? (noHelo || hasPort ? word : undefined));
  // fetchmail and ZoneMTA write `helo [ip]` with no comment at all; a HELO name holds no space.
  const behind = addressOf(WHOLE.exec(second ?? '')?.[1]);
  if (behind !== null) return behind;
  const besideHelo = clause.comments.some((comment) => /\bhelo[=\s]/i.test(comment));
  return noHelo || hasPort || besideHelo ? alone : null;
}

/** How servers describe encryption, excluding hosts named after it. */
const TLS =
  /(?:^|\bversion=|^using |^cipher )((?:TLS|SSL)(?:v?\d(?:[._]\d+)*)?)(?=$|[\s:,;/])(?:.*?cipher[= ]\s*([\w-]+))?/i;

function tlsOf(
  protocol: string | null,
  parts: ReadonlyMap<string, Clause>,
): { tls: boolean | null; detail: string | null } {
  for (const [key, { comments }] of parts) {
    for (const comment of comments) {
      // Names after "from" were chosen by the sending side.
      if (key === 'from' && !/^(?:using|version=)/i.test(comment)) continue;
      const match = /no\s+(?:tls|ssl)/i.test(comment) ? null : TLS.exec(comment);
      if (match?.[1]) return { tls: true, detail: [match[1], match[2]].filter(Boolean).join(' ') };
    }
  }
  if (protocol === null) return { tls: null, detail: null };
  if (/^(?:utf8)?(?:e?smtp|lmtp)sa?$|^https(?:\/[\d.]{1,5})?$/i.test(protocol))
    return { tls: true, detail: null };
  return {
    tls: /^(?:utf8)?(?:e?smtp|lmtp)a?$|^http(?:\/[\d.]{1,5})?$/i.test(protocol) ? false : null,
    detail: null,
  };
}

/** Parses one Received value (RFC 5321 section 4.4). Never throws. */
export function parseReceived(value: string): Omit<Hop, 'index' | 'delay' | 'skewed'> {
  const raw = value.trim();
  const text = raw.slice(0, MAX_VALUE);
  const cut = text.lastIndexOf(';');
  const stated = cut < 0 ? null : readMailDate(text.slice(cut + 1));
  const date = stated ?? dateWithin(text);
  const parts = clauses(cut < 0 ? text : text.slice(0, cut));
  const word = (key: string): string | null => parts.get(key)?.words[0]?.replace(/[;,]$/, '') ?? null;
  const protocol = word('with');
  const { tls, detail } = tlsOf(protocol, parts);
  // Exim omits a HELO that is the address itself; web mail and internal hand-overs have none.
  const noHelo =
    /^(?:https?u?(?:\/[\d.]{1,5})?|nnfmp)$/i.test(protocol ?? word('via') ?? '') ||
    [...parts.values()].some(({ comments }) =>
      comments.some((comment) => /^(?:Exim|via HTTPS?)\b/i.test(comment)),
    );
  return {
    from: word('from'),
    ip: ipOf(parts.get('from'), noHelo),
    by: word('by'),
    with: protocol,
    tls,
    tlsDetail: detail,
    id: word('id'),
    for: word('for')?.replace(/^<|>$/g, '') ?? null,
    time: date?.time ?? null,
    isImplausible: date !== null && !isPlausibleTime(date.time),
    zoneMissing: date?.zone === 'missing',
    isTimeGuessed: date !== null && (stated === null || date.isGuessed),
    raw,
  };
}

/** `parseReceived` with a memory, since trust and route parse the same headers. */
export const receivedOf = onceFor(({ value }: MailHeader) => parseReceived(value));

const TIME = String.raw`\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?`;
const DATE_WITHIN = new RegExp(
  String.raw`(?:\d{1,2}[\s-][a-z]{3}[\s-]\d{2,4},?\s+${TIME}|\d{4}-\d{2}-\d{2}[T ]${TIME}|[a-z]{3}\s+[a-z]{3}\s+\d{1,2}\s+${TIME}\s+(?:[a-z]{1,5}\s+)?\d{4})\s{0,9}(?:[+-]\d{2}:?\d{2}|[a-z]{1,5}\b)?`,
  'gi',
);

/** The last date in a value without one behind its last semicolon: some servers write none, or text behind the date. */
function dateWithin(text: string): MailDate | null {
  for (const [foundDate] of [...text.matchAll(DATE_WITHIN)].reverse()) {
    const date = readMailDate(foundDate) ?? readMailDate(foundDate.replace(/(?<!\s)\s+[a-z]+$/i, ''));
    if (date !== null) return date;
  }
  return null;
}

/** When the mail passed, unless it is unknown or cannot be true. */
export const plausibleTime = ({ time, isImplausible }: Pick<Hop, 'time' | 'isImplausible'>): number | null =>
  isImplausible ? null : time;

/** Received headers that are read, from the top. */
const MOST_HOPS = 500;

/** The hops of a mail, oldest first, with the delay of each; at most MOST_HOPS. */
export function parseHops(headers: readonly MailHeader[]): Hop[] {
  let previous: number | null = null;
  return allHeaders(headers, 'Received')
    .slice(0, MOST_HOPS)
    .reverse()
    .map((header, index) => {
      const hop = receivedOf(header);
      const time = plausibleTime(hop);
      const delay: number | null = time === null || previous === null ? null : time - previous;
      if (time !== null) previous = time;
      return { index, ...hop, delay, skewed: delay !== null && delay < -SKEW_TOLERANCE_MS };
    });
}
