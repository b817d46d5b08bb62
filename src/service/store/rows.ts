/** Rows of the query domains that fulfil a condition. */
import type { ActionConfig, Column, FieldConfig, Row, Sort } from '#shared/model/entities.ts';
import type { ConditionGroup } from '#shared/query/tree.ts';
import type { Problem } from '#shared/query/validate.ts';

/** A query domain as queries see it. */
export interface DomainShape {
  domain: string;
  fields: readonly FieldConfig[];
  columns: readonly Column[];
  sort: readonly Sort[];
  conditions: readonly { field: string; operator: string }[];
  actions: readonly ActionConfig[];
}

export const ENTITY_FIELD = 'entity_id';
export const LIST_OPERATORS = ['in_custom_list', 'not_in_custom_list'];
/** Fields whose values are checks, and the rules of the analyst. */
export const CHECK_FIELDS: ReadonlySet<string> = new Set(['findings', 'false_positives']);

/** The fields of a domain, with the rules of the analyst as values of those of checks. */
export const withRules = (
  fields: readonly FieldConfig[],
  rules: readonly { value: string; label: string }[],
): FieldConfig[] =>
  fields.map((field) =>
    CHECK_FIELDS.has(field.id) && rules.length > 0
      ? { ...field, allowedValues: [...(field.allowedValues ?? []), ...rules] }
      : field,
  );

export interface RowCondition {
  domain: string;
  copies: boolean;
  condition: ConditionGroup;
  /** The name of an app, or null for all. */
  saas: string | null;
  /** End of relative time spans, in milliseconds since the epoch. */
  now: number;
}

/** Values of the sort columns and then the keys of a row. */
type RowKey = (string | number | null)[];

export interface RowQuery extends RowCondition {
  /** Sortable columns by id. */
  sort: readonly { id: string; descending: boolean }[];
  /** Ids of fields; `entity_id` comes with every row. */
  columns: readonly string[];
  size: number;
  /** The row after which the page starts; the total and the newest row of its first page. */
  after: { key: RowKey; total: number | null; newest: number } | null;
  countOnly: boolean;
  /** If a search has to compare more rows than this, the first page comes before they are counted. */
  countedAtOnce: number | null;
}

export interface RowPage {
  rows: Row[];
  key: RowKey | null;
  /** Null if not counted yet. */
  total: number | null;
  /** The newest row that counts: later ones are not part of the result. */
  newest: number;
}

/** A condition that the domain does not accept. */
export class ConditionError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    const { field, message } = problem;
    super(field === undefined ? message : `${field.slice(0, 100)}: ${message}`);
    this.problem = problem;
  }
}

/** A condition that is no condition of its domain rejects with ConditionError. */
export interface Rows {
  /** Null if there is no such domain. */
  shape(domain: string, copies: boolean): DomainShape | null;
  page(query: RowQuery): Promise<RowPage>;
  count(condition: RowCondition): Promise<number>;
}
