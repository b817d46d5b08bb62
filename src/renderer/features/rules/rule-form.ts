/** The form of a rule: from a rule or a prefill, and what is wrong with it. Pure. */
import type { RulePrefill } from '#renderer/state/tab-payload.ts';
import type { QueryConfig } from '#shared/model/entities.ts';
import { type ConditionGroup, emptyGroup } from '#shared/query/tree.ts';
import { type Problem, validate } from '#shared/query/validate.ts';
import { readConditions, ruleConditionProblems } from '#shared/rules/conditions.ts';
import {
  RULE_NAME_MAX,
  RULE_SENTENCE_MAX,
  type RuleContent,
  type RuleHead,
  ruleContent,
  UNRATED,
} from '#shared/rules/rule.ts';
import { listedValues } from '#shared/rules/rule-file.ts';

export interface RuleForm {
  kind: RuleContent['kind'];
  name: string;
  severity: RuleContent['severity'];
  sentence: string;
  isEnabled: boolean;
  /** Of a rule of conditions; the other kinds have a text. Both are kept while the kind of a new rule changes. */
  condition: ConditionGroup;
  text: string;
}

export const formOf = ({
  name = '',
  sentence = '',
  severity = UNRATED,
  condition,
}: RulePrefill): RuleForm => ({
  kind: 'conditions',
  name: name.slice(0, RULE_NAME_MAX),
  severity,
  sentence: sentence.slice(0, RULE_SENTENCE_MAX),
  isEnabled: true,
  condition: condition ?? emptyGroup(),
  text: '',
});

/** `text` is written as the rule stores it. */
export function formOfRule({ kind, name, severity, sentence, isEnabled }: RuleHead, text: string): RuleForm {
  const read = kind === 'conditions' ? readConditions(text) : null;
  const shared = { kind, name, severity, sentence, isEnabled };
  if (read === null)
    return {
      ...shared,
      condition: emptyGroup(),
      text: kind === 'indicators' ? listedValues(text).join('\n') : text,
    };
  return { ...shared, condition: read.ok ? read.condition : emptyGroup(), text: '' };
}

/** The text of the rule, or null if it stays as it is. */
export function textOf(form: RuleForm, began: RuleForm | null): string | null {
  const { kind, condition, text } = form;
  if (began !== null && condition === began.condition && text === began.text) return null;
  return kind === 'conditions' ? JSON.stringify(condition) : text;
}

const LINE_PROBLEM = 'Remove the control characters';

/** What is wrong with the name or the sentence, or null if nothing is. */
export function lineProblem(
  form: Pick<RuleForm, 'name' | 'sentence'>,
  field: 'name' | 'sentence',
): string | null {
  if (form[field].trim() === '')
    return field === 'name' ? 'Enter a name' : 'Enter the reason that its hits show';
  return ruleContent.shape[field].safeParse(form[field]).success ? null : LINE_PROBLEM;
}

/** Problems of the conditions, by their path. */
export function conditionProblems(condition: ConditionGroup, config: QueryConfig): Problem[] {
  const ofRules = ruleConditionProblems(condition, config.fields);
  const paths = new Set(ofRules.map(({ path }) => path.join('.')));
  return [...ofRules, ...validate(condition, config).filter(({ path }) => !paths.has(path.join('.')))];
}

/** Emails of one but not of the other. */
export const exceptFor = (group: ConditionGroup, other: ConditionGroup): ConditionGroup => ({
  operator: 'and',
  conditions: [group, { ...other, negate: other.negate !== true }],
});
