import { getDomain } from 'tldts';
import confusables from 'unhomoglyph/data.json' with { type: 'json' };
import { unicodeDomain } from '../mail/domains.ts';
import { asciiDomain } from './hosts.ts';

/** A character, or a pair such as "rn", that passes for another. */
interface LookalikeMark {
  /** UTF-16 offsets in LookalikeReading.shown. */
  start: number;
  end: number;
  reason: 'other-script' | 'invisible' | 'look-alike-letter' | 'digit' | 'capital-i' | 'imitates-known';
}

export interface LookalikeReading {
  /**
   * The address or domain to show, with the marks in amber. Labels without confusable letters (UTS 39) are decoded; a
   * label with letters that pass for ASCII ones is shown in Punycode, however it was sent, and marked as a whole.
   */
  shown: string;
  /** The encoded form if `shown` is decoded: always shown beside it. */
  encoded: string | null;
  /** How a label kept in Punycode would read if a program decoded it. */
  readsAs: string | null;
  /** The same in the ASCII letters it resembles; never in the deceptive ones. */
  looksLike: string | null;
  marks: LookalikeMark[];
  /** The known domain that it imitates. */
  imitates: string | null;
}

function pairs(text: string): [string, string][] {
  return text.split(' ').map((pair) => [pair.charAt(0), pair.slice(1)]);
}

/** Unicode's confusables (UTS 39) for ASCII letters and digits. */
export const CONFUSABLE: ReadonlyMap<string, string> = new Map(
  Object.entries(confusables).flatMap(([char, prototype]) => {
    const letter = prototype === 'rn' ? 'm' : prototype.toLowerCase();
    return char > '\x7f' && /^[a-z0-9]+$/.test(letter) ? [[char, letter] as const] : [];
  }),
);
// Additions to the table: letters that pass in lower case, or nearly so, in real phishing mail.
const OTHER_SCRIPT: ReadonlyMap<string, string> = new Map([
  ...pairs('уy іi јj ѕs һh ԁd ԛq ԝw ӏl вb кk мm нh тt гr ьb пn иu ґr ғf ҝk ҏp ёe ӓa ӧo ӱy ѵv ԍg'),
  ...pairs('νv τt υu κk ηn ωw χx εe γy μu ϲc όo ίi άa'),
  ...pairs('աw ոn սu օo հh ցg զq լl յj'),
]);
const ODD_LATIN: ReadonlyMap<string, string> = new Map(
  pairs('ıi ɑa ɡg ɩi ʟl ʀr ƅb ɢg ʏy ɴn ʜh łl đd øo ħh ŧt'),
);
// ł, đ, ø and similar are letters of languages: they count when a known domain is imitated, but are not marked on their
// own.
const NATIONAL = 'łđøħŧ';
const DIGITS: ReadonlyMap<string, string> = new Map(pairs('0o 1l 3e 4a 5s 8b'));
const PAIRS: ReadonlyMap<string, string> = new Map([
  ['rn', 'm'],
  ['vv', 'w'],
  ['cl', 'd'],
]);

const INVISIBLE = /^[\p{Cc}\p{Cf}\u{115f}\u{1160}\u{3164}\u{ffa0}]$/u;
const LATIN = /^\p{Script=Latin}$/u;
const DOT_BELOW = '\u{323}';
const MAX = 512;

interface Char {
  text: string;
  start: number;
  end: number;
}

function charsOf(text: string, offset: number): Char[] {
  const chars: Char[] = [];
  let start = offset;
  for (const char of text) {
    chars.push({ text: char, start, end: start + char.length });
    start += char.length;
  }
  return chars;
}

/** The ASCII letter that a non-ASCII character passes for, or undefined. */
const foreign = (char: string): string | undefined =>
  OTHER_SCRIPT.get(char.toLowerCase()) ?? CONFUSABLE.get(char) ?? CONFUSABLE.get(char.toLowerCase());

