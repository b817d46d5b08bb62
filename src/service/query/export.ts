/** A saved query's results as its report says: filter and report condition, report columns or columns. */
import type { Cell, Query, QueryResult, Row } from '#shared/model/entities.ts';
import type { ConditionGroup } from '#shared/query/tree.ts';
import { ServiceError } from '../http/errors.ts';
import type { DomainShape } from '../store/rows.ts';
import { configOf } from './config.ts';
import { type ExecuteContext, execute } from './execute.ts';
import type { Table } from './files.ts';

/** Rows per file; larger results are for the console, which fetches page by page. */
const MAX_EXPORTED = 200_000;
const PAGE = 10_000;

const EVERYTHING: ConditionGroup = { operator: 'and', conditions: [] };

function conditionOf({ filter, reportCondition }: Query): ConditionGroup {
  const parts = [filter, reportCondition].filter(
    (part): part is ConditionGroup => part != null && part.conditions.length > 0,
  );
  return parts.length > 1 ? { operator: 'and', conditions: parts } : (parts[0] ?? EVERYTHING);
}

/** Columns that this service no longer has are omitted, as in the config. Throws ServiceError. */
export async function tableOf(query: Query, context: ExecuteContext): Promise<Table> {
  const domain = context.store.rows.shape(query.domain, false);
  if (!domain) throw new ServiceError(400, `Unknown domain: ${query.domain.slice(0, 100)}`, 'domain');
  const ids = new Set(domain.fields.map(({ id }) => id));
  // The report columns of an analytics query are what it is grouped by (docs/adr/0020-groups.md).
  const columns = query.subType === 'analytics' ? [] : (query.reportColumns ?? []);
  const chosen = columns.length > 0 ? columns : query.columns;
  const columnIds = (chosen.length > 0 ? chosen : domain.columns)
    .filter(({ id }) => ids.has(id))
    .sort((a, b) => a.order - b.order);
  const rows = await wordedRows(
    {
      domain: query.domain,
      saas: query.saas ?? 'all',
      entityType: query.entityType,
      condition: conditionOf(query),
      columns: columnIds.map(({ id }) => id),
      sort: query.sort ?? [],
    },
    context,
  );
  return { columns: columnIds.map(({ id, label }) => ({ id, label })), rows };
}

/** All rows, with labels in place of the ids of apps and tools. */
export async function wordedRows(ask: Ask, context: ExecuteContext): Promise<Row[]> {
  const rows = await allRows(ask, context);
  const domain = context.store.rows.shape(ask.domain, false);
  return domain ? worded(rows, domain, context) : rows;
}

async function worded(rows: readonly Row[], domain: DomainShape, { store }: ExecuteContext): Promise<Row[]> {
  const { fields } = await configOf(domain, store);
  const words = new Map(
    fields.flatMap(({ id, allowedValues }) =>
      allowedValues
        ? [[id, new Map<Cell, Cell>(allowedValues.map(({ value, label }) => [value, label]))]]
        : [],
    ),
  );
  const shown = (value: Cell, labels: ReadonlyMap<Cell, Cell>): Cell =>
    Array.isArray(value) ? value.map((entry) => shown(entry, labels)) : (labels.get(value) ?? value);
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([id, value]) => {
        const labels = words.get(id);
        return [id, labels ? shown(value, labels) : value];
      }),
    ),
  );
}

export interface Ask {
  domain: string;
  saas: string;
  entityType: string;
  condition: ConditionGroup;
  columns: string[];
  sort: NonNullable<Query['sort']>;
}

async function allRows(ask: Ask, context: ExecuteContext): Promise<Row[]> {
  const rows: Row[] = [];
  let after: QueryResult['search_after'] = null;
  do {
    const page: QueryResult = await execute(
      {
        query_domain: ask.domain,
        saas_id: ask.saas,
        query_entity_type: ask.entityType,
        condition: ask.condition,
        columns: ask.columns,
        sort_by: ask.sort,
        search_after: after,
        size: PAGE,
        include_copies: false,
        count_only: false,
      },
      context,
    );
    if (page.total_rows > MAX_EXPORTED)
      throw new ServiceError(
        413,
        `The query has ${page.total_rows} rows; the service puts at most ${MAX_EXPORTED} into a file`,
        'id',
      );
    rows.push(...page.rows);
    after = page.search_after ?? null;
  } while (after !== null);
  return rows;
}
