/** The functions of MQL that need only their arguments. Those that take a condition are in compile.ts. */
import { CONFUSABLE } from '../../model/lookalike.ts';
import { atob, TextDecoder } from '../../platform.ts';
import { distanceOf } from './distance.ts';
import { DOMAIN, domainValue, EMAIL, URL_SHAPE, urlValue } from './parts.ts';
import { mqlPattern, patternWork } from './patterns.ts';
import { bounded, type Sequence, sequence, shape, type Type, text, UNKNOWN, type Value } from './values.ts';

/** What an evaluation may still spend, and what it remembers. */
export interface Work {
  /** Counts characters compared; throws once there are too many. */
  spend(amount: number): void;
  lower(text: string): string;
}

export interface MqlFunction {
  count: readonly [number, number];
  type: Type | ((given: readonly Type[]) => Type);
  /** Arguments that are patterns, which are read when the rule is. */
  patterns?: { from: number; ignoresCase: boolean };
  run: (given: readonly Value[], work: Work) => Value;
}

const MAX_TEXT = 200_000;
const MAX_COMPARED = 1_000;
/** Matches of a pattern, and texts in base64, that are looked at. */
const MAX_MATCHES = 200;

export const isSequence = (value: Value): value is Sequence =>
  typeof value === 'object' && value !== null && 'items' in value;

/** The values among the arguments, those of lists one by one; `isPartial`: some cannot be told. */
function spread(given: readonly Value[]): Sequence {
  if (!given.some((value) => value === UNKNOWN || isSequence(value))) return sequence(given);
  const items = given.flatMap((value) =>
    isSequence(value) ? value.items : value === UNKNOWN ? [] : [value],
  );
  return sequence(
    items,
    given.some((value) => value === UNKNOWN || (isSequence(value) && value.isPartial)),
  );
}

/** Whether any of the further arguments fits the text given first. */
const anyOf =
  (fits: (text: string, other: string, work: Work) => boolean) =>
  (given: readonly Value[], work: Work): Value => {
    const [whole, ...others] = given;
    if (whole === UNKNOWN) return UNKNOWN;
    if (typeof whole !== 'string') return null;
    const source = whole.slice(0, MAX_TEXT);
    const { items, isPartial } = spread(others);
    let isNull = true;
    for (const other of items) {
      if (typeof other !== 'string') continue;
      isNull = false;
      work.spend(source.length + other.length);
      if (fits(source, other, work)) return true;
    }
    // The end of a very long text is not looked at.
    if (isPartial || source.length < whole.length) return UNKNOWN;
    return isNull ? null : false;
  };

/** A function of texts alone: null and what cannot be told pass through. */
const ofTexts =
  (run: (texts: readonly string[], work: Work) => Value) =>
  (given: readonly Value[], work: Work): Value => {
    if (given.includes(UNKNOWN)) return UNKNOWN;
    const texts = given.filter((value) => typeof value === 'string');
    if (texts.length < given.length) return null;
    if (texts.some(({ length }) => length > MAX_TEXT)) return UNKNOWN;
    work.spend(texts.reduce((sum, { length }) => sum + length, 0));
    return run(texts, work);
  };

/** Whether a text fits a pattern with `*` for any characters and `?` for one. */
function isLike(source: string, pattern: string, work: Work): boolean {
  const parts = pattern.split('*');
  const startsAt = (part: string, start: number): boolean => {
    for (let index = 0; index < part.length; index += 1)
      if (part[index] !== '?' && part[index] !== source[start + index]) return false;
    return true;
  };
  const first = parts[0]!;
  if (source.length < first.length || !startsAt(first, 0)) return false;
  if (parts.length === 1) return source.length === first.length;
  let start = first.length;
  const last = parts.at(-1)!;
  for (const part of parts.slice(1, -1)) {
    const end = source.length - part.length;
    if (part.includes('?')) {
      work.spend((source.length - start) * part.length);
      while (start <= end && !startsAt(part, start)) start += 1;
    } else {
      work.spend(source.length - start);
      const index = source.indexOf(part, start);
      start = index < 0 ? end + 1 : index;
    }
    if (start > end) return false;
    start += part.length;
  }
  return source.length - last.length >= start && startsAt(last, source.length - last.length);
}

const isContained = (source: string, other: string): boolean => source.includes(other);
const starts = (source: string, other: string): boolean => source.startsWith(other);
const ends = (source: string, other: string): boolean => source.endsWith(other);
type Fits = (source: string, other: string, work: Work) => boolean;
const ignoringCase =
  (fits: Fits): Fits =>
  (source, other, work) =>
    fits(work.lower(source), work.lower(other), work);

