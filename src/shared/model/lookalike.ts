import { getDomain } from 'tldts';
import { unicodeDomain } from '../mail/domains.ts';

/** One character, or a pair such as "rn", that passes for another. */
export interface LookalikeMark {
  /** UTF-16 offsets in LookalikeReading.shown. */
  start: number;
  end: number;
  reason: 'other-script' | 'invisible' | 'look-alike-letter' | 'digit' | 'capital-i' | 'imitates-known';
  /** What it passes for; '' for an invisible character. */
  resembles: string;
}

export interface LookalikeReading {
  /** The address or domain with its Punycode labels decoded. Show this, with the marks in amber. */
  shown: string;
  marks: LookalikeMark[];
  /** The known domain that this one passes for. */
  imitates: string | null;
}

function pairs(text: string): [string, string][] {
  return text.split(' ').map((pair) => [pair[0]!, pair.slice(1)]);
}

// The letters of Unicode's confusables (UTS 39) that IDNs of phishing mail use, in lower case.
const OTHER_SCRIPT: ReadonlyMap<string, string> = new Map([
  ...pairs(
    'аa еe оo рp сc уy хx іi јj ѕs һh ԁd ԛq ԝw ӏl вb кk мm нh тt гr ьb пn иu ґr ғf ҝk ҏp ёe ӓa ӧo ӱy ѵv ԍg',
  ),
  ...pairs('αa οo νv ρp τt υu ιi κk ηn ωw χx εe γy μu σo ϲc ϳj όo ίi άa'),
  ...pairs('աw ոn սu օo հh ցg զq լl յj'),
]);
const ODD_LATIN: ReadonlyMap<string, string> = new Map(
  pairs('ıi ɑa ɡg ɩi ʟl ʀr ƅb ɢg ʏy ɴn ʜh łl đd øo ħh ŧt'),
);
// ł, đ, ø and the like are letters of languages: they count when a known domain is imitated, but are no mark alone.
const NATIONAL = 'łđøħŧ';
const DIGITS: ReadonlyMap<string, string> = new Map(pairs('0o 1l 3e 4a 5s 8b'));
const PAIRS: ReadonlyMap<string, string> = new Map([
  ['rn', 'm'],
  ['vv', 'w'],
  ['cl', 'd'],
]);

const INVISIBLE = /^[\p{Cc}\p{Cf}\u{115f}\u{1160}\u{3164}\u{ffa0}]$/u;
const LATIN = /^\p{Script=Latin}$/u;
const IMITATING_SCRIPT = /^[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]$/u;
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

/** The ASCII letter that a character resembles, else itself. */
function base(char: string): string {
  const lower = char.toLowerCase();
  if (lower <= '\x7f') return lower;
  const known = OTHER_SCRIPT.get(lower) ?? ODD_LATIN.get(lower);
  if (known !== undefined) return known;
  const plain = lower.normalize('NFKD').replace(/\p{M}/gu, '');
  return /^[\x21-\x7e]$/.test(plain) ? plain : lower;
}

interface Segment {
  skeleton: string;
  source: string;
  start: number;
  end: number;
}

