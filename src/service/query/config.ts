/** query/config: defines the console's query builder, grids and menus. */
import { EVERY_SAAS } from '#shared/api/catalogue/queries.ts';
import type { QueryConfig } from '#shared/model/entities.ts';
import { STANDARD_OPERATORS } from '#shared/query/operators.ts';
import { MAX_VALUES } from '#shared/query/validate.ts';
import { type DomainShape, ENTITY_FIELD, LIST_OPERATORS, withRules } from '../store/rows.ts';
import type { Store } from '../store/store.ts';

/** Words for "every app" in saas_id. */
export const isEveryApp = (saas: string): boolean => saas === '' || saas === EVERY_SAAS;

/** The config of a domain; the SaaS of this service are the values of the field App. */
export async function configOf(domain: DomainShape, { stack, lists }: Store): Promise<QueryConfig> {
  const all = await lists.all();
  const offered = (operators: readonly string[]) =>
    all.length > 0 ? [...operators] : operators.filter((id) => !LIST_OPERATORS.includes(id));
  const fields = withRules(domain.fields, await lists.rules());
  const used = new Set(fields.flatMap(({ operators }) => offered(operators)));
  const labels = new Map<string, string>(STANDARD_OPERATORS.map(({ id, label }) => [id, label]));
  const saas = (await stack.apps())
    .filter((app) => app.is_saas)
    .map(({ name, label }) => ({ value: name, label }));
  return {
    operators: STANDARD_OPERATORS.filter(({ id }) => used.has(id)).map((operator) => ({ ...operator })),
    fields: fields.map((config) => ({
      ...config,
      operators: offered(config.operators),
      ...(config.id === 'saas' ? { allowedValues: saas } : {}),
    })),
    columns: domain.columns.map((column) => ({ ...column })),
    conditions: domain.conditions.map((condition) => ({
      ...condition,
      label: labels.get(condition.operator) ?? condition.operator,
    })),
    actions: domain.actions.map((action) => ({ ...action })),
    lists: await Promise.all(
      all.map(async (list) => ({
        ...list,
        ...(list.count > MAX_VALUES ? {} : { values: (await lists.values(list.id)) ?? [] }),
      })),
    ),
    entityField: ENTITY_FIELD,
    negatedGroups: true,
    sort: domain.sort.map((order) => ({ ...order })),
  };
}
