import { describe, expect, it, test } from 'vitest';
import { VERDICTS } from './enums.ts';
import {
  type DerivedVerdict,
  deriveVerdict,
  ROLL_UP_ORDER,
  rollUp,
  VERDICT_LABELS,
  type VerdictInput,
} from './verdict.ts';

function derive(input: Partial<VerdictInput>): DerivedVerdict {
  return deriveVerdict({ tool: 'checkpoint_te', applicable: true, ...input });
}

describe('Scan verdict: clean, found, suspicious, spam, found-no-click, not scanned, or hidden', () => {
  const CLICK = 'clicktime_protection';
  test.each<[string, Partial<VerdictInput>, string]>([
    ['tool not applicable', { applicable: false, verdict_code: 'malw', matches: 3 }, 'hidden'],
    ['no row', {}, 'not-scanned'],
    ['no row, with nulls', { status: null, verdict_code: null, matches: null, clicks: null }, 'not-scanned'],
    ['empty words are no row', { status: ' ', verdict_code: '' }, 'not-scanned'],
    ['clean', { status: 'clean', matches: 0 }, 'clean'],
    ['finished', { status: 'finished', matches: 0 }, 'clean'],
    ['ok', { status: 'ok', matches: 0 }, 'clean'],
    ['benign', { status: 'benign', matches: 0 }, 'clean'],
    ['code clean', { verdict_code: 'clean', matches: 0 }, 'clean'],
    ['words in capitals', { status: 'FINISHED', verdict_code: 'CLEAN', matches: 0 }, 'clean'],
    ['clean with matches', { status: 'clean', matches: 1 }, 'found'],
    ['a count without any word', { matches: 0 }, 'not-scanned'],
    ['matches without any word', { matches: 2 }, 'found'],
    ['bulk', { verdict_code: 'bulk', matches: 0 }, 'spam'],
    ['spm', { verdict_code: 'spm', matches: 4 }, 'spam'],
    ['hspm', { verdict_code: 'hspm' }, 'spam'],
    ['phsh', { verdict_code: 'phsh', matches: 0 }, 'found'],
    ['hphsh', { verdict_code: 'hphsh' }, 'found'],
    ['malw', { verdict_code: 'malw', status: 'finished' }, 'found'],
    ['suspicious flag', { status: 'finished', suspicious: true, matches: 0 }, 'suspicious'],
    ['suspicious before matches', { status: 'finished', suspicious: true, matches: 2 }, 'suspicious'],
    ['suspicious word', { verdict_code: 'suspicious' }, 'suspicious'],
    ['spam before suspicious', { verdict_code: 'bulk', suspicious: true }, 'spam'],
    [
      'click-time matches without clicks',
      { tool: CLICK, status: 'finished', matches: 2, clicks: 0 },
      'found-no-click',
    ],
    ['click-time matches with clicks', { tool: CLICK, status: 'finished', matches: 2, clicks: 1 }, 'found'],
    ['clicks not counted are not no clicks', { tool: CLICK, status: 'finished', matches: 2 }, 'found'],
    ['click-time without matches', { tool: CLICK, status: 'finished', matches: 0, clicks: 0 }, 'clean'],
    ['links replaced, nothing found', { tool: CLICK, status: 'links_replaced', matches: 0 }, 'clean'],
    ['other tools do not look at clicks', { status: 'finished', matches: 2, clicks: 0 }, 'found'],
    ['unknown word', { verdict_code: 'grey_v2', matches: 0 }, 'unknown'],
    [
      'unknown word beside a clean one',
      { verdict_code: 'grey_v2', status: 'finished', matches: 0 },
      'unknown',
    ],
    ['unknown word with matches', { verdict_code: 'grey_v2', matches: 1 }, 'found'],
    ['a word of an object', { verdict_code: '__proto__', matches: 0 }, 'unknown'],
    ['counts that are none', { status: 'clean', matches: Number.NaN }, 'clean'],
  ])('%s', (_, input, verdict) => {
    expect(derive(input)).toMatchObject({ verdict, error: false });
  });

  test.each<[string, Partial<VerdictInput>]>([
    ['status', { status: 'error', matches: 0 }],
    ['code', { verdict_code: 'error', status: 'finished' }],
    ['with matches', { status: 'error', matches: 3 }],
    ['no word, an error text', { error: 'timed out' }],
  ])('error → not scanned with an error badge (never clean): %s', (_, input) => {
    expect(derive(input)).toMatchObject({ verdict: 'not-scanned', error: true });
  });
  test.each<[Partial<VerdictInput>, string]>([
    [{ status: 'clean', matches: 0 }, 'not-scanned'],
    [{ verdict_code: 'clean', status: 'finished', matches: 0 }, 'not-scanned'],
    [{ tool: 'ms_defender', verdict_code: 'none', matches: 0 }, 'not-scanned'],
    [{ matches: 0 }, 'not-scanned'],
    [{ status: 'finished', matches: 2 }, 'found'],
    [{ verdict_code: 'spm' }, 'spam'],
    [{ status: 'finished', suspicious: true }, 'suspicious'],
  ])('an error text beside %j is never clean and does not hide a match', (input, verdict) => {
    expect(derive({ ...input, error: 'timeout' })).toMatchObject({ verdict, error: true });
  });

  test.each([
    ['ms_defender', 'none', 0, 'clean'],
    ['ms_defender', 'none', 1, 'found'],
    ['ms_defender', 'spoof', 0, 'suspicious'],
    ['ms_defender', 'sap', 0, 'found'],
    ['checkpoint_te', 'none', 0, 'unknown'],
    ['anomaly_detection', 'anomaly', 2, 'suspicious'],
    ['__proto__', 'none', 0, 'unknown'],
  ])('some per-tool result overrides: %s %s with %d matches', (tool, code, matches, verdict) => {
    expect(derive({ tool, verdict_code: code, matches }).verdict).toBe(verdict);
  });

  test.each([
    [{ verdict_code: 'hphsh', status: 'finished' }, 'hphsh'],
    [{ status: 'Finished' }, 'Finished'],
    [{ verdict_code: 'error' }, 'error'],
    [{ applicable: false, verdict_code: 'malw' }, 'malw'],
    [{}, null],
  ])('the raw code stays visible: %j', (input, rawCode) => expect(derive(input).rawCode).toBe(rawCode));
});

