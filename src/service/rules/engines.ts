/** The one place that says how each kind of rule finds mail. */
import type { RuleKind } from '#shared/rules/rule.ts';
import { conditionsEngine } from './conditions-engine.ts';
import type { RuleEngine } from './engine.ts';
import { indicatorsEngine } from './indicators-engine.ts';
import { scanEngine } from './scan-engine.ts';

const ENGINES: readonly RuleEngine[] = [
  conditionsEngine,
  indicatorsEngine,
  scanEngine('yara'),
  scanEngine('mql'),
];

/** null: this version has no engine for the kind. */
export const engineOf = (kind: RuleKind): RuleEngine | null =>
  ENGINES.find((engine) => engine.kind === kind) ?? null;
