import { type SecurityTool, VERDICT_CODES, type Verdict, type VerdictCode } from './enums.ts';
import { parseLinkReplacement } from './link-replacement.ts';
import { hasKey } from './narrow.ts';
import { isEndedScan } from './scan-results.ts';
import { otherVerdict } from './verdict-fields.ts';

/**
 * `unknown`: the tool's word is not recognised; it is shown as it is, and never as clean. `nothing-found`: the checks of
 * evidence found too little, which proves nothing.
 */
export type ReadVerdict = Verdict | 'unknown' | typeof NOTHING_FOUND;
export const NOTHING_FOUND = 'nothing-found';

export const VERDICT_LABELS: Readonly<Record<ReadVerdict, string>> = {
  found: 'Found',
  suspicious: 'Suspicious',
  'found-no-click': 'Found, no click',
  spam: 'Spam',
  'not-scanned': 'Not scanned',
  clean: 'Clean',
  hidden: 'Not applicable',
  [NOTHING_FOUND]: 'Nothing found',
  unknown: 'Unknown',
};

/** The codes in words (product.md, section 1: the mail provider's header categories). */
export const VERDICT_CODE_LABELS: Readonly<Record<VerdictCode, string>> = {
  clean: 'clean',
  bulk: 'bulk',
  spm: 'spam',
  hspm: 'spam, high confidence',
  phsh: 'phishing',
  hphsh: 'phishing, high confidence',
  malw: 'malware',
  error: 'error',
};

/** One tool's result for one entity, with every field that the service sent; ScanDetail of entities.ts fits. */
export interface VerdictInput {
  /** The specification's id of the tool, with `{product}` unexpanded. */
  tool: string;
  /** False if the tool does not scan this kind of entity. */
  applicable: boolean;
  status?: string | null | undefined;
  verdict_code?: string | null | undefined;
  matches?: number | null | undefined;
  clicks?: number | null | undefined;
  suspicious?: boolean | null | undefined;
  error?: string | null | undefined;
}

export interface DerivedVerdict {
  verdict: ReadVerdict;
  /** The server's own word: the verdict code, else the scan status. Always kept, whatever the verdict. */
  rawCode: string | null;
  /** The scan failed: an error badge is shown beside the verdict. */
  error: boolean;
}

/** Result words that one tool uses in a different sense from the general rules. */
type Overrides = Readonly<Record<string, Verdict>>;

const PROVIDER_WORDS: Overrides = {
  none: 'clean',
  ospm: 'spam',
  amp: 'found',
  sap: 'found',
  ftbp: 'found',
  spoof: 'suspicious',
  intos: 'suspicious',
  bimp: 'suspicious',
  dimp: 'suspicious',
  gimp: 'suspicious',
  uimp: 'suspicious',
};

/**
 * "some per-tool result overrides" (specification, section 4). Our reading: the mail provider's further header
 * categories, and anomaly detection, whose hits are deviations rather than detections. An override to clean never hides
 * matches, a suspicion, an error or another result word.
 */
export const VERDICT_OVERRIDES: Readonly<Partial<Record<SecurityTool | 'check_provider', Overrides>>> = {
  ms_defender: PROVIDER_WORDS,
  // The headers of gateways use its words.
  check_provider: PROVIDER_WORDS,
  anomaly_detection: { anomaly: 'suspicious', deviation: 'suspicious' },
};

/** The verdict code, or null for a word outside the set. */
export function parseVerdictCode(value: unknown): VerdictCode | null {
  if (typeof value !== 'string' || value.length > 32) return null;
  const word = value.trim().toLowerCase();
  return VERDICT_CODES.find((code) => code === word) ?? null;
}

/** The codes, and the names of the verdicts themselves (specification, section 4). */
const SPAM_WORDS: readonly string[] = ['bulk', 'spm', 'hspm', 'spam'];
const FOUND_WORDS: readonly string[] = ['phsh', 'hphsh', 'malw', 'found'];
const NO_CLICK_WORDS: readonly string[] = ['found-no-click', 'found_no_click', 'found no click'];
const NOT_SCANNED_WORDS: readonly string[] = ['not-scanned', 'not_scanned', 'not scanned'];

function present(value: string | null | undefined): string | null {
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? null : text;
}

function countOf(value: number | null | undefined): number | null {
  return typeof value === 'number' && value >= 0 ? value : null;
}

interface Said {
  tool: string;
  words: readonly string[];
  /** Matches, a suspicion or an error, which no override may turn into clean. */
  alarm: boolean;
}

function overrideOf({ tool, words, alarm }: Said): Verdict | null {
  if (!hasKey(VERDICT_OVERRIDES, tool)) return null;
  const overrides = VERDICT_OVERRIDES[tool] ?? {};
  const read = (word: string) => (Object.hasOwn(overrides, word) ? overrides[word] : undefined);
  for (const word of words) {
    const verdict = read(word);
    if (verdict === undefined) continue;
    const quiet = words.every((other) => read(other) === 'clean' || saysNothingFound(other));
    if (verdict !== 'clean' || (quiet && !alarm)) return verdict;
  }
  return null;
}

