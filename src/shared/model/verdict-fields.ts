/**
 * Reads verdicts in fields of a tool's row that the catalogue does not name. The specification names the codes and says
 * that match counts decide, but does not name the fields: `verdict`, `result` or `match_count` must not be ignored, as the
 * scan status alone would read as clean.
 */
import { dictionary } from '../dictionary.ts';
import { plainName } from './field-names.ts';
import { isRecord } from './narrow.ts';

export interface OtherVerdict {
  words: string[];
  /** The largest count, or null if there is none. */
  matches: number | null;
  suspicious: boolean;
  /** A field may contain a verdict but cannot be read. */
  unreadable: boolean;
}

/** The catalogue's names: `deriveVerdict` reads the first four itself; the others contain no verdict. */
const OWN: ReadonlySet<string> = new Set([
  ...['status', 'verdict_code', 'matches', 'suspicious'],
  ...['tool', 'label', 'applicable', 'clicks', 'reasons', 'summary', 'scanned_at', 'duration_ms', 'error'],
  ...['re_evaluated', 'entity_id', 'rescan'],
]);

const COUNT =
  /^(?:num(?:ber)?(?:of)?|total)?(?:match|matche|hit|detection|threat)s(?:count|found|total)?$|^(?:match|hit|detection|threat)count$/;
const WORD =
  /^(?:scan|tool|final|overall|security)?(?:verdict|result|classification)s?(?:code|word)?$|^(?:scan)?status$/;
const THREAT = /^(?:threat|malware|virus)(?:name|type|family)?$/;
const FLAG = /^(?:is|has|was)?(found|detected|infected|malicious|malware|phishing|spam|suspicious)$/;
const FLAG_WORDS: Readonly<Record<string, string>> = dictionary({ spam: 'spam', suspicious: 'suspicious' });
/** Deeper objects are not read, and keep a row from being clean. */
const DEPTH = 3;

const isEmpty = (value: unknown): boolean => value === null || value === undefined || value === '';

const NO: ReadonlySet<unknown> = new Set([false, 0, '0', 'false', 'no', 'none']);
const YES: ReadonlySet<unknown> = new Set([true, 1, '1', 'true', 'yes']);
const lower = (value: unknown): unknown => (typeof value === 'string' ? value.trim().toLowerCase() : value);

/** The fields of a row that are not in the catalogue. */
export function otherVerdict(row: object): OtherVerdict {
  const verdict: OtherVerdict = { words: [], matches: null, suspicious: false, unreadable: false };
  collect(row, OWN, verdict, DEPTH);
  return verdict;
}

function collect(row: object, columns: ReadonlySet<string>, verdict: OtherVerdict, depth: number): void {
  for (const [key, value] of Object.entries(row)) {
    if (columns.has(key) || isEmpty(value)) continue;
    const name = plainName(key);
    const flag = FLAG.exec(name)?.[1];
    if (COUNT.test(name)) takeCount(value, verdict);
    else if (flag !== undefined && (YES.has(lower(value)) || NO.has(lower(value))))
      takeFlag(flag, value, verdict);
    else if (THREAT.test(name) && NO.has(lower(value))) continue;
    else if (flag !== undefined || WORD.test(name) || THREAT.test(name)) takeWord(value, verdict, depth);
  }
}

function takeCount(value: unknown, verdict: OtherVerdict): void {
  const count = Array.isArray(value)
    ? value.length
    : typeof value === 'number' || (typeof value === 'string' && /^\s*\d+\s*$/.test(value))
      ? Number(value)
      : Number.NaN;
  if (count >= 0) verdict.matches = Math.max(verdict.matches ?? 0, count);
  else if (value !== false) verdict.unreadable = true;
}

function takeFlag(flag: string, value: unknown, verdict: OtherVerdict): void {
  if (NO.has(lower(value))) return;
  const word = FLAG_WORDS[flag] ?? 'found';
  if (word === 'suspicious') verdict.suspicious = true;
  else verdict.words.push(word);
}

/** One or several codes, or an object with codes and counts of its own. */
function takeWord(value: unknown, verdict: OtherVerdict, depth: number): void {
  if (typeof value === 'string') verdict.words.push(value.trim());
  else if (Array.isArray(value)) for (const entry of value) takeWord(entry, verdict, depth);
  else if (isRecord(value) && depth > 0) {
    const before = JSON.stringify(verdict);
    collect(value, new Set(), verdict, depth - 1);
    if (Object.keys(value).length > 0 && JSON.stringify(verdict) === before) verdict.unreadable = true;
  } else verdict.unreadable = true;
}
