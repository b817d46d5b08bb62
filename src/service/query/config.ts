/** query/config: defines the console's query builder, grids and menus. */
import { EVERY_SAAS } from '#shared/api/catalogue/queries.ts';
import type { App, FieldConfig, QueryConfig } from '#shared/model/entities.ts';
import { STANDARD_OPERATORS } from '#shared/query/operators.ts';
import { MAX_VALUES } from '#shared/query/validate.ts';
import type { MailSource } from '../store/mail-source.ts';
import type { CustomLists } from '../store-sqlite/lists.ts';
import { type Domain, ENTITY_FIELD, LIST_OPERATORS } from '../store-sqlite/query/definition.ts';
import {
  CHECK_FIELDS,
  email,
  emailCopies,
  emailTexts,
  emailTextsCopies,
} from '../store-sqlite/query/email.ts';
import { click, file, group, message, user } from '../store-sqlite/query/others.ts';

const DOMAINS: ReadonlyMap<string, Domain> = new Map(
  [email, file, user, group, message, click].map((config) => [config.domain, config]),
);

/** `source` is where the mail comes from; not every source stores its texts. Null if there is no such domain. */
export function domainNamed(
  name: string,
  copies: boolean,
  source?: Pick<MailSource, 'texts'>,
): Domain | null {
  if (name !== 'email') return DOMAINS.get(name) ?? null;
  if (source?.texts) return copies ? emailTextsCopies : emailTexts;
  return copies ? emailCopies : email;
}

/** Words for "every app" in saas_id. */
export const isEveryApp = (saas: string): boolean => saas === '' || saas === EVERY_SAAS;

/** The fields of a domain; those of checks also have the rules of the analyst as values. */
export function fieldsOf(domain: Domain, lists: Pick<CustomLists, 'rules'>): FieldConfig[] {
  const rules = domain.fields.some(({ config }) => CHECK_FIELDS.has(config.id)) ? lists.rules() : [];
  return domain.fields.map(({ config }) =>
    rules.length > 0 && CHECK_FIELDS.has(config.id)
      ? { ...config, allowedValues: [...(config.allowedValues ?? []), ...rules] }
      : config,
  );
}

/** The config of a domain; `apps` are the SaaS of this service, as values of the field App. */
export function configOf(domain: Domain, apps: readonly App[], lists: CustomLists): QueryConfig {
  const all = lists.all();
  const offered = (operators: readonly string[]) =>
    all.length > 0 ? [...operators] : operators.filter((id) => !LIST_OPERATORS.includes(id));
  const fields = fieldsOf(domain, lists);
  const used = new Set(fields.flatMap(({ operators }) => offered(operators)));
  const labels = new Map<string, string>(STANDARD_OPERATORS.map(({ id, label }) => [id, label]));
  const saas = apps.filter((app) => app.is_saas).map(({ name, label }) => ({ value: name, label }));
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
    lists: all.map((list) => ({
      ...list,
      ...(list.count > MAX_VALUES ? {} : { values: lists.values(list.id) ?? [] }),
    })),
    entityField: ENTITY_FIELD,
    negatedGroups: true,
    sort: domain.sort.map((order) => ({ ...order })),
  };
}
