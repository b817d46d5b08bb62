/** Apart from the reading of rules, whose grammars the host does not load. */
import { createHash } from 'node:crypto';
import type { RuleKind } from '#shared/rules/rule.ts';

/** Equal digests find the same mail. */
export const ruleDigest = (kind: RuleKind, text: string): string =>
  createHash('sha256').update(`${kind}\0`).update(text).digest('hex');
