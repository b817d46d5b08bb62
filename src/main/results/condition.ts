/** The builder's condition tree over the columns of a set: the same predicate and the same SQL as the service's. */
import { ParapetError } from '#shared/bridge/errors.ts';
import type { FieldConfig } from '#shared/model/entities.ts';
import { STANDARD_OPERATORS } from '#shared/query/operators.ts';
import { type Predicate, predicateOf } from '#shared/query/predicate.ts';
import { predicateSql } from '#shared/query/predicate-sql.ts';
import type { ConditionGroup } from '#shared/query/tree.ts';
import type { SqlValue } from '../store/database.ts';
import { mappingOf } from './column-sql.ts';
import { columnOf, type Storage, type StoredColumn } from './columns.ts';

const OPERATORS = STANDARD_OPERATORS.map(({ id }) => id);

/** Condition types that follow from the storage; other columns keep the config's type. */
const TYPES: Partial<Record<Storage, string>> = { number: 'number', boolean: 'boolean', date: 'date' };

/** A column as a field for conditions. */
const fieldOf = (column: StoredColumn): FieldConfig => ({
  id: column.id,
  dbId: column.id,
  label: column.label,
  type: TYPES[column.storage] ?? column.type,
  multiValues: column.multiValues,
  operators: OPERATORS,
});

/** Fields are column ids. Throws `invalid-input` with the tree's first problem. */
export function conditionPredicate(
  columns: readonly StoredColumn[],
  group: ConditionGroup,
  now: number,
): Predicate {
  const result = predicateOf(group, { fields: columns.map(fieldOf), operators: STANDARD_OPERATORS, now });
  if (result.ok) return result.predicate;
  const problem = result.problems[0];
  throw new ParapetError('invalid-input', `${problem?.message ?? 'This condition cannot be asked here'}.`, {
    data: { path: problem?.path ?? [], field: problem?.field ?? null },
  });
}

/** WHERE clause over rows `r`, with parameters q0…; throws `invalid-input` with the tree's first problem. */
export function conditionSql(
  columns: readonly StoredColumn[],
  group: ConditionGroup,
  now: number,
): { sql: string; params: Record<string, SqlValue> } {
  const params: Record<string, SqlValue> = {};
  let count = 0;
  const sql = predicateSql(
    conditionPredicate(columns, group, now),
    (id) => {
      const column = columnOf(columns, id);
      return mappingOf(column, `r.${column.sql}`);
    },
    (value) => {
      params[`q${count}`] = value;
      return `@q${count++}`;
    },
  );
  return { sql, params };
}
