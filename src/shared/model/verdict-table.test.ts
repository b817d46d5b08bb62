/**
 * Every tool, code, status, count, click count and flag that the specification allows, compared with a second, literal
 * transcription of the rules of product.md (section 1).
 */
import { describe, expect, it } from 'vitest';
import { SCAN_RESULTS, SECURITY_TOOLS, VERDICT_CODES } from './enums.ts';
import {
  type DerivedVerdict,
  deriveVerdict,
  type ReadVerdict,
  ROLL_UP_ORDER,
  rollUp,
  VERDICT_OVERRIDES,
  type VerdictInput,
} from './verdict.ts';

const OVERRIDE_WORDS = Object.values(VERDICT_OVERRIDES).flatMap((words) => Object.keys(words ?? {}));
const CODES = [null, ...VERDICT_CODES, ...new Set(OVERRIDE_WORDS), 'grey_v2'];
const STATUSES = [
  null,
  ...SCAN_RESULTS,
  'links_replaced',
  'no_links_replaced',
  'anomaly',
  'deviation',
  'running',
];
const MATCHES = [null, 0, 1, 7];
const CLICKS = [null, 0, 3];
const SUSPICIOUS = [null, false, true];
const QUIET = ['clean', 'finished', 'ok', 'benign', 'links_replaced', 'no_links_replaced'];

interface Expected {
  verdict: ReadVerdict;
  error: boolean;
}

function readByTheBook(input: VerdictInput): Expected {
  const { tool, applicable, status, verdict_code: code, matches, clicks, suspicious } = input;
  const is = (verdict: ReadVerdict, error = false): Expected => ({ verdict, error });
  if (!applicable) return is('hidden');
  const words = [code, status].filter((word) => word != null);
  if (words.length === 0 && matches == null && suspicious !== true) return is('not-scanned');
  const hasMatches = (matches ?? 0) > 0;
  const overrides: Readonly<Record<string, ReadVerdict>> =
    VERDICT_OVERRIDES[tool as keyof typeof VERDICT_OVERRIDES] ?? {};
  const error = words.includes('error');
  for (const word of words) {
    const verdict = overrides[word];
    if (!verdict) continue;
    // An override to clean never hides matches, a suspicion, an error or another status.
    const quiet = words.every((other) => overrides[other] === 'clean' || QUIET.includes(other));
    if (verdict !== 'clean' || (quiet && !hasMatches && !error && suspicious !== true))
      return is(verdict, error);
  }
  if (error) return is('not-scanned', true);
  if (tool === 'clicktime_protection' && hasMatches && clicks === 0) return is('found-no-click');
  if (words.some((word) => ['bulk', 'spm', 'hspm'].includes(word))) return is('spam');
  if (suspicious === true) return is('suspicious');
  if (hasMatches || words.some((word) => ['phsh', 'hphsh', 'malw'].includes(word))) return is('found');
  if (words.length === 0) return is('not-scanned');
  return is(words.every((word) => QUIET.includes(word)) ? 'clean' : 'unknown');
}

function* everyCombination(tool: string): Generator<VerdictInput> {
  for (const applicable of [true, false])
    for (const verdict_code of CODES)
      for (const status of STATUSES)
        for (const matches of MATCHES)
          for (const clicks of CLICKS)
            for (const suspicious of SUSPICIOUS)
              yield { tool, applicable, verdict_code, status, matches, clicks, suspicious };
}

describe('[spec 4] every combination of code, status, count, clicks and override', () => {
  it.each(SECURITY_TOOLS)('%s', (tool) => {
    const wrong: unknown[] = [];
    let combinations = 0;
    for (const input of everyCombination(tool)) {
      combinations += 1;
      const { verdict, error, rawCode } = deriveVerdict(input);
      const expected = readByTheBook(input);
      const raw = input.verdict_code ?? input.status ?? null;
      if (verdict !== expected.verdict || error !== expected.error || rawCode !== raw)
        wrong.push({ input, verdict, error, rawCode, expected });
    }
    expect(wrong.slice(0, 3)).toEqual([]);
    expect(combinations).toBe(
      2 * CODES.length * STATUSES.length * MATCHES.length * CLICKS.length * SUSPICIOUS.length,
    );
  });

  it('clean implies no error, no match, no suspicion and no unknown word', () => {
    const wrong: VerdictInput[] = [];
    for (const tool of SECURITY_TOOLS)
      for (const input of everyCombination(tool)) {
        if (deriveVerdict(input).verdict !== 'clean') continue;
        const words = [input.verdict_code, input.status];
        const loud = words.some((word) => word === 'error' || word === 'grey_v2' || word === 'running');
        if (loud || (input.matches ?? 0) > 0 || input.suspicious === true) wrong.push(input);
      }
    expect(wrong.slice(0, 3)).toEqual([]);
  });
});

describe('[spec 4] roll-up over every set of verdicts', () => {
  const derived = (verdict: ReadVerdict, error = false): DerivedVerdict => ({
    verdict,
    rawCode: verdict,
    error,
  });

  it('gives the worst, in any order, and keeps any error', () => {
    for (let set = 1; set < 1 << ROLL_UP_ORDER.length; set += 1) {
      const members = ROLL_UP_ORDER.filter((_, place) => set & (1 << place));
      const worst = members[0];
      for (const error of [false, true]) {
        const verdicts = members.map((verdict, index) =>
          derived(verdict, error && index === members.length - 1),
        );
        for (const order of [verdicts, verdicts.toReversed()])
          expect(rollUp(order)).toEqual({ verdict: worst, rawCode: worst, error });
      }
    }
  });
});
