/** The rules of the analyst in the index of evidence: as they were last applied, and how far. */
import type { RuleHead, RuleKind } from '#shared/rules/rule.ts';

/**
 * pending: it must check all mail. changed: its hits must be written again, or removed if it is disabled. removed: its hits
 * must be removed, and then the rule. failed: it cannot be applied.
 */
export type AppliedState = 'pending' | 'changed' | 'removed' | 'applied' | 'failed';

export interface StoredRule {
  id: string;
  kind: RuleKind;
  name: string;
  severity: RuleHead['severity'];
  sentence: string;
  /** 1 or 0. */
  is_enabled: number;
  digest: string;
  /** '' for lists of indicators, whose values are in `rule_values`. */
  text: string;
  state: AppliedState;
  reason: string | null;
}

export interface FindingMark {
  entityId: string;
  check: string;
  place: { kind: string; name: string; text: string };
}