/** Words for "nothing found". A replaced link is protection, not a detection. */
function saysNothingFound(word: string): boolean {
  return isEndedScan(word) || parseVerdictCode(word) === 'clean' || parseLinkReplacement(word) !== null;
}

/**
 * One tool's verdict, in the order of product.md, section 1: not applicable → hidden; no row → not scanned; per-tool
 * override; error → not scanned with an error badge (never clean); click-time matches without clicks → found-no-click;
 * bulk/spm/hspm → spam; suspicious → suspicious; matches > 0 or phsh/hphsh/malw → found; clean/finished/ok/benign with
 * 0 matches → clean. Any other word is unknown, and a count without a word proves nothing: neither is ever clean.
 * Uncounted clicks are not "no clicks". Fields beyond the catalogue's that speak of a verdict count as well.
 */
export function deriveVerdict(input: VerdictInput): DerivedVerdict {
  const code = present(input.verdict_code);
  const status = present(input.status);
  const others = otherVerdict(input);
  const rawCode = code ?? others.words[0] ?? status;
  if (!input.applicable) return { verdict: 'hidden', rawCode, error: false };

  const counts = [countOf(input.matches), others.matches].filter((count) => count !== null);
  const matches = counts.length === 0 ? null : Math.max(...counts);
  const suspicious = input.suspicious === true || others.suspicious;
  const troubled = present(input.error) !== null;
  const words = [code, ...others.words, status]
    .filter((word) => word !== null)
    .map((word) => word.toLowerCase());
  const failed = words.includes('error') || (rawCode === null && troubled);
  // A detection before an error stands; "nothing found" beside an error proves nothing.
  const answer = (verdict: ReadVerdict, error = troubled): DerivedVerdict => ({
    verdict: troubled && verdict === 'clean' ? 'not-scanned' : verdict,
    rawCode,
    error,
  });

  const hasRow = rawCode !== null || matches !== null || suspicious || others.unreadable;
  if (!hasRow) return answer('not-scanned', failed || troubled);
  const hasMatches = (matches ?? 0) > 0;
  const alarm = failed || hasMatches || suspicious || others.unreadable;
  const override = overrideOf({ tool: input.tool, words, alarm });
  if (override !== null) return answer(override, failed || troubled);
  if (failed) return answer('not-scanned', true);
  if (input.tool === 'clicktime_protection' && hasMatches && input.clicks === 0)
    return answer('found-no-click');
  if (words.some((word) => NO_CLICK_WORDS.includes(word))) return answer('found-no-click');
  if (words.some((word) => SPAM_WORDS.includes(word))) return answer('spam');
  if (suspicious || words.includes('suspicious')) return answer('suspicious');
  if (hasMatches || words.some((word) => FOUND_WORDS.includes(word))) return answer('found');
  if (others.unreadable) return answer('unknown');
  if (words.includes(NOTHING_FOUND)) return answer(NOTHING_FOUND);
  if (words.length === 0 || words.some((word) => NOT_SCANNED_WORDS.includes(word)))
    return answer('not-scanned');
  return answer(words.every(saysNothingFound) ? 'clean' : 'unknown');
}

/** "found > suspicious > found-no-click > spam > not scanned > clean"; an unrecognised word outranks not scanned. */
export const ROLL_UP_ORDER: readonly ReadVerdict[] = [
  'found',
  'suspicious',
  'found-no-click',
  'spam',
  'unknown',
  'not-scanned',
  NOTHING_FOUND,
  'clean',
  'hidden',
];

/** Position of a verdict in `ROLL_UP_ORDER`; any other word has that of `unknown`. */
export function verdictRank(verdict: string): number {
  const rank = (ROLL_UP_ORDER as readonly string[]).indexOf(verdict);
  return rank < 0 ? ROLL_UP_ORDER.indexOf('unknown') : rank;
}

/** Whether a result column holds verdicts, which are sorted by severity. A result knows no more of its columns. */
export const isVerdictColumn = ({ id, type, multiValues }: VerdictColumn): boolean =>
  type === 'enum' && multiValues !== true && /(^|_)verdict$/.test(id);

interface VerdictColumn {
  id: string;
  type: string;
  multiValues?: boolean | undefined;
}

/**
 * The verdict of one entity over all its tools; rawCode is that of the first tool with this verdict, error says that
 * some tool failed. No tools at all: not scanned. Only inapplicable tools: hidden.
 */
export function rollUp(verdicts: readonly DerivedVerdict[]): DerivedVerdict {
  let worst: DerivedVerdict | null = null;
  let error = false;
  for (const verdict of verdicts) {
    error ||= verdict.error;
    if (worst === null || ROLL_UP_ORDER.indexOf(verdict.verdict) < ROLL_UP_ORDER.indexOf(worst.verdict))
      worst = verdict;
  }
  return worst === null
    ? { verdict: 'not-scanned', rawCode: null, error: false }
    : { verdict: worst.verdict, rawCode: worst.rawCode, error };
}