/** What an eye reads, piece by piece: i, l, 1 and I are one, rn is m. */
function segments(text: string, offset: number): Segment[] {
  const chars = charsOf(text, offset).filter(
    ({ text: char }) => (char > ' ' && char < '\x7f') || !INVISIBLE.test(char),
  );
  const out: Segment[] = [];
  for (let at = 0; at < chars.length; at += 1) {
    const { text: one, start, end } = chars[at]!;
    const next = chars[at + 1];
    const pair = next && PAIRS.get(base(one) + base(next.text));
    if (next && pair !== undefined) {
      out.push({ skeleton: pair, source: (one + next.text).toLowerCase(), start, end: next.end });
      at += 1;
    } else {
      const letter = DIGITS.get(one) ?? base(one);
      out.push({
        skeleton: letter === 'i' || letter === '|' ? 'l' : letter,
        source: one.toLowerCase(),
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

/** Marks that need no comparison: invisible characters, foreign letters among Latin ones, capital I among small. */
function markLabel(label: readonly Char[]): LookalikeMark[] {
  // Nearly every label is plain ASCII: nothing to ask of Unicode.
  if (label.every(({ text }) => text > ' ' && text < '\x7f' && text !== 'I')) return [];
  const hasLatin = label.some(({ text }) => LATIN.test(text));
  const letters = label.filter(({ text }) => /^\p{L}$/u.test(text));
  const allPass = letters.every(({ text }) => OTHER_SCRIPT.has(text.toLowerCase()));
  return label.flatMap(({ text, start, end }, at): LookalikeMark[] => {
    const lower = text.toLowerCase();
    if (INVISIBLE.test(text)) return [{ start, end, reason: 'invisible', resembles: '' }];
    if (IMITATING_SCRIPT.test(text) && (hasLatin || allPass)) {
      return [{ start, end, reason: 'other-script', resembles: base(text) }];
    }
    const oddLatin = ODD_LATIN.has(lower) && !NATIONAL.includes(lower);
    if (oddLatin || lower.normalize('NFD').includes(DOT_BELOW) || /^[\u{ff01}-\u{ff5e}]$/u.test(text)) {
      return [{ start, end, reason: 'look-alike-letter', resembles: base(text) }];
    }
    const small = /^[a-z]$/;
    if (text === 'I' && small.test(label[at - 1]?.text ?? '') && small.test(label[at + 1]?.text ?? 'a')) {
      return [{ start, end, reason: 'capital-i', resembles: 'l' }];
    }
    return [];
  });
}

/** 0, 1 and 5 with a letter on both sides: "g00gle" and "paypa1" at its end need a known domain to be told. */
function markDigits(label: readonly Char[]): LookalikeMark[] {
  const letter = /^[a-z]$/i;
  return label.flatMap(({ text, start, end }, at): LookalikeMark[] => {
    const between = letter.test(label[at - 1]?.text ?? '') && letter.test(label[at + 1]?.text ?? '');
    if (!between || !'015'.includes(text)) return [];
    return [{ start, end, reason: 'digit', resembles: DIGITS.get(text)! }];
  });
}

const LAWFUL_LABEL = /^[\p{L}\p{M}\p{N}-]+$/u;

/**
 * A domain with its Punycode labels decoded. A label stays encoded when it decodes to ASCII alone or to what no
 * label may hold: "xn--paypal-" must not be shown as "paypal".
 */
function decoded(domain: string): string {
  return domain
    .split('.')
    .map((label) => {
      const text = /^xn--/i.test(label) ? unicodeDomain(label) : label;
      return text !== label && /[^\0-\x7f]/.test(text) && LAWFUL_LABEL.test(text) ? text : label;
    })
    .join('.');
}

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
 * A reader that also knows the domains worth imitating (the tenant's own, its vendors'). Its answer marks the
 * characters of an address or domain that pass for others: letters of other scripts among Latin ones or standing
 * for them, invisible and odd letters, a digit between letters, a capital I among small letters, and every
 * difference to a known domain that reads the same ("logistlk" for "logistik", "rn" for "m"). A known domain and
 * its subdomains are never marked. Linear; total on hostile text; past 512 characters nothing is marked.
 */
export function lookalikeReader(known: Iterable<string>): (value: string) => LookalikeReading {
  const names = new Set<string>();
  const bySkeleton = new Map<string, Segment[]>();
  for (const entry of known) {
    const name = registrable(decoded(entry.trim()));
    names.add(name);
    const parts = segments(name, 0);
    if (name !== '') bySkeleton.set(skeletonOf(parts), parts);
  }
  return (value) => read(value, names, bySkeleton);
}

function read(
  value: string,
  names: ReadonlySet<string>,
  known: ReadonlyMap<string, Segment[]>,
): LookalikeReading {
  if (value.length > MAX) return { shown: value, marks: [], imitates: null };
  const at = value.lastIndexOf('@') + 1;
  const domain = decoded(value.slice(at));
  const shown = value.slice(0, at) + domain;
  const name = registrable(domain);
  const labels = labelsOf(domain, at);
  const found = [...labelsOf(value.slice(0, at), 0), ...labels].flatMap(markLabel);
  if (names.has(name))
    return { shown, marks: found.filter((mark) => mark.reason === 'invisible'), imitates: null };

  // Lower case can change the length of a letter, and a name can end in a dot: then there is nothing to compare.
  const lower = shown.toLowerCase();
  const placed = lower.length === shown.length && lower.endsWith(name);
  const offset = shown.length - name.length;
  const parts = placed ? segments(shown.slice(offset), offset) : [];
  const model = known.get(skeletonOf(parts));
  const own = labels.at(-name.split('.').length) ?? [];
  if (model !== undefined) {
    for (const [index, part] of parts.entries()) {
      const theirs = model[index]?.source;
      if (theirs === undefined || theirs === part.source) continue;
      found.push({ start: part.start, end: part.end, reason: 'imitates-known', resembles: theirs });
    }
  }
  found.push(...markDigits(own));
  return { shown, marks: distinct(found), imitates: model?.map((part) => part.source).join('') ?? null };
}

/** In order of place, each place once; what came first says why. */
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

/** The same without known domains. */
export function readLookalikes(value: string): LookalikeReading {
  return NO_KNOWN(value);
}
