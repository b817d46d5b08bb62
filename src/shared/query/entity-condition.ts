/** Conditions that hold for exactly the rows with given entity ids, in the words of a service's own config. */
import type { OperatorConfig, QueryConfig } from '../model/entities.ts';
import { isEntityIdName } from '../model/field-names.ts';
import type { ConditionGroup } from './tree.ts';

/** The field of ids, and the operator that compares them. */
export interface EntityTest {
  field: string;
  operator: string;
  /** The operator takes a list of ids; otherwise each id is a condition of its own. */
  takesList: boolean;
}

const EQUALS = /^(is|=|==|eq|equals?|is equal( to)?|equal to)$/;
const ONE_OF = /^(is )?(in|in list|one of|any of|in any of|is any of)$/;

/** Services name their operators as they like: by id or by label, one of them says what it does. */
const means = ({ id, label }: OperatorConfig, words: RegExp): boolean =>
  [id, label].some((text) => words.test(text.toLowerCase().replaceAll('_', ' ').trim()));

/** The field of a row's entity id: the one that the config names, or the one that is called so. */
export const entityFieldOf = ({ entityField, fields }: Pick<QueryConfig, 'entityField' | 'fields'>) =>
  entityField == null
    ? fields.find(({ id, dbId }) => isEntityIdName(id) || isEntityIdName(dbId))
    : fields.find((field) => field.id === entityField);

/** Null if the service offers no way to name rows by their ids. */
export function entityTest(
  config: Pick<QueryConfig, 'entityField' | 'fields' | 'operators'>,
): EntityTest | null {
  const { operators } = config;
  const field = entityFieldOf(config);
  if (field === undefined) return null;
  const { id } = field;
  const offered = operators.filter(
    (operator) => field.operators.includes(operator.id) && !operator.list && !operator.regex,
  );
  const many = offered.find((operator) => operator.arity < 0 && means(operator, ONE_OF));
  if (many) return { field: id, operator: many.id, takesList: true };
  const single = offered.find(
    (operator) => (operator.arity === 1 || operator.arity < 0) && means(operator, EQUALS),
  );
  return single ? { field: id, operator: single.id, takesList: false } : null;
}

export const entityCondition = (
  { field, operator, takesList }: EntityTest,
  ids: readonly string[],
): ConditionGroup =>
  takesList
    ? { operator: 'and', conditions: [{ field, operator, values: [...ids] }] }
    : { operator: 'or', conditions: ids.map((id) => ({ field, operator, values: [id] })) };
