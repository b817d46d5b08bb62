/** Lists of indicators as files: text, CSV, JSON Lines and STIX 2.1, read into the lines that a rule stores. */
import { unicodeDomain } from '../mail/domains.ts';
import { classifyIoc } from '../model/ioc.ts';
import { isTooDeep } from '../model/json-depth.ts';
import { isRecord } from '../model/narrow.ts';

export type ListedType = 'md5' | 'sha1' | 'sha256' | 'domain' | 'ip' | 'url' | 'address';

const MOST_INDICATORS = 1_000_000;
/** Problems that are named; all are counted. */
const NAMED_PROBLEMS = 20;
const CELL_MAX = 8_192;
const LINE_MAX = 65_536;
/** Levels of JSON that are looked into. */
const MOST_LEVELS = 20;

interface ListProblem {
  /** From 1. */
  line: number;
  reason: string;
}

export interface IndicatorList {
  /** One `type value` a line, each once: the text of a rule. */
  text: string;
  count: number;
  byType: Partial<Record<ListedType, number>>;
  /** Lines or objects without an indicator, the first of them named. */
  skipped: number;
  problems: ListProblem[];
}

/** A domain and those above it: an indicator of a domain also means what is under it. */
export const hostKeys = (host: string): string[] => {
  const labels = host.split('.');
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
};

/** The form in which two spellings of a web address are one, or null if it is no web address. */
export function urlKey(url: string): string | null {
  const ioc = classifyIoc(url);
  return ioc?.type === 'url' ? ioc.value.replace(/^([a-z]+:\/\/[^/?#]+)\/$/, '$1') : null;
}

/** The type and value by which mail is compared, or null if it is no indicator. */
function keyOf(cell: string): { type: ListedType; value: string } | null {
  if (cell.length > CELL_MAX) return null;
  const ioc = classifyIoc(cell);
  if (ioc === null) return null;
  const { type, value } = ioc;
  if (type === 'url') return { type, value: urlKey(value) ?? value };
  const isName = type === 'domain' || type === 'address';
  return { type, value: isName ? unicodeDomain(value.normalize('NFC').toLowerCase()) : value };
}

const NETWORK = /^[0-9a-f:.]+\/\d{1,3}$/i;

const reasonFor = (text: string): string =>
  NETWORK.test(text.trim())
    ? 'A network: only single addresses can be listed. Use a condition on Hop IP instead.'
    : `“${text.trim().slice(0, 80)}” is no indicator.`;

class Collected {
  readonly #lines = new Set<string>();
  readonly #byType: Partial<Record<ListedType, number>> = {};
  readonly #problems: ListProblem[] = [];
  #skipped = 0;

  /** False if it has no indicator. Throws RangeError if there are too many. */
  add(cell: string): boolean {
    const key = keyOf(cell);
    if (key === null) return false;
    const line = `${key.type} ${key.value}`;
    if (this.#lines.has(line)) return true;
    if (this.#lines.size >= MOST_INDICATORS)
      throw new RangeError(
        `It has more than ${MOST_INDICATORS.toLocaleString('en-GB')} indicators. Split it into several lists.`,
      );
    this.#lines.add(line);
    this.#byType[key.type] = (this.#byType[key.type] ?? 0) + 1;
    return true;
  }

  skip(line: number, reason: string): void {
    this.#skipped += 1;
    if (this.#problems.length < NAMED_PROBLEMS) this.#problems.push({ line, reason });
  }

  result(): IndicatorList {
    return {
      text: [...this.#lines].join('\n'),
      count: this.#lines.size,
      byType: this.#byType,
      skipped: this.#skipped,
      problems: this.#problems,
    };
  }
}

/** Cells of a line of CSV with any of the usual separators; quotes may hold separators. */
const CELLS = /"((?:[^"]|"")*)"|[^,;\t|"]+/g;

const cellsOf = (line: string): string[] =>
  [...line.matchAll(CELLS)].map(([plain, quoted]) => (quoted ?? plain).trim());

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (Array.isArray(value)) for (const item of value) yield* textsIn(item);
  else if (isRecord(value)) for (const item of Object.values(value)) yield* textsIn(item);
}

/** `[file:hashes.'SHA-256' = '…' OR url:value = '…']`: alternatives of equalities. Anything else means more than its values. */
const COMPARISON = /(?<![a-z0-9-])[a-z0-9-]+:[\w.'-]+ *= *'((?:[^'\\]|\\.)*)'/g;

function patternValues(pattern: string): string[] | null {
  const values: string[] = [];
  const rest = pattern.replace(COMPARISON, (_, value: string) => {
    values.push(value.replace(/\\(.)/g, '$1'));
    return '';
  });
  return values.length > 0 && /^(?:[[\]() ]|\bOR\b)*$/.test(rest) ? values : null;
}

/** Objects of STIX that are observed themselves, by the property with their value. */
const OBSERVABLES: ReadonlySet<string> = new Set([
  ...['domain-name', 'url', 'ipv4-addr', 'ipv6-addr', 'email-addr'],
]);

function readStix(objects: readonly unknown[], list: Collected): void {
  for (const [index, object] of objects.entries()) {
    if (!isRecord(object)) continue;
    const { type, pattern, pattern_type: language, value, hashes } = object;
    if (type === 'indicator') {
      const values =
        typeof pattern === 'string' && (language === undefined || language === 'stix')
          ? patternValues(pattern)
          : null;
      const isListed = values?.map((value) => list.add(value)).includes(true) ?? false;
      if (!isListed)
        list.skip(index + 1, `Object ${index + 1}: its pattern is not a choice of single values.`);
    } else if (OBSERVABLES.has(String(type)) && typeof value === 'string') list.add(value);
    else if (type === 'file' && isRecord(hashes)) for (const hash of textsIn(hashes)) list.add(hash);
  }
}

const stixObjects = (text: string): unknown[] | null => {
  if (!/^\s*\{/.test(text) || !text.slice(0, 4_096).includes('"bundle"')) return null;
  if (isTooDeep(text)) return null;
  try {
    const bundle: unknown = JSON.parse(text);
    return isRecord(bundle) && bundle['type'] === 'bundle' && Array.isArray(bundle['objects'])
      ? bundle['objects']
      : null;
  } catch {
    return null;
  }
};

const jsonLine = (line: string): unknown => {
  if (!line.startsWith('{') || isTooDeep(line, MOST_LEVELS)) return null;
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
};

function readLine(line: string, number: number, list: Collected): void {
  if (line === '' || /^(?:#|\/\/|;)/.test(line)) return;
  if (line.length > LINE_MAX) {
    list.skip(number, `Longer than ${LINE_MAX.toLocaleString('en-GB')} characters.`);
    return;
  }
  const value = jsonLine(line);
  const cells = value === null ? cellsOf(line) : [...textsIn(value)];
  const isListed = cells.map((cell) => list.add(cell)).includes(true);
  // The first line may name the columns.
  if (!isListed && number > 1) list.skip(number, reasonFor(line));
}

/**
 * A line counts if one of its cells is an indicator as a whole, live or defanged; comments and the other cells do not.
 * Linear. Throws RangeError, as a sentence, if there are too many.
 */
export function readIndicators(text: string): IndicatorList {
  const list = new Collected();
  const objects = stixObjects(text);
  if (objects !== null) {
    readStix(objects, list);
    return list.result();
  }
  let number = 0;
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start);
    const line = text.slice(start, end < 0 ? text.length : end).trim();
    start = end < 0 ? text.length : end + 1;
    number += 1;
    readLine(line, number, list);
  }
  return list.result();
}
