/** The request that a draft makes: columns, sort and payload. Pure. */
import { EVERY_SAAS, type ExecutePayload, type RunPayload } from '#shared/api/catalogue/queries.ts';
import type { ResultColumn } from '#shared/bridge/operations.ts';
import type { Draft, GridLayout } from '#shared/bridge/workspace.ts';
import type { CellWords } from '#shared/model/cell-text.ts';
import type {
  ActionConfig,
  Column,
  FieldConfig,
  NewQuery,
  QueryConfig,
  Sort,
} from '#shared/model/entities.ts';
import { fieldLabel } from '#shared/model/labels.ts';
import { textHash } from '#shared/model/text-hash.ts';
import { ROLL_UP_ORDER } from '#shared/model/verdict.ts';
import { type Branding, toolLabel, whiteLabel } from '#shared/model/white-label.ts';
import { entityFieldOf } from '#shared/query/entity-condition.ts';
import { fieldTypeOf } from '#shared/query/operators.ts';
import { effective, emptyGroup, walkConditions } from '#shared/query/tree.ts';

/** The value of saas_id that means all apps. */
export const EVERY_APP = EVERY_SAAS;

export const isEveryApp = (saas: string | null | undefined): boolean => !saas || saas === EVERY_APP;

/** Columns requested in addition to the visible ones, for verdict chips, facets, the peek panel and opening profiles. */
const SUPPORT = [
  'verdict',
  'verdict_code',
  'state',
  'clicks',
  'findings',
  'campaign',
  'from_name',
  'from_domain',
  'department',
  'saas',
  'email_id',
];

/** An action of a query; `missing` if the service no longer has it. */
export interface OfferedAction {
  action: ActionConfig;
  missing: boolean;
}

/** The actions of the query's own list in its order, or all of the config's where it has none. */
export function actionsOf(
  { actionsList }: Pick<NewQuery, 'actionsList'>,
  config: QueryConfig,
): OfferedAction[] {
  if (!actionsList?.length) return config.actions.map((action) => ({ action, missing: false }));
  return [...new Set(actionsList)].map((id) => {
    const action = config.actions.find((action) => action.id === id);
    return { action: action ?? { id, label: fieldLabel(id) }, missing: action === undefined };
  });
}

const isAnalytics = ({ subType }: Pick<NewQuery, 'subType'>): boolean => subType === 'analytics';

/** Whether a query defines a report: report columns or a report condition. */
export const hasReport = (query: NewQuery): boolean =>
  (!isAnalytics(query) && (query.reportColumns?.length ?? 0) > 0) ||
  (query.reportCondition?.conditions.length ?? 0) > 0;

/** What the rows of an analytics query are grouped by: its report columns (docs/adr/0020-groups.md). */
export const groupColumns = (query: NewQuery): string[] =>
  isAnalytics(query)
    ? (query.reportColumns ?? []).toSorted((a, b) => a.order - b.order).map(({ id }) => id)
    : [];

/** The time column of an entity: the service's sort column, else the first date among the default columns. */
export function timeField(config: QueryConfig): FieldConfig | null {
  const dates = config.fields.filter(({ type }) => fieldTypeOf(type) === 'date');
  const usual = queryColumns({ columns: [] }, config).map(({ id }) => id);
  return (
    dates.find(({ dbId }) => config.sort?.[0]?.dbId === dbId) ??
    usual.flatMap((id) => dates.find((field) => field.id === id) ?? [])[0] ??
    null
  );
}

/** Whether the report of the query is run and shown. */
export const showsReport = ({ query, asReport }: Pick<Draft, 'query' | 'asReport'>): boolean =>
  hasReport(query) && (asReport ?? query.subType === 'report');

/** Key of the stored layout: a query and its report have separate layouts. */
export const layoutKey = (draft: Pick<Draft, 'query' | 'asReport' | 'id' | 'savedId'>): string =>
  layoutKeysOf(draft.savedId ?? draft.id)[showsReport(draft) ? 'report' : 'query'];

/** `id` is that of the saved query, or of the draft that was never saved. */
export const layoutKeysOf = (id: string): { query: string; report: string } => ({
  query: id,
  report: `${id} report`,
});

/** The effective query: the query itself, or its report with the report's columns and additional condition. */
export function shownQuery(draft: Pick<Draft, 'query' | 'asReport'>): NewQuery {
  const { query } = draft;
  if (!showsReport(draft)) return query;
  const { reportColumns, reportCondition, filter } = query;
  const both = [filter, reportCondition].filter((tree) => tree != null && tree.conditions.length > 0);
  return {
    ...query,
    columns: reportColumns?.length && !isAnalytics(query) ? reportColumns : query.columns,
    filter: { operator: 'and', conditions: both.filter((tree) => tree != null) },
  };
}

