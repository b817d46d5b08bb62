/** Rules of conditions: a query, tested on mail after mail. */
import { MatchBudgetError } from '#shared/query/sql-functions.ts';
import { effective } from '#shared/query/tree.ts';
import { readConditions, ruleConditionProblems } from '#shared/rules/conditions.ts';
import { ConditionError } from '../store/rows.ts';
import { type RuleEngine, RuleError, WHOLE_MAIL } from './engine.ts';

async function asRuleError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ConditionError || error instanceof MatchBudgetError)
      throw new RuleError(error.message, { cause: error });
    throw error;
  }
}

export const conditionsEngine: RuleEngine = {
  kind: 'conditions',
  async prepare({ rows, rules }, { text }) {
    const read = readConditions(text);
    if (!read.ok) throw new RuleError(read.message);
    const condition = effective(read.condition);
    const [problem] = ruleConditionProblems(condition, rows.shape('email', false)?.fields ?? []);
    if (problem !== undefined) throw new RuleError(`${problem.message}.`);
    const matches = (ids: readonly number[]) => asRuleError(rules.matches(condition, ids, Date.now()));
    // Without any mail: only whether the condition can be applied.
    await matches([]);
    return {
      hits: async (emailIds) =>
        (await matches(emailIds)).map(({ emailId, place }) => ({ emailId, place: place ?? WHOLE_MAIL })),
    };
  },
};