const tests = (fits: Fits): MqlFunction => ({ count: [2, Infinity], type: 'boolean', run: anyOf(fits) });

function occurrences(source: string, other: string): number {
  if (other === '') return 0;
  let count = 0;
  for (let index = source.indexOf(other); index >= 0; index = source.indexOf(other, index + other.length))
    count += 1;
  return count;
}

const counts = (ignoresCase: boolean): MqlFunction => ({
  count: [2, 2],
  type: 'number',
  run: ofTexts(([source, other], work) =>
    ignoresCase ? occurrences(work.lower(source!), work.lower(other!)) : occurrences(source!, other!),
  ),
});

const distance = (ignoresCase: boolean): MqlFunction => ({
  count: [2, 2],
  type: 'number',
  run: ofTexts(([left, right], work) => {
    if (left!.length > MAX_COMPARED || right!.length > MAX_COMPARED) return UNKNOWN;
    work.spend(left!.length * right!.length);
    return ignoresCase ? distanceOf(work.lower(left!), work.lower(right!)) : distanceOf(left!, right!);
  }),
});

const matching = (ignoresCase: boolean, isWhole: boolean): MqlFunction => ({
  count: [2, Infinity],
  type: 'boolean',
  patterns: { from: 1, ignoresCase },
  run: anyOf((source, pattern, work) => {
    const regex = mqlPattern(pattern, ignoresCase);
    work.spend(patternWork(regex, source));
    return isWhole ? regex.testExact(source) : regex.test(source);
  }),
});

interface Match {
  full: string;
  groups: readonly (string | null)[];
  named: Readonly<Record<string, string | null>>;
}

const MATCH = shape<Match>({
  full_match: text(({ full }) => full),
  groups: { type: { items: 'text' }, get: ({ groups }) => sequence(groups) },
  named_groups: { type: { values: 'text' }, get: ({ named }) => named },
});

/** What a pattern matches in a text, in order; a pattern that matches nothing counts once for each place. */
function matchesOf(source: string, patterns: readonly string[], ignoresCase: boolean, work: Work): Sequence {
  const out: Match[] = [];
  for (const pattern of patterns) {
    const regex = mqlPattern(pattern, ignoresCase);
    const matcher = regex.matcher(source);
    const names = Object.keys(regex.namedGroups());
    let from = 0;
    for (;;) {
      if (out.length >= MAX_MATCHES) return sequence(out, true);
      // Every search goes on where the last one ended, and may look at all that follows.
      work.spend(patternWork(regex, source.slice(from)) + 1);
      if (!matcher.find()) break;
      from = matcher.end();
      out.push({
        full: matcher.group() ?? '',
        groups: Array.from({ length: regex.groupCount() }, (_, index) => matcher.group(index + 1)),
        named: Object.fromEntries(names.map((name) => [name, matcher.group(name)])),
      });
    }
  }
  return sequence(out);
}

const extracting = (ignoresCase: boolean): MqlFunction => ({
  count: [2, Infinity],
  type: { items: MATCH },
  patterns: { from: 1, ignoresCase },
  run: ofTexts(([source, ...patterns], work) => matchesOf(source!, patterns, ignoresCase, work)),
});

const countingMatches = (ignoresCase: boolean): MqlFunction => ({
  count: [2, Infinity],
  type: 'number',
  patterns: { from: 1, ignoresCase },
  run: ofTexts(([source, ...patterns], work) => {
    const { items, isPartial } = matchesOf(source!, patterns, ignoresCase, work);
    return isPartial ? UNKNOWN : items.length;
  }),
});