export const fieldsById = (config: QueryConfig): ReadonlyMap<string, FieldConfig> =>
  new Map(config.fields.map((field) => [field.id, field]));

/** The columns of a query in order: its own, or the service's defaults; labels from the fields where it has none. */
export function queryColumns(query: Pick<NewQuery, 'columns'>, config: QueryConfig): Column[] {
  const columns = query.columns.length > 0 ? query.columns : config.columns;
  return [...columns].sort((a, b) => a.order - b.order);
}

/** The visible columns: the query's own, plus columns that show where its conditions matched, unless already included. */
export function shownColumns(query: Pick<NewQuery, 'columns' | 'filter'>, config: QueryConfig): Column[] {
  const columns = queryColumns(query, config);
  const requestedColumns = new Set(
    [...walkConditions(effective(query.filter ?? emptyGroup()))].map(({ field }) => field),
  );
  const match = config.fields.find(({ matchOf }) => matchOf && requestedColumns.has(matchOf));
  if (match === undefined || columns.some(({ id }) => id === match.id)) return columns;
  const behind = columns.findIndex(({ id }) => id === 'subject');
  const column: Column = { id: match.id, label: match.label, order: 0, width: match.width ?? null };
  return columns
    .toSpliced(behind < 0 ? columns.length : behind + 1, 0, column)
    .map((column, order) => ({ ...column, order }));
}

/** The column ids to request: visible ones first, in order, then supporting ones. Unknown fields are left out. */
export function wantedColumns(query: NewQuery, config: QueryConfig, layout: GridLayout | null): string[] {
  const fields = fieldsById(config);
  const shown = [
    ...shownColumns(query, config).map(({ id }) => id),
    ...(layout?.columns ?? []).filter(({ hidden }) => hidden !== true).map(({ id }) => id),
  ];
  const time = timeField(config)?.id;
  // A service that names no entity field may only return the ids of its rows when they are asked for.
  const id = config.entityField == null ? entityFieldOf(config)?.id : undefined;
  const support = [
    ...SUPPORT,
    ...[time, id].filter((column) => column !== undefined),
    ...groupColumns(query),
  ];
  return [...new Set([...shown, ...support])].filter((id) => fields.has(id));
}

export function resultColumns(ids: readonly string[], config: QueryConfig, query: NewQuery): ResultColumn[] {
  const fields = fieldsById(config);
  const labels = new Map(query.columns.map(({ id, label }) => [id, label]));
  return ids.flatMap((id) => {
    const field = fields.get(id);
    if (!field) return [];
    return [
      { id, label: labels.get(id) || field.label, type: field.type, multiValues: field.multiValues ?? false },
    ];
  });
}

/** The analyst's sort, else the query's, else the service's. */
export function sortOf(query: NewQuery, config: QueryConfig, layout: GridLayout | null): Sort[] {
  if (layout?.sort && layout.sort.length > 0) return layout.sort;
  if (query.sort && query.sort.length > 0) return query.sort;
  return config.sort ?? [];
}

/** Whether the service sorts by this field; true unless the config says otherwise. */
export const canSortBy = ({ sortable }: Pick<FieldConfig, 'sortable'>): boolean => sortable !== false;

export const isServiceSort = (sort: readonly Sort[], config: QueryConfig): boolean =>
  sort.every(({ dbId }) => config.fields.some((field) => field.dbId === dbId && canSortBy(field)));

/** The same sort by the ids of a result's columns, as the local store knows them. */
export const localSort = (sort: readonly Sort[], config: QueryConfig): Sort[] =>
  sort.map((order) => ({
    ...order,
    dbId: config.fields.find((field) => field.dbId === order.dbId)?.id ?? order.dbId,
  }));

export const sameSort = (a: readonly Sort[], b: readonly Sort[]): boolean =>
  a.length === b.length &&
  a.every((order, index) => order.dbId === b[index]?.dbId && order.direction === b[index]?.direction);

export function runPayload(
  draft: Pick<Draft, 'query' | 'includeCopies' | 'asReport'>,
  columns: readonly string[],
  sort: readonly Sort[],
): RunPayload {
  const query = shownQuery(draft);
  return {
    query_domain: query.domain,
    saas_id: query.saas || EVERY_APP,
    query_entity_type: query.entityType,
    condition: effective(query.filter ?? emptyGroup()),
    columns: [...columns],
    sort_by: [...sort],
    include_copies: draft.includeCopies ?? false,
  };
}

