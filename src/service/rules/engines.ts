/** The one place that says how each kind of rule finds mail. */
import type { Store } from '../store/store.ts';
import { conditionsEngine } from './conditions-engine.ts';
import { type PreparedRule, type RuleEngine, RuleError, type RuleSource } from './engine.ts';
import { indicatorsEngine } from './indicators-engine.ts';
import { scanEngine } from './scan-engine.ts';
import type { Scanner } from './scanner.ts';

const ENGINES: readonly RuleEngine[] = [
  conditionsEngine,
  indicatorsEngine,
  scanEngine('yara'),
  scanEngine('mql'),
];

/** Rejects with `RuleError` if the rule cannot be applied, also if this version has no engine for its kind. */
export async function prepareRule(
  store: Store,
  rule: RuleSource,
  scanner: Scanner | null,
): Promise<PreparedRule> {
  const engine = ENGINES.find(({ kind }) => kind === rule.kind);
  if (engine === undefined) throw new RuleError('This version cannot apply rules of this kind.');
  return engine.prepare(store, rule, scanner);
}
