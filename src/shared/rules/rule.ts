/** Rules of the analyst: what finds mail in evidence beside the checks of Parapet. They are kept in the profile. */
import { z } from 'zod';
import { SEVERITIES, type Severity } from '../model/enums.ts';

/** How a rule finds mail; each has its engine in src/service/rules/engines.ts. */
const RULE_KINDS = ['conditions', 'indicators', 'yara', 'mql'] as const;
export type RuleKind = (typeof RULE_KINDS)[number];

export const RULE_KIND_LABELS: Readonly<Record<RuleKind, string>> = {
  conditions: 'Conditions',
  indicators: 'Indicator list',
  yara: 'YARA',
  mql: 'MQL',
};

export const RULE_NAME_MAX = 120;
export const RULE_SENTENCE_MAX = 300;
/** Characters of the text of a rule: of a list of indicators, and of any other. */
const LIST_TEXT_MAX = 96 * 1024 * 1024;
export const RULE_TEXT_MAX = 1024 * 1024;
/** Rules of a profile. Every new mail is checked by each enabled one; the collections that are public have about 1 200. */
export const MOST_RULES = 2_000;

/** The severity of a rule that says none: medium. */
export const UNRATED: Severity = 3;

/** A severity as the number of the specification (model/severity.ts). */
const severity = z.union(SEVERITIES.map((level) => z.literal(level)));

const line = (most: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(most)
    .refine((text) => !/[\r\n\0]/.test(text), 'One line');

export const ruleContent = z.object({
  kind: z.enum(RULE_KINDS),
  name: line(RULE_NAME_MAX),
  severity,
  /** The reason that its hits show. */
  sentence: line(RULE_SENTENCE_MAX),
  /**
   * Of conditions the tree as JSON; of indicators one `type value` a line (indicator-list.ts); of the others their source.
   */
  text: z.string().max(LIST_TEXT_MAX),
});
export type RuleContent = z.infer<typeof ruleContent>;

/** A rule without its text, which may be long. */
export const ruleHead = ruleContent.omit({ text: true }).extend({
  id: z.string(),
  isEnabled: z.boolean(),
  /** SHA-256 of kind and text: the same digest finds the same mail. */
  digest: z.string(),
  size: z.number(),
  /** The number of indicators, for a list only. */
  indicators: z.number().nullable(),
  /** Milliseconds since the epoch. */
  changedAt: z.number(),
});
export type RuleHead = z.infer<typeof ruleHead>;

/** What a rule would find among the mail that is here, before it is saved. */
export const ruleEffect = z.object({
  /** Emails that were looked at to their end; nothing is said of the others. */
  checked: z.number(),
  unfinished: z.number(),
  finds: z.number(),
  /** Emails that the saved rule does not find, and those that only it finds, if they were compared. */
  more: z.number().nullable(),
  fewer: z.number().nullable(),
  /** What could not be done, in words. */
  notes: z.array(z.string()),
});
export type RuleEffect = z.infer<typeof ruleEffect>;

/** A rule as it is edited. Its hits are compared with those of `saved`, unless it is new. */
export interface RuleTrial extends Pick<RuleContent, 'kind' | 'text'>, Pick<RuleHead, 'digest'> {
  saved: Pick<RuleHead, 'id' | 'digest'> | null;
}

/** How much a hit weighs in the score of its mail: high is suspicious by itself, critical is found by itself. */
export const RULE_WEIGHTS: Readonly<Record<Severity, number>> = { 1: 0.5, 2: 1.5, 3: 3, 4: 4.5, 5: 8 };

/** The id of the check that a rule is, as findings store it. */
export const ruleCheckId = (id: string): string => `rule.${id}`;