/** What a run asks for, regardless of columns and order, as a number that differs if it differs. */
export const questionOf = (payload: RunPayload): number =>
  textHash(
    JSON.stringify([
      payload.query_domain,
      payload.query_entity_type,
      payload.saas_id,
      payload.include_copies,
      payload.condition,
    ]),
  );

/** What a run takes from a draft; kept with the rows. */
export const takenBy = ({ query, includeCopies, asReport }: Draft): NonNullable<Draft['ran']> => ({
  query,
  ...(includeCopies === undefined ? {} : { includeCopies }),
  ...(asReport === undefined ? {} : { asReport }),
});

/**
 * The draft as its rows have it: with the question of the run, if another one has been asked in the builder since.
 * Name and columns are the draft's own as long as the question, or the kind of rows, is.
 */
export function draftOfRun(draft: Draft): Draft {
  const { ran, query, includeCopies: _, asReport: __, ...rest } = draft;
  if (!ran) return draft;
  const question = (of: Draft) => questionOf(runPayload(of, [], []));
  const shown: Draft = { ...rest, ...ran };
  if (question(shown) === question(draft)) return draft;
  const { columns, reportColumns, sort } = query;
  const sameRows = query.domain === ran.query.domain && query.entityType === ran.query.entityType;
  return sameRows
    ? {
        ...shown,
        query: {
          ...ran.query,
          columns,
          ...(reportColumns ? { reportColumns } : {}),
          ...(sort ? { sort } : {}),
        },
      }
    : shown;
}

/** Count only: independent of columns and sort, so that it is requested once. */
export const countPayload = (payload: RunPayload): ExecutePayload => ({
  ...payload,
  columns: [],
  sort_by: [],
  size: 0,
  count_only: true,
});

/** The count without any condition: "of 184.2K". */
export const countAllPayload = (payload: RunPayload): ExecutePayload =>
  countPayload({ ...payload, condition: emptyGroup() });

/** The config with tools and apps under the names that they have on every screen, whatever its service calls them. */
export const brandedConfig = (config: QueryConfig, branding: Branding): QueryConfig => ({
  ...config,
  fields: config.fields.map((field) => {
    if (!field.allowedValues?.length) return field;
    const isStack = isStackField(field);
    const allowedValues = field.allowedValues.map((value) => ({
      ...value,
      label: isStack
        ? stackLabel(String(value.value), value.label, branding)
        : whiteLabel(value.label, branding),
    }));
    return { ...field, allowedValues };
  }),
});

const spelling = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();

/**
 * The words for values of fields that are identifiers of tools and apps, for files and the clipboard: no identifier of
 * a vendor leaves the console. A field has words for all of its values or for none: it keeps its values, for scripts,
 * if they are verdicts or if each label is only the spelling of its value ("inbox", Inbox).
 */
export function valueWords(fields: readonly (FieldConfig | undefined)[]): CellWords | undefined {
  const words = fields.flatMap((field) => {
    if (field === undefined || isVerdictField(field)) return [];
    const labelled = (field.allowedValues ?? []).flatMap(({ value, label }) =>
      typeof value === 'string' && label !== '' ? [[value, label] as const] : [],
    );
    return labelled.every(([value, label]) => spelling(value) === spelling(label)) ? [] : labelled;
  });
  return words.length === 0 ? undefined : Object.fromEntries(words);
}

/** "Sandbox: Clean", of `tool:verdict`. */
function stackLabel(word: string, label: string, branding: Branding): string {
  const colon = label.lastIndexOf(':');
  const served = colon < 0 ? null : label.slice(0, colon);
  const tool = toolLabel(word.slice(0, word.lastIndexOf(':')), branding, served);
  return `${tool}${colon < 0 ? '' : label.slice(colon)}`;
}

const VERDICT_WORDS: ReadonlySet<string> = new Set(ROLL_UP_ORDER);
const allowedWords = (field: FieldConfig) => (field.allowedValues ?? []).map(({ value }) => String(value));

/** A field whose values are verdicts. */
export const isVerdictField = (field: FieldConfig): boolean => {
  const words = allowedWords(field);
  return words.length > 0 && words.every((word) => VERDICT_WORDS.has(word));
};

/** A field whose values are `tool:verdict`, one of each tool of the security stack. */
export const isStackField = (field: FieldConfig): boolean => {
  const words = allowedWords(field);
  return (
    field.multiValues === true &&
    words.length > 0 &&
    words.every((word) => VERDICT_WORDS.has(word.slice(word.lastIndexOf(':') + 1)) && word.includes(':'))
  );
};
