/**
 * How often each check of a mail fires on phishing and on ham: npm run bench -- checks --phish DIR --ham DIR [--rates docs/checks.json]. Prints how
 * often alone and as the deciding one, what each costs, and SpamAssassin's verdicts beside ours where it is installed.
 */
import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { parseMessage } from '#service/formats/mail/parse.ts';
import type { ParsedMail } from '#service/formats/mail/types.ts';
import { assess, CHECKS } from '#shared/checks/assess.ts';
import { prepareMail } from '#shared/checks/prepared-mail.ts';
import { SUSPICIOUS_FROM } from '#shared/checks/score.ts';
import { type Bench, type BenchSuite, filesIn, print, share } from './support.ts';

/** The bytes of a mail that SpamAssassin reads. */
const MAX_BYTES = 500_000;
/** No key is given here, so these cannot fire, which is not never. */
const NEEDS_KEYS = /^authentication\.signature-/;
const run = promisify(execFile);

interface Tally {
  fired: number;
  alone: number;
  deciding: number;
}

interface Outcome {
  mails: number;
  found: number;
  flagged: number;
  /** Flagged without any header that begins with X-. */
  flaggedBare: number;
  byCheck: Map<string, Tally>;
  ms: number;
}

const withoutX = (mail: ParsedMail): ParsedMail => ({
  ...mail,
  headers: mail.headers.filter(({ name }) => !/^x-/i.test(name)),
});

function count(outcome: Outcome, mail: ParsedMail): void {
  const start = performance.now();
  const { findings, score, verdict } = assess(mail);
  outcome.ms += performance.now() - start;
  outcome.mails++;
  if (verdict !== null) outcome.flagged++;
  if (verdict === 'found') outcome.found++;
  if (assess(withoutX(mail)).verdict !== null) outcome.flaggedBare++;
  const weights = new Map<string, number>();
  for (const { check, weight } of findings) weights.set(check, (weights.get(check) ?? 0) + weight);
  for (const [check, weight] of weights) {
    const tally = outcome.byCheck.get(check) ?? { fired: 0, alone: 0, deciding: 0 };
    tally.fired++;
    if (weights.size === 1) tally.alone++;
    if (verdict !== null && score - weight < SUSPICIOUS_FROM) tally.deciding++;
    outcome.byCheck.set(check, tally);
  }
}

async function outcomeOf(folder: string, cost: Map<string, number>): Promise<Outcome> {
  const outcome: Outcome = { mails: 0, found: 0, flagged: 0, flaggedBare: 0, byCheck: new Map(), ms: 0 };
  for (const file of filesIn(folder)) {
    const result = await parseMessage(readFileSync(file));
    if (!result.ok) continue;
    count(outcome, result.mail);
    const prepared = prepareMail(result.mail);
    for (const check of CHECKS) {
      const start = performance.now();
      check.run(prepared);
      cost.set(check.id, (cost.get(check.id) ?? 0) + performance.now() - start);
    }
  }
  return outcome;
}

/** Scores of SpamAssassin without network tests; null: it is not installed. */
async function spamAssassin(folder: string): Promise<number[] | null> {
  const box = path.join(tmpdir(), `parapet-checks-${process.pid}.mbox`);
  const mails = filesIn(folder).map((file) => readFileSync(file).subarray(0, MAX_BYTES).toString('latin1'));
  writeFileSync(
    box,
    mails
      .map((mail) => `From a@b Thu Jan  1 00:00:00 2026\n${mail.replace(/^From /gm, '>From ')}\n\n`)
      .join(''),
    'latin1',
  );
  try {
    const { stdout } = await run('spamassassin', ['-L', '--mbox', box], {
      maxBuffer: 2 ** 31,
      encoding: 'latin1',
    });
    return [...stdout.matchAll(/^X-Spam-Status: (?:Yes|No), score=(-?[\d.]+)/gm)].map(([, score]) =>
      Number(score),
    );
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  } finally {
    rmSync(box, { force: true });
  }
}

/** For docs/checks.md: of which share of the mails each check fires, in percent. */
function ratesOf(phish: Outcome, ham: Outcome): string {
  const percent = (part: number, { mails }: Outcome): number =>
    Math.round((1_000 * part) / Math.max(1, mails)) / 10;
  const sides = { phish, ham };
  const of = (count: (outcome: Outcome) => number) =>
    Object.fromEntries(Object.entries(sides).map(([name, side]) => [name, percent(count(side), side)]));
  const rates = {
    mails: { phish: phish.mails, ham: ham.mails },
    flagged: of(({ flagged }) => flagged),
    withoutGatewayHeaders: of(({ flaggedBare }) => flaggedBare),
    checks: Object.fromEntries(
      CHECKS.filter(({ id }) => !NEEDS_KEYS.test(id)).map(({ id }) => [
        id,
        of(({ byCheck }) => byCheck.get(id)?.fired ?? 0),
      ]),
    ),
  };
  return `${JSON.stringify(rates, null, 2)}\n`;
}

async function measure(bench: Bench): Promise<void> {
  const folders = { phish: process.env['PARAPET_BENCH_PHISH'], ham: process.env['PARAPET_BENCH_HAM'] };
  if (folders.phish === undefined || folders.ham === undefined) {
    bench.notice('checks: not run, as it needs --phish DIR and --ham DIR');
    return;
  }
  const cost = new Map<string, number>();
  const phish = await outcomeOf(folders.phish, cost);
  const ham = await outcomeOf(folders.ham, cost);
  const mails = phish.mails + ham.mails;
  for (const [name, outcome] of Object.entries({ phish, ham })) {
    print(`${name}: ${outcome.mails} mails`, [
      ['found or suspicious', share(outcome.flagged, outcome.mails)],
      ['found', share(outcome.found, outcome.mails)],
      ['found or suspicious without X- headers', share(outcome.flaggedBare, outcome.mails)],
    ]);
    bench.record({
      name: 'checks',
      variant: `a mail of ${name}`,
      rows: outcome.mails,
      median_ms: outcome.ms / outcome.mails,
    });
  }
  const none: Tally = { fired: 0, alone: 0, deciding: 0 };
  print(
    'check: fired on phish, ham; alone; deciding; microseconds a mail',
    CHECKS.map(({ id }) => {
      const [p, h] = [phish.byCheck.get(id) ?? none, ham.byCheck.get(id) ?? none];
      const pair = (key: keyof Tally) => `${share(p[key], phish.mails)}, ${share(h[key], ham.mails)}`;
      return [
        id,
        `${pair('fired')}; ${pair('alone')}; ${pair('deciding')}; ${((1_000 * (cost.get(id) ?? 0)) / mails).toFixed(0)}`,
      ];
    }),
  );
  const rates = process.env['PARAPET_BENCH_RATES'];
  if (rates !== undefined) writeFileSync(rates, ratesOf(phish, ham));
  for (const [name, folder] of Object.entries(folders)) {
    const scores = await spamAssassin(folder ?? '');
    if (scores === null) bench.notice('checks: SpamAssassin is not installed');
    else
      print(
        `SpamAssassin, local tests, ${name}: ${scores.length} mails`,
        [5, 4, 3].map((limit) => [
          `score of at least ${limit}`,
          share(scores.filter((score) => score >= limit).length, scores.length),
        ]),
      );
  }
}

export const suite: BenchSuite = { names: ['checks'], run: measure };