/** The ASCII letter that a character resembles, else itself. */
function base(char: string): string {
  const lower = char.toLowerCase();
  if (lower <= '\x7f') return lower;
  const letter = foreign(char) ?? ODD_LATIN.get(lower);
  if (letter !== undefined) return letter;
  const plain = lower.normalize('NFKD').replace(/\p{M}/gu, '');
  return /^[\x21-\x7e]$/.test(plain) ? plain : lower;
}

interface Segment {
  skeleton: string;
  source: string;
  start: number;
  end: number;
}

/** What an eye reads, piece by piece: i, l, 1 and I are the same, rn is m. */
function segments(text: string, offset: number): Segment[] {
  const chars = charsOf(text, offset).filter(
    ({ text: char }) => (char > ' ' && char < '\x7f') || !INVISIBLE.test(char),
  );
  const out: Segment[] = [];
  for (let index = 0; index < chars.length; index += 1) {
    const { text: char, start, end } = chars[index]!;
    const next = chars[index + 1];
    const pair = next && PAIRS.get(base(char) + base(next.text));
    if (next && pair !== undefined) {
      out.push({ skeleton: pair, source: (char + next.text).toLowerCase(), start, end: next.end });
      index += 1;
    } else {
      const letter = DIGITS.get(char) ?? base(char);
      out.push({
        skeleton: letter === 'i' || letter === '|' ? 'l' : letter,
        source: char.toLowerCase(),
        start,
        end,
      });
    }
  }
  return out;
}

function skeletonOf(parts: readonly Segment[]): string {
  return parts.map((part) => part.skeleton).join('');
}

/**
 * Marks that need no comparison: invisible characters, foreign letters among Latin ones, capital I among lower case.
 */
function markLabel(label: readonly Char[]): LookalikeMark[] {
  // Fast path: nearly every label is plain ASCII.
  if (label.every(({ text }) => text > ' ' && text < '\x7f' && text !== 'I')) return [];
  const hasLatin = label.some(({ text }) => LATIN.test(text));
  const letters = label.filter(({ text }) => /^\p{L}$/u.test(text));
  const allPass = letters.every(({ text }) => foreign(text) !== undefined);
  return label.flatMap(({ text, start, end }, index): LookalikeMark[] => {
    const lower = text.toLowerCase();
    if (INVISIBLE.test(text)) return [{ start, end, reason: 'invisible' }];
    if (!LATIN.test(text) && foreign(text) !== undefined && (hasLatin || allPass)) {
      return [{ start, end, reason: 'other-script' }];
    }
    const oddLatin =
      text > '\x7f' &&
      LATIN.test(text) &&
      (ODD_LATIN.has(lower) || foreign(text) !== undefined) &&
      !NATIONAL.includes(lower);
    if (oddLatin || lower.normalize('NFD').includes(DOT_BELOW) || /^[\u{ff01}-\u{ff5e}]$/u.test(text)) {
      return [{ start, end, reason: 'look-alike-letter' }];
    }
    const small = /^[a-z]$/;
    if (
      text === 'I' &&
      small.test(label[index - 1]?.text ?? '') &&
      small.test(label[index + 1]?.text ?? 'a')
    ) {
      return [{ start, end, reason: 'capital-i' }];
    }
    return [];
  });
}

/**
 * 0, 1 and 5 between letters, as in "g00gle"; the final digit of "paypa1" is only recognised by comparison with a known
 * domain.
 */
function markDigits(label: readonly Char[]): LookalikeMark[] {
  const letter = /^[a-z]$/i;
  return label.flatMap(({ text, start, end }, index): LookalikeMark[] => {
    const between = letter.test(label[index - 1]?.text ?? '') && letter.test(label[index + 1]?.text ?? '');
    return between && '015'.includes(text) ? [{ start, end, reason: 'digit' }] : [];
  });
}

const LAWFUL_LABEL = /^[\p{L}\p{M}\p{N}-]+$/u;