describe('Roll-up: found > suspicious > found-no-click > spam > not scanned > clean', () => {
  const derived = (
    verdict: DerivedVerdict['verdict'],
    rawCode: string | null = null,
    error = false,
  ): DerivedVerdict => ({
    verdict,
    rawCode,
    error,
  });
  test.each([
    [['clean', 'found', 'suspicious'], 'found'],
    [['found-no-click', 'suspicious', 'spam'], 'suspicious'],
    [['spam', 'found-no-click', 'not-scanned'], 'found-no-click'],
    [['clean', 'spam', 'not-scanned'], 'spam'],
    [['clean', 'not-scanned', 'clean'], 'not-scanned'],
    [['clean', 'unknown'], 'unknown'],
    [['hidden', 'clean', 'hidden'], 'clean'],
    [['hidden', 'hidden'], 'hidden'],
    [[], 'not-scanned'],
  ] as const)('%j is %s', (verdicts, verdict) =>
    expect(rollUp(verdicts.map((v) => derived(v))).verdict).toBe(verdict),
  );

  it('keeps the code of the first tool with the worst verdict, and any error', () => {
    const answer = rollUp([
      derived('clean', 'ok'),
      derived('not-scanned', 'error', true),
      derived('found', 'malw'),
      derived('found', 'phsh'),
    ]);
    expect(answer).toEqual({ verdict: 'found', rawCode: 'malw', error: true });
  });
  it('covers every verdict', () => {
    expect([...ROLL_UP_ORDER].sort()).toEqual([...VERDICTS, 'unknown', 'nothing-found'].sort());
    expect(Object.keys(VERDICT_LABELS).sort()).toEqual([...ROLL_UP_ORDER].sort());
  });
});
