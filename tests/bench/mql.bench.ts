/**
 * Public rules in MQL: npm run bench -- mql --rules DIR --phish DIR --ham DIR [--lists DIR]. Prints how many are read and
 * run, what the others lack, and the mails that the rules hit in both folders.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseMessage } from '#service/formats/mail/parse.ts';
import type { MqlLists } from '#shared/checks/mql/compile.ts';
import { listEntries, listName, OWN_LISTS } from '#shared/checks/mql/lists.ts';
import { compileMqlRule } from '#shared/checks/mql/rule.ts';
import { mqlRunner } from '#shared/checks/mql/run.ts';
import { MqlError } from '#shared/checks/mql/tokens.ts';
import { LACKS } from '#shared/checks/mql/values.ts';
import { type Bench, type BenchSuite, filesIn, print, share } from './support.ts';

type Rule = ReturnType<typeof compileMqlRule> & { file: string };

/** Rules with the most hits that are printed. */
const MOST_SHOWN = 15;

function readRules(folder: string, lists: MqlLists): { rules: Rule[]; refused: string[] } {
  const rules: Rule[] = [];
  const refused: string[] = [];
  for (const file of filesIn(folder).filter((name) => /\.ya?ml$/.test(name)))
    try {
      rules.push({ file: path.basename(file), ...compileMqlRule(readFileSync(file, 'utf8'), lists) });
    } catch (error) {
      if (!(error instanceof MqlError)) throw error;
      refused.push(`${path.basename(file)}, line ${error.place.line}: ${error.message}`);
    }
  return { rules, refused };
}

async function hitsIn(folder: string, rules: readonly Rule[]) {
  const byRule = new Map<string, number>();
  const counts = { mails: 0, hit: 0, unfinished: 0, ms: 0, slowest: 0 };
  const run = mqlRunner();
  for (const file of filesIn(folder)) {
    const result = await parseMessage(readFileSync(file));
    if (!result.ok) continue;
    const input = { mail: result.mail, ownDomains: new Set<string>() };
    const start = performance.now();
    const outcomes = rules.map(({ program }) => run(program, input).outcome);
    const ms = performance.now() - start;
    counts.mails++;
    counts.ms += ms;
    counts.slowest = Math.max(counts.slowest, ms);
    if (outcomes.includes('hit')) counts.hit++;
    counts.unfinished += outcomes.filter((outcome) => outcome === 'unfinished').length;
    for (const [index, outcome] of outcomes.entries())
      if (outcome === 'hit') byRule.set(rules[index]!.file, (byRule.get(rules[index]!.file) ?? 0) + 1);
  }
  return { ...counts, byRule };
}

async function measure(bench: Bench): Promise<void> {
  const [rulesIn, phish, ham] = ['RULES', 'PHISH', 'HAM'].map((name) => process.env[`PARAPET_BENCH_${name}`]);
  if (rulesIn === undefined) {
    bench.notice('mql: not run, as it needs --rules DIR, and for hits --phish DIR and --ham DIR');
    return;
  }
  const lists = new Map(OWN_LISTS);
  const listsIn = process.env['PARAPET_BENCH_LISTS'];
  for (const name of listsIn === undefined
    ? []
    : readdirSync(listsIn).filter((name) => /\.(?:txt|csv)$/.test(name)))
    lists.set(listName(name), listEntries(readFileSync(path.join(listsIn!, name), 'utf8')).entries);
  const start = performance.now();
  const { rules, refused } = readRules(rulesIn, lists);
  const all = rules.length + refused.length;
  bench.record({
    name: 'mql',
    variant: 'reading a rule',
    rows: all,
    median_ms: (performance.now() - start) / all,
  });
  const idle = rules.filter(({ program }) => program.isIdle);
  const partly = rules.filter(({ program }) => !program.isIdle && program.missing.length > 0);
  print(`MQL: ${all} rules`, [
    ['read', `${rules.length}, ${share(rules.length, all)}`],
    ['run', `${rules.length - idle.length}, ${share(rules.length - idle.length, all)}`],
    ['of them in part', `${partly.length}`],
    ['never match here', `${idle.length}`],
    ...refused.slice(0, MOST_SHOWN).map((words): [string, string] => ['not read', words]),
    ...Object.entries(LACKS).map(([lack, words]): [string, string] => [
      `never match, lacking ${words}`,
      `${idle.filter(({ program }) => program.missing.some((missing) => missing.lack === lack)).length}`,
    ]),
  ]);
  const runnable = rules.filter(({ program }) => !program.isIdle);
  for (const [name, folder] of Object.entries({ phish, ham })) {
    if (folder === undefined) continue;
    const { byRule, mails, hit, unfinished, ms, slowest } = await hitsIn(folder, runnable);
    bench.record({ name: 'mql', variant: `a mail of ${name}`, rows: mails, median_ms: ms / mails });
    print(`hits in ${name}: ${mails} mails`, [
      ['mails hit by any rule', `${hit}, ${share(hit, mails)}`],
      ['rules that hit any', `${byRule.size}`],
      ['rules not finished', `${unfinished}`],
      ['slowest mail', `${slowest.toFixed(0)} ms`],
      ...[...byRule]
        .sort(([, a], [, b]) => b - a)
        .slice(0, MOST_SHOWN)
        .map(([file, count]): [string, string] => [file, `${count}`]),
    ]);
  }
}

export const suite: BenchSuite = { names: ['mql'], run: measure };