/** Scripts that one language combines (UTS 39 section 5.2, highly restrictive). */
const TOGETHER = [
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Common}\p{Script=Inherited}]+$/u,
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Bopomofo}\p{Script=Common}\p{Script=Inherited}]+$/u,
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Hangul}\p{Script=Common}\p{Script=Inherited}]+$/u,
];

function oneScript(label: string): boolean {
  const scripts = SCRIPTS.filter((script) => script.test(label));
  return scripts.length <= 1 || TOGETHER.some((set) => set.test(label));
}
const SCRIPTS = [
  'Latin Cyrillic Greek Armenian Hebrew Arabic Devanagari Bengali Tamil Telugu Thai Lao Georgian Hangul Ethiopic',
  'Cherokee Khmer Hiragana Katakana Bopomofo Han Gujarati Gurmukhi Kannada Malayalam Sinhala Myanmar Tibetan Mongolian',
]
  .join(' ')
  .split(' ')
  .map((name) => new RegExp(`\\p{Script=${name}}`, 'u'));

/**
 * A Punycode label in decoded form, or null if it must not be shown so: it decodes to ASCII alone ("xn--paypal-"), to
 * characters that labels must not contain, or to letters that mix scripts or pass for ASCII ones.
 */
function decodable(label: string): string | null {
  const text = unicodeDomain(label);
  if (text === label || !/[^\0-\x7f]/.test(text) || !LAWFUL_LABEL.test(text)) return null;
  return oneScript(text) && markLabel(charsOf(text, 0)).length === 0 ? text : null;
}

/** How a label reads when it is decoded without any check. */
function carelessly(label: string): string {
  const text = /^xn--/i.test(label) ? unicodeDomain(label) : label;
  return LAWFUL_LABEL.test(text) ? text : label;
}

/** A label with letters that pass for ASCII ones, in Punycode; any other unchanged. */
function encodedHomograph(label: string): string {
  if (!/[^\0-\x7f]/.test(label) || !LAWFUL_LABEL.test(label)) return label;
  if (oneScript(label) && markLabel(charsOf(label, 0)).length === 0) return label;
  const encoded = asciiDomain(label);
  return /^xn--/.test(encoded) ? encoded : label;
}

const decoded = (domain: string): string =>
  domain
    .split('.')
    .map((label) => (/^xn--/i.test(label) ? (decodable(label) ?? label) : encodedHomograph(label)))
    .join('.');

function registrable(domain: string): string {
  const name = domain.toLowerCase();
  return getDomain(name, { validateHostname: false }) ?? name.split('.').slice(-2).join('.');
}

function labelsOf(domain: string, offset: number): Char[][] {
  let start = offset;
  return domain.split('.').map((label) => {
    const chars = charsOf(label, start);
    start += label.length + 1;
    return chars;
  });
}

/**
 * Creates a reader that also knows domains worth imitating (the tenant's own, its vendors'). It marks characters of an
 * address or domain that pass for others: letters of other scripts among Latin ones or in their place, invisible and
 * unusual letters, a digit between letters, a capital I among lower case, and every difference from a known domain that
 * reads the same ("logistlk" for "logistik", "rn" for "m"). A known domain and its subdomains are never marked. Linear,
 * accepts hostile text; longer than 512 characters, nothing is marked.
 */
export function lookalikeReader(domains: Iterable<string>): (value: string) => LookalikeReading {
  const names = new Set<string>();
  const bySkeleton = new Map<string, Segment[]>();
  for (const entry of domains) {
    const name = registrable(entry.trim().split('.').map(carelessly).join('.'));
    names.add(name);
    const parts = segments(name, 0);
    if (name !== '') bySkeleton.set(skeletonOf(parts), parts);
  }
  return (value) => read(value, names, bySkeleton);
}

