/** Operations on the analyst's rules, which are kept in the profile and apply to all evidence. */
import { z } from 'zod';
import { MOST_RULES, ruleContent, ruleEffect, ruleHead } from '../../rules/rule.ts';
import { call, stream } from '../operation.ts';
import { none } from './common.ts';
import { job } from './jobs.ts';

const plannedRule = z.object({
  /** Position in the file, from 0. */
  index: z.number(),
  name: z.string(),
  kind: ruleContent.shape.kind.nullable(),
  severity: ruleContent.shape.severity.nullable(),
  sentence: ruleContent.shape.sentence.nullable(),
  /** changed: a rule of the same name and kind says something else. same: nothing would change. */
  state: z.enum(['new', 'changed', 'same', 'invalid']),
  /** Id of the rule of the same name and kind, if there is one. */
  match: z.string().nullable(),
  /** Where in the file it begins, from 1, if known. */
  line: z.number().nullable(),
  /** Why it is invalid. */
  reason: z.string().nullable(),
  /** The number of indicators, for a list only. */
  indicators: z.number().nullable(),
});
export type PlannedRule = z.infer<typeof plannedRule>;

export const rulesOperations = {
  'rules.list': call('The rules of the profile', none, z.object({ rules: z.array(ruleHead) })),

  'rules.get': call(
    'A rule with its text; of a list of indicators its beginning',
    z.object({ id: z.string() }),
    z.object({ rule: ruleHead, text: z.string(), isWhole: z.boolean() }),
  ),

  'rules.check': call(
    'Reads the text of a rule as saving it does; nothing is changed',
    ruleContent.pick({ kind: true, text: true }),
    z.object({
      /** Why it cannot be saved, if it cannot. */
      problem: z.object({ message: z.string(), line: z.number().nullable() }).nullable(),
      /** What the rule cannot do here, or which lines of a list are left out. */
      notes: z.array(z.string()),
      /** The number of indicators, for a list only. */
      indicators: z.number().nullable(),
    }),
  ),

  'rules.effect': stream(
    'Counts what a rule would find in open evidence, beside what the saved one finds; nothing is changed',
    ruleContent.pick({ kind: true, text: true }).extend({
      connectionId: z.string(),
      /** The rule that is edited, or null for a new one. */
      id: z.string().nullable(),
    }),
    z.object({ done: z.number(), total: z.number() }),
    ruleEffect,
  ),

  'rules.save': call(
    'Adds or changes a rule; without a text the text stays. Open evidence applies it as a job',
    z.object({
      /** Null for a new rule. */
      id: z.string().nullable(),
      content: ruleContent.extend({ text: ruleContent.shape.text.nullable() }),
      isEnabled: z.boolean(),
    }),
    ruleHead,
  ),

  'rules.enable': call(
    'Enables or disables rules; a disabled one has no hits',
    z.object({ ids: z.array(z.string()).min(1).max(MOST_RULES), isEnabled: z.boolean() }),
    none,
  ),

  'rules.remove': call(
    'Deletes rules, and their hits in all evidence',
    z.object({ ids: z.array(z.string()).min(1).max(MOST_RULES) }),
    none,
  ),

  'rules.run': call(
    'Applies rules to all mail of open evidence again, as a job',
    z.object({
      connectionId: z.string(),
      /** Null for all enabled rules. */
      ids: z.array(z.string()).max(MOST_RULES).nullable(),
    }),
    job,
  ),

  'rules.inspect': call(
    'Reads a file of rules, or a list of indicators, and compares it with the rules of the profile; nothing is changed',
    z.object({ grantId: z.string() }),
    z.object({
      /** Single-use id for rules.import. */
      importId: z.string(),
      name: z.string(),
      rules: z.array(plannedRule),
      /** What is unusual about the file, such as lines without an indicator. */
      notes: z.array(z.string()),
    }),
  ),

  'rules.import': call(
    'Adds the chosen rules of an inspected file, or replaces those of the same name; disabled unless chosen otherwise',
    z.object({
      importId: z.string(),
      choices: z
        .array(
          z.object({
            index: z.number(),
            isEnabled: z.boolean(),
            /** Replaces the file's name, severity and sentence: a list of indicators has none. */
            as: ruleContent.pick({ name: true, severity: true, sentence: true }).optional(),
          }),
        )
        .min(1)
        .max(MOST_RULES),
    }),
    z.object({ added: z.number(), replaced: z.number() }),
  ),

  'rules.export': call(
    'Writes rules to a granted file',
    z.object({ ids: z.array(z.string()).min(1).max(MOST_RULES), grantId: z.string() }),
    z.object({ name: z.string(), count: z.number(), bytes: z.number() }),
  ),
} as const;