function fromBase64(code: string): string | null {
  try {
    const bytes = Uint8Array.from(atob(code.replaceAll('-', '+').replaceAll('_', '/')), (char) =>
      char.charCodeAt(0),
    );
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

const BASE64 = /[A-Za-z0-9+/_-]{8,20000}={0,2}/g;

/** An element of a list that is a list itself, or alone. */
const itemsIn = (type: Type): Type => (typeof type === 'object' && 'items' in type ? type.items : 'lack');

const ofList = (run: (list: Sequence, work: Work) => Value): MqlFunction['run'] => {
  return ([list], work) => {
    if (list === UNKNOWN || list === null || list === undefined) return list ?? null;
    return isSequence(list) ? run(list, work) : null;
  };
};

const lengthOf: MqlFunction = {
  count: [1, 1],
  type: 'number',
  run: ([value], work) => {
    if (value === UNKNOWN || value === null || value === undefined) return value ?? null;
    if (isSequence(value)) return value.isPartial ? UNKNOWN : value.items.length;
    if (typeof value !== 'string') return null;
    work.spend(value.length);
    let count = 0;
    for (const _ of value) count += 1;
    return count;
  },
};

const mapOf = (pick: (entries: Readonly<Record<string, Value>>) => readonly Value[]): MqlFunction['run'] => {
  return ([map]) => {
    if (map === UNKNOWN || map === null || map === undefined) return map ?? null;
    return typeof map === 'object' ? bounded(pick(map as Readonly<Record<string, Value>>)) : null;
  };
};

/** By name; the type of those that pass a value on is that of the value. */
export const FUNCTIONS: ReadonlyMap<string, MqlFunction> = new Map<string, MqlFunction>([
  ['strings.contains', tests(isContained)],
  ['strings.icontains', tests(ignoringCase(isContained))],
  ['strings.starts_with', tests(starts)],
  ['strings.istarts_with', tests(ignoringCase(starts))],
  ['strings.ends_with', tests(ends)],
  ['strings.iends_with', tests(ignoringCase(ends))],
  ['strings.like', tests(isLike)],
  ['strings.ilike', tests(ignoringCase(isLike))],
  ['strings.count', counts(false)],
  ['strings.icount', counts(true)],
  ['strings.levenshtein', distance(false)],
  ['strings.ilevenshtein', distance(true)],
  ['strings.concat', { count: [1, Infinity], type: 'text', run: ofTexts((texts) => texts.join('')) }],
  [
    'strings.replace_confusables',
    {
      count: [1, 1],
      type: 'text',
      run: ofTexts(([source]) => Array.from(source!, (char) => CONFUSABLE.get(char) ?? char).join('')),
    },
  ],
  ['strings.parse_url', { count: [1, 1], type: URL_SHAPE, run: ofTexts(([url]) => urlValue(url!)) }],
  ['strings.parse_domain', { count: [1, 1], type: DOMAIN, run: ofTexts(([domain]) => domainValue(domain!)) }],
  [
    'strings.parse_email',
    {
      count: [1, 1],
      type: EMAIL,
      run: ofTexts(([address]) => {
        const end = address!.lastIndexOf('@');
        const [local, domain] = [address!.slice(0, end), address!.slice(end + 1).toLowerCase()];
        return end < 1 || domain === '' ? null : { address: address!, local, domain, name: '' };
      }),
    },
  ],
  [
    'strings.scan_base64',
    {
      count: [1, 1],
      type: { items: 'text' },
      run: ofTexts(([source]) => {
        const decoded = [...source!.matchAll(BASE64)].map(([code]) => fromBase64(code));
        return bounded(decoded.filter((part) => part !== null));
      }),
    },
  ],
  ['strings.decode_base64', { count: [1, 1], type: 'text', run: ofTexts(([code]) => fromBase64(code!)) }],
  ['regex.match', matching(false, true)],
  ['regex.imatch', matching(true, true)],
  ['regex.contains', matching(false, false)],
  ['regex.icontains', matching(true, false)],
  ['regex.extract', extracting(false)],
  ['regex.iextract', extracting(true)],
  ['regex.count', countingMatches(false)],
  ['regex.icount', countingMatches(true)],
  ['length', lengthOf],
  [
    'sum',
    {
      count: [1, 1],
      type: 'number',
      run: ofList(({ items, isPartial }) => {
        if (isPartial || items.includes(UNKNOWN)) return UNKNOWN;
        const numbers = items.filter((item) => typeof item === 'number');
        return numbers.length < items.length ? null : numbers.reduce((all, item) => all + item, 0);
      }),
    },
  ],
  [
    'flatten',
    {
      count: [1, 1],
      type: ([list]) => ({ items: itemsIn(itemsIn(list ?? 'lack')) }),
      run: ofList((list) => {
        const { items, isPartial } = spread(list.items);
        return sequence(items, isPartial || list.isPartial);
      }),
    },
  ],
  ['keys', { count: [1, 1], type: { items: 'text' }, run: mapOf((entries) => Object.keys(entries)) }],
  [
    'values',
    {
      count: [1, 1],
      type: ([map]) => ({ items: typeof map === 'object' && 'values' in map ? map.values : 'lack' }),
      run: mapOf((entries) => Object.values(entries)),
    },
  ],
  [
    'coalesce',
    {
      count: [1, Infinity],
      type: (given) => given.find((type) => type !== 'null') ?? 'null',
      run: (given) => given.find((value) => value !== null) ?? null,
    },
  ],
]);