function read(
  value: string,
  names: ReadonlySet<string>,
  domains: ReadonlyMap<string, Segment[]>,
): LookalikeReading {
  const asIs = { shown: value, encoded: null, readsAs: null, looksLike: null, marks: [], imitates: null };
  if (value.length > MAX) return asIs;
  const position = value.lastIndexOf('@') + 1;
  const host = value.slice(position);
  const domain = names.has(registrable(host)) ? host : decoded(host);
  const shown = value.slice(0, position) + domain;
  const after = domain.split('.');
  const wasDecoded = host.split('.').some((label, index) => /^xn--/i.test(label) && label !== after[index]);
  const encoded = wasDecoded ? value : null;
  const name = registrable(domain);
  const labels = labelsOf(domain, position);
  const marks = [...labelsOf(value.slice(0, position), 0), ...labels].flatMap(markLabel);
  if (names.has(name))
    return { ...asIs, shown, encoded, marks: marks.filter((mark) => mark.reason === 'invisible') };

  const careless = domain.split('.').map(carelessly);
  for (const [index, text] of careless.entries()) {
    const label = labels[index] ?? [];
    const [first, last] = [label[0], label.at(-1)];
    if (first === undefined || last === undefined || text === after[index]) continue;
    marks.push({ start: first.start, end: last.end, reason: 'other-script' });
  }
  const reading = careless.join('.');
  const readsAs = reading === domain ? null : value.slice(0, position) + reading;

  // The unchecked decoding is compared with the known domains; the marks refer to the text shown here.
  const compared = registrable(reading);
  const lower = (readsAs ?? shown).toLowerCase();
  const text = readsAs ?? shown;
  // Lower-casing can change the length, and a name can end in a dot: then it is not compared.
  const placed = lower.length === text.length && lower.endsWith(compared);
  const offset = text.length - compared.length;
  const parts = placed ? segments(text.slice(offset), offset) : [];
  const model = domains.get(skeletonOf(parts));
  const ownSegments = labels.at(-name.split('.').length) ?? [];
  if (model !== undefined && readsAs === null) {
    for (const [index, part] of parts.entries()) {
      const theirs = model[index]?.source;
      if (theirs === undefined || theirs === part.source) continue;
      marks.push({ start: part.start, end: part.end, reason: 'imitates-known' });
    }
  }
  marks.push(...markDigits(ownSegments));
  const imitates = model?.map((part) => part.source).join('') ?? null;
  const passesFor = [...reading].map(base).join('');
  const looksLike = readsAs !== null && /^[\x21-\x7e]+$/.test(passesFor) ? passesFor : null;
  return { shown, encoded, readsAs, looksLike, marks: distinct(marks), imitates };
}

/** By position, each position once; the first mark wins. */
function distinct(marks: readonly LookalikeMark[]): LookalikeMark[] {
  const ordered = [...marks].sort((a, b) => a.start - b.start);
  let end = -1;
  return ordered.filter((mark) => {
    if (mark.start < end) return false;
    end = mark.end;
    return true;
  });
}

const NO_KNOWN = lookalikeReader([]);

/**
 * How to show an address or domain with letters that pass for ASCII ones, and what it resembles. null for any other,
 * after one scan of its characters.
 */
export function homograph(value: string): { shown: string; looksLike: string } | null {
  if (/^[\0-\x7f]*$/.test(value) && !/xn--/i.test(value)) return null;
  const { shown, looksLike } = readLookalikes(value);
  const resembled = looksLike ?? plainVariants(value.slice(value.lastIndexOf('@') + 1));
  return resembled === null ? null : { shown, looksLike: resembled };
}

/** The domain of which only letter variants such as 𝗲 or ⓟ differ, which programs read as the plain letters; or null. */
function plainVariants(domain: string): string | null {
  const plain = domain.normalize('NFKC').toLowerCase();
  return plain !== domain.toLowerCase() && /^[\x21-\x7e]+$/.test(plain) ? plain : null;
}

/** The same without known domains. */
export function readLookalikes(value: string): LookalikeReading {
  return NO_KNOWN(value);
}
