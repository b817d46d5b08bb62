/** The rules of the analyst in the index of evidence: as they were last applied, and how far. */
import type { FindingPlace } from '#shared/checks/check.ts';
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
  state: AppliedState;
  reason: string | null;
}

/** A rule with what it says: up to a mebibyte. */
export interface WholeRule extends StoredRule {
  /** '' for lists of indicators, whose values are in `rule_values`. */
  text: string;
}

export interface FindingMark {
  entityId: string;
  check: string;
  place: { kind: string; name: string; text: string };
}

/** Replaces the hits of these checks among these mails, and counts the mails again that had or have one. */
export interface HitChange {
  ids: readonly number[];
  checks: readonly string[];
  findings: readonly {
    emailId: number;
    check: string;
    sentence: string;
    weight: number;
    place: FindingPlace;
  }[];
  /** The mails were queued, and may have marks. */
  isNew: boolean;
}

export interface ListedValue {
  type: string;
  value: string;
}

export interface Observables {
  attachments: ({ emailId: number; name: string } & Record<'md5' | 'sha1' | 'sha256', string | null>)[];
  links: { emailId: number; url: string; rewritten: string | null; host: string | null }[];
  headers: { emailId: number; header: string; value: string | null }[];
}
