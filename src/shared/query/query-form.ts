/** Converts queries from the forms of services and files into the specification's. */
import { dictionary } from '#shared/dictionary.ts';
import {
  addressesOf,
  each,
  type Fields,
  isBlank,
  isNothing,
  isText,
  spelledOtherwise,
} from '../api/repair.ts';
import { isRecord } from '../model/narrow.ts';

/** Other names that services use for the specification's fields. */
const ALIASES: Readonly<Record<string, string>> = dictionary({
  sub_type: 'subType',
  subtype: 'subType',
  created_by: 'createdBy',
  entity_type: 'entityType',
  query_entity_type: 'entityType',
  query_domain: 'domain',
  saas_id: 'saas',
  report_columns: 'reportColumns',
  report_condition: 'reportCondition',
  scheduled_export: 'scheduledExport',
  actions_list: 'actionsList',
  create_time: 'createTime',
  update_time: 'updateTime',
});

/** The value under the specification's names; if both names are present, both are kept. */
export function renamed(value: Fields): Fields {
  const entries = Object.entries(value).map(([name, part]): [string, unknown] => {
    const alias = ALIASES[name];
    return [alias === undefined || Object.hasOwn(value, alias) ? name : alias, part];
  });
  return Object.fromEntries(entries);
}

function conditionForm(node: unknown): unknown {
  if (!isRecord(node)) return node;
  if (Array.isArray(node['conditions'])) {
    const conditions = node['conditions'].map(conditionForm);
    const operator = node['operator'] ?? (conditions.length < 2 ? 'and' : undefined);
    return { ...node, conditions, operator: isText(operator) ? operator.toLowerCase() : operator };
  }
  const values = node['values'] ?? spelledOtherwise(node, 'values') ?? node['value'];
  const list = values === null || values === undefined ? [] : Array.isArray(values) ? values : [values];
  return { ...node, values: list };
}

const directionOf = (value: unknown): unknown => {
  const word = String(value).toLowerCase();
  if (/^(desc(ending)?|-1)$/.test(word)) return 'desc';
  return /^(asc(ending)?|1)$/.test(word) ? 'asc' : value;
};

function sortForm(value: unknown): unknown {
  if (value === null || isBlank(value)) return null;
  return each(Array.isArray(value) ? value : [value], (item) => {
    const entries = Object.entries(item).map(([name, part]): [string, unknown] => [
      name === 'db_id' && !Object.hasOwn(item, 'dbId') ? 'dbId' : name,
      name === 'direction' ? directionOf(part) : part,
    ]);
    return Object.fromEntries(entries);
  });
}

export const columnsForm = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map((entry: unknown, index) => {
        if (isText(entry)) return { id: entry, label: entry, order: index };
        return isRecord(entry)
          ? { ...entry, label: entry['label'] ?? entry['id'], order: entry['order'] ?? index }
          : entry;
      })
    : value;

const addressTexts = (value: unknown): unknown => {
  if (isNothing(value)) return [];
  return isText(value) ? addressesOf(value).map(({ address }) => address) : value;
};

function scheduleForm(value: unknown): unknown {
  if (isNothing(value)) return null;
  if (!isRecord(value)) return value;
  const form: Fields = { ...value };
  form['emails'] = addressTexts(value['emails'] ?? spelledOtherwise(value, 'emailList') ?? value['email']);
  for (const name of ['format', 'frequency', 'time']) form[name] ??= '';
  // Only a monthly schedule has a week; a service may send 0 for none.
  if (form['frequency'] !== 'monthly' && form['week'] !== undefined && Number(form['week']) === 0)
    form['week'] = null;
  return form;
}

const actionsForm = (value: unknown): unknown =>
  Array.isArray(value) ? value.map((entry: unknown) => (isRecord(entry) ? entry['id'] : entry)) : value;
export const treeForm = (value: unknown): unknown => (isNothing(value) ? null : conditionForm(value));

const PARTS: Readonly<Record<string, (value: unknown) => unknown>> = dictionary({
  columns: columnsForm,
  reportColumns: columnsForm,
  filter: treeForm,
  reportCondition: treeForm,
  sort: sortForm,
  scheduledExport: scheduleForm,
  actionsList: actionsForm,
});

/**
 * A query from a service or a file, with its fields in their order. Its conditions are never dropped: without them it
 * would match more.
 */
export function queryForm(value: Fields): Fields {
  const query = renamed(value);
  for (const [name, part] of Object.entries(query)) {
    const change = PARTS[name];
    if (change && part !== undefined) query[name] = change(part);
  }
  const fill = (name: string, part: unknown) => {
    if (query[name] === undefined || query[name] === null) query[name] = part;
  };
  fill('type', 'query');
  fill('entityType', query['domain']);
  fill('name', query['label']);
  fill('columns', []);
  return query;
}
