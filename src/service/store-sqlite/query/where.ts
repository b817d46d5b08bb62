/** Conditions on the rows of a domain, as SQL and as searches by an index. */
import type { Sought } from '#shared/query/excerpt.ts';
import { STANDARD_OPERATORS } from '#shared/query/operators.ts';
import { compileCondition, type Predicate } from '#shared/query/predicate.ts';
import { foldText } from '#shared/query/text.ts';
import { CHECK_FIELDS, ConditionError, type RowCondition, withRules } from '../../store/rows.ts';
import { listValues, ruleChecks } from '../lists.ts';
import type { SqliteStore } from '../sqlite-store.ts';
import type { Domain, DomainField, Search } from './definition.ts';
import { BODY_FIELD } from './email-texts.ts';

export interface Where {
  sql: string;
  params: (string | number)[];
  /** The search terms for bodies. */
  sought: readonly Sought[];
  /** Whether it has a form for testing rows one by one. */
  isOther: boolean;
  /** The search, if it is the whole condition, or null if the condition has other parts, or no index can answer it. */
  search: NamedSearch | null;
}

export interface NamedSearch extends Search {
  /** Equal for equal searches. */
  name: string;
}

const fieldsOf = ({ fields }: Domain, rules: () => ReturnType<typeof ruleChecks>) => {
  const configs = fields.map(({ config }) => config);
  return configs.some(({ id }) => CHECK_FIELDS.has(id)) ? withRules(configs, rules()) : configs;
};

/** Throws ConditionError. `byRow` is the form for testing rows one by one. */
export function whereOf(
  domain: Domain,
  { condition, saas, now }: Pick<RowCondition, 'condition' | 'saas' | 'now'>,
  store: SqliteStore,
  byRow = false,
  rules = () => ruleChecks(store),
): Where {
  const fields = new Map(domain.fields.map((field) => [field.config.id, field]));
  let isOther = false;
  const mapping = (id: string) => {
    const field = fields.get(id);
    if (field?.byRow === undefined) return field?.filter;
    isOther = true;
    return byRow ? field.byRow : field.filter;
  };
  const compiled = compileCondition(condition, {
    fields: fieldsOf(domain, rules),
    operators: STANDARD_OPERATORS,
    mapping,
    now,
    list: (id) => listValues(store, id),
  });
  if (!compiled.ok)
    throw new ConditionError(compiled.problems[0] ?? { path: [], message: 'The condition is wrong' });
  const { sql, params } = compiled;
  const sought = soughtIn(compiled.predicate);
  if (saas === null)
    return { sql, params, sought, isOther, search: searchOf(domain, fields, compiled.predicate) };
  const ofApp = `${sql} AND ${domain.saas} = ?`;
  return { sql: ofApp, params: [...params, saas], sought, isOther, search: null };
}

const joined = (kind: 'and' | 'or', first: NamedSearch, others: readonly NamedSearch[]): NamedSearch => ({
  name: JSON.stringify([kind, first.name, ...others.map(({ name }) => name)]),
  ids: (store, newest) => {
    const ids = first.ids(store, newest);
    for (const other of others)
      if (kind === 'or') ids.unite(other.ids(store, newest));
      else ids.intersect(other.ids(store, newest));
    return ids;
  },
});

function searchOf(
  domain: Domain,
  fields: ReadonlyMap<string, DomainField>,
  predicate: Predicate,
): NamedSearch | null {
  if (predicate.kind === 'not' || domain.keys.length > 1) return null;
  if (predicate.kind !== 'test') {
    const parts = predicate.parts.flatMap((part) => searchOf(domain, fields, part) ?? []);
    const [first, ...others] = parts;
    if (first === undefined || parts.length < predicate.parts.length) return null;
    return others.length === 0 ? first : joined(predicate.kind, first, others);
  }
  const { field, test } = predicate;
  const search = fields.get(field)?.search?.(test) ?? null;
  return search && { ...search, name: JSON.stringify([field, test]) };
}

function soughtIn(predicate: Predicate): Sought[] {
  if (predicate.kind === 'not') return [];
  if (predicate.kind !== 'test') return predicate.parts.flatMap(soughtIn);
  const { field, test } = predicate;
  if (field !== BODY_FIELD) return [];
  const textOf = (text: string): Sought => ({ kind: 'text', value: foldText(text) });
  if (test.kind === 'contains') return [textOf(test.text)];
  if (test.kind !== 'words') return [];
  return [...test.words.map((value): Sought => ({ kind: 'words', value })), ...test.signs.map(textOf)];
}
