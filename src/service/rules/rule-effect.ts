/** What a rule would find among the mail that is here, before it is saved: counted mail by mail, with nothing stored. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RuleEffect, RuleTrial } from '#shared/rules/rule.ts';
import type { Store } from '../store/store.ts';
import { type PreparedRule, RuleError } from './engine.ts';
import { prepareRule } from './engines.ts';
import type { Scanner } from './scanner.ts';

/** Mails between two reports of progress. */
const STEP = 100;

interface Options {
  store: Store;
  scanner: Scanner | null;
  signal: AbortSignal;
  onProgress(done: number, total: number): void;
}

/** The saved rule, to compare with; words: why that is not possible. */
async function preparedSaved({ store, scanner }: Options, saved: NonNullable<RuleTrial['saved']>) {
  const stored = await store.rules.find(saved.id);
  if (stored?.digest !== saved.digest) return 'The saved rule is not here yet, so it is not compared.';
  try {
    return await prepareRule(store, stored, scanner);
  } catch (error) {
    if (error instanceof RuleError) return `Not compared, as the saved rule fails: ${error.message}`;
    throw error;
  }
}

const mailsOf = async (rule: PreparedRule, ids: readonly number[]): Promise<ReadonlySet<number>> =>
  new Set((await rule.hits(ids)).map(({ emailId }) => emailId));

/** Rejects with `RuleError` if the rule cannot be applied, and with the signal's reason. */
export async function ruleEffect(trial: RuleTrial, options: Options): Promise<RuleEffect> {
  const { store, scanner, signal, onProgress } = options;
  const { saved, ...source } = trial;
  const isSame = saved?.digest === trial.digest;
  const rule = await prepareRule(store, { id: '', ...source }, scanner);
  let before = saved === null || isSame ? null : await preparedSaved(options, saved);
  const notes: string[] = [];
  const effect = { checked: 0, unfinished: 0, finds: 0, more: 0, fewer: 0 };
  const total = await store.mails.count();
  for (let after = 0; ; ) {
    onProgress(effect.checked + effect.unfinished, total);
    const ids = await store.mails.idsAfter(after, STEP);
    if (ids.length === 0) break;
    after = ids.at(-1) ?? after;
    const hits = await mailsOf(rule, ids);
    let hitsBefore = hits;
    if (before !== null && typeof before !== 'string')
      try {
        hitsBefore = await mailsOf(before, ids);
      } catch (error) {
        if (!(error instanceof RuleError)) throw error;
        before = `Not compared, as the saved rule fails: ${error.message}`;
      }
    const compared = typeof before === 'string' ? null : before;
    for (const id of ids) {
      if (rule.unfinished?.has(id) || compared?.unfinished?.has(id)) {
        effect.unfinished += 1;
        continue;
      }
      effect.checked += 1;
      if (hits.has(id)) effect.finds += 1;
      if (hits.has(id) && !hitsBefore.has(id)) effect.more += 1;
      if (!hits.has(id) && hitsBefore.has(id)) effect.fewer += 1;
    }
    await nextTurn();
    signal.throwIfAborted();
  }
  if (typeof before === 'string') notes.push(before);
  const note = rule.note?.() ?? null;
  if (note !== null) notes.push(`${note}.`);
  const isCompared = saved !== null && typeof before !== 'string';
  return {
    ...effect,
    more: isCompared ? effect.more : null,
    fewer: isCompared ? effect.fewer : null,
    notes,
  };
}
