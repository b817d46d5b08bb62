/** A condition tree as SQL: parameters only, never a value inside the text. */
import type { FieldConfig, OperatorConfig } from '../model/entities.ts';
import { type FieldMapping, inNetworkSql, plainSql, type SqlPart } from './compile-leaf.ts';
import { type Condition, type ConditionGroup, depthOf, effective, isGroup, MAX_DEPTH } from './tree.ts';
import { checkCondition, MAX_CONDITIONS, type Problem } from './validate.ts';

export type { FieldMapping };

export interface CompileOptions {
  fields: readonly FieldConfig[];
  operators: readonly OperatorConfig[];
  mapping: (field: string) => FieldMapping | undefined;
  /** Milliseconds since the epoch, for spans that end now. */
  now: number;
  /** The values of a custom list by its id; undefined: no such list here. */
  list?: (id: string) => readonly string[] | undefined;
}

export type Compiled =
  | { ok: true; sql: string; params: (string | number)[] }
  | { ok: false; problems: Problem[] };

/**
 * The WHERE expression of a tree. An empty tree is true. What a field does not have fulfils no condition, and
 * therefore every negated one. Problems carry the path of the condition in the tree, as validate's do.
 */
export function compileCondition(group: ConditionGroup, options: CompileOptions): Compiled {
  const problems: Problem[] = [];
  const fields = new Map(options.fields.map((field) => [field.id, field]));
  const operators = new Map(options.operators.map((operator) => [operator.id, operator]));
  const params: (string | number)[] = [];

  let leaves = 0;
  const leaf = (node: Condition, path: number[]): string => {
    leaves += 1;
    // SQLite refuses expressions deeper than 1000.
    if (leaves === MAX_CONDITIONS + 1)
      problems.push({ path: [], message: `A query has at most ${MAX_CONDITIONS} conditions` });
    if (leaves > MAX_CONDITIONS) return '0';
    const found = checkCondition(node, path, fields, operators);
    const field = fields.get(node.field);
    const mapping = options.mapping(node.field);
    if (found.length === 0 && (!field || !mapping))
      found.push({ path, field: node.field, message: 'This field cannot be asked for here' });
    if (found.length > 0 || !field || !mapping) {
      problems.push(...found);
      return '0';
    }
    const plain = withListValues(node, options);
    if (plain === null) {
      const message = options.list
        ? 'There is no such custom list here'
        : 'The values of this list are not on this machine: ask for it in the query, and run it again';
      problems.push({ path, field: node.field, message });
      return '0';
    }
    const part = conditionSql(plain, field, mapping, options.now);
    params.push(...part.params);
    return part.sql;
  };

  const walk = (node: ConditionGroup, path: number[]): string => {
    const parts: string[] = [];
    for (const [index, child] of node.conditions.entries()) {
      if (child.disabled) continue;
      const at = [...path, index];
      if (!isGroup(child)) parts.push(leaf(child, at));
      else if (effective(child).conditions.length > 0) parts.push(walk(child, at));
    }
    if (parts.length === 0) return '1';
    const joined = `(${parts.join(node.operator === 'or' ? ' OR ' : ' AND ')})`;
    return node.negate ? `NOT coalesce(${joined}, 0)` : joined;
  };

  if (depthOf(group) > MAX_DEPTH)
    return { ok: false, problems: [{ path: [], message: `Groups go ${MAX_DEPTH} deep at most` }] };
  const sql = walk(group, []);
  return problems.length > 0 ? { ok: false, problems } : { ok: true, sql, params };
}

const LIST_OPERATORS: Readonly<Record<string, string>> = {
  in_custom_list: 'in_list',
  not_in_custom_list: 'not_in_list',
};

/** A condition on a custom list as one on the list's values. */
function withListValues(node: Condition, { list }: CompileOptions): Condition | null {
  const operator = LIST_OPERATORS[node.operator];
  if (operator === undefined) return node;
  const values = list?.(String(node.values[0]));
  return values === undefined ? null : { ...node, operator, values: [...values] };
}

const NEGATIVES: Readonly<Record<string, string>> = {
  is_not: 'is',
  not_contains: 'contains_text',
  not_in_list: 'in_list',
  is_empty: 'is_not_empty',
  is_false: 'is_true',
};

function conditionSql(node: Condition, field: FieldConfig, mapping: FieldMapping, now: number): SqlPart {
  const positive = NEGATIVES[node.operator];
  if (positive === undefined) return positiveSql(node, field, mapping, now);
  const part = positiveSql({ ...node, operator: positive }, field, mapping, now);
  return { sql: `NOT coalesce(${part.sql}, 0)`, params: part.params };
}

function positiveSql(node: Condition, field: FieldConfig, mapping: FieldMapping, now: number): SqlPart {
  if (node.operator === 'contains_all') {
    const parts = node.values.map((value) =>
      positiveSql({ ...node, operator: 'is', values: [value] }, field, mapping, now),
    );
    return {
      sql: `(${parts.map(({ sql }) => sql).join(' AND ')})`,
      params: parts.flatMap(({ params }) => params),
    };
  }
  const operator = node.operator === 'contains_any' ? 'in_list' : node.operator;
  if (mapping.packed !== undefined) return packedSql(mapping.packed, operator, node);
  const part =
    operator === 'in_network'
      ? inNetworkSql(mapping.value, node.values)
      : plainSql(operator, node.values, field.type, mapping, now);
  return mapping.some ? { sql: mapping.some(part.sql), params: part.params } : part;
}

/** Exact membership in `|a|b|`: what packed fields offer. */
function packedSql(packed: string, operator: string, node: Condition): SqlPart {
  if (operator === 'is_not_empty') return { sql: `length(${packed}) > 2`, params: [] };
  const values = node.values.map((value) => `|${String(value).toLowerCase()}|`);
  return {
    sql: `EXISTS (SELECT 1 FROM json_each(?) wanted WHERE instr(${packed}, wanted.value) > 0)`,
    params: [JSON.stringify(values)],
  };
}
