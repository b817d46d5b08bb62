/** The builder's condition tree over the columns of a set, as SQL: the same compiler that the service answers with. */
import { ParapetError } from '#shared/bridge/errors.ts';
import type { FieldConfig } from '#shared/model/entities.ts';
import { compileCondition, type FieldMapping } from '#shared/query/compile.ts';
import { STANDARD_OPERATORS } from '#shared/query/operators.ts';
import type { ConditionGroup } from '#shared/query/tree.ts';
import type { SqlValue } from '../store/database.ts';
import type { Storage, StoredColumn } from './columns.ts';

const OPERATORS = STANDARD_OPERATORS.map(({ id }) => id);

/** The type words of conditions for a storage that settles them; the others keep the config's own word. */
const TYPES: Partial<Record<Storage, string>> = { number: 'number', boolean: 'boolean', date: 'date' };

/** A column as a field that conditions can be asked of. */
export const fieldOf = (column: StoredColumn): FieldConfig => ({
  id: column.id,
  dbId: column.id,
  label: column.label,
  type: TYPES[column.storage] ?? column.type,
  multiValues: column.multiValues,
  operators: OPERATORS,
});

/** Where the values of a column are in SQL; `cell`: its cell. */
export function mappingOf(column: StoredColumn, cell = `r.${column.sql}`): FieldMapping {
  if (column.storage === 'json')
    return {
      value: 'j.value',
      instants: 'iso',
      some: (sql) =>
        `EXISTS (SELECT 1 FROM json_each(CASE WHEN ${cell} GLOB '[[]*' THEN ${cell} WHEN ${cell} IS NULL THEN '[]' ELSE json_array(${cell}) END) j WHERE ${sql})`,
    };
  // Instants without milliseconds sort after the same instant with them: both sides are brought to one form.
  if (column.storage === 'date')
    return {
      value: `CASE WHEN length(${cell}) = 20 THEN substr(${cell}, 1, 19) || '.000Z' ELSE ${cell} END`,
      instants: 'iso',
    };
  return { value: cell };
}

/** WHERE over the rows `r`, its parameters named q0…; throws `invalid-input` with the first problem of the tree. */
export function conditionSql(
  columns: readonly StoredColumn[],
  group: ConditionGroup,
  now: number,
): { sql: string; params: Record<string, SqlValue> } {
  const byId = new Map(columns.map((column) => [column.id, column]));
  const compiled = compileCondition(group, {
    fields: columns.map(fieldOf),
    operators: STANDARD_OPERATORS,
    mapping: (id) => {
      const column = byId.get(id);
      return column === undefined ? undefined : mappingOf(column);
    },
    now,
  });
  if (!compiled.ok) {
    const problem = compiled.problems[0];
    throw new ParapetError('invalid-input', `${problem?.message ?? 'This condition cannot be asked here'}.`, {
      data: { path: problem?.path ?? [], field: problem?.field ?? null },
    });
  }
  const params: Record<string, SqlValue> = {};
  let at = 0;
  // Compiled text holds no literal with a question mark: each one stands for a parameter.
  const sql = compiled.sql.replace(/\?/g, () => {
    params[`q${at}`] = compiled.params[at] ?? null;
    return `@q${at++}`;
  });
  return { sql, params };
}
