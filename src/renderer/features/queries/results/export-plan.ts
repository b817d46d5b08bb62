/** The contents of an export: rows, columns, order, time zone and file options. */
import type { ExportFormat } from '#shared/bridge/operations/exports.ts';
import { COMPARISON_COLUMNS, type LocalFilter, type ResultSet } from '#shared/bridge/operations.ts';
import type { CellWords } from '#shared/model/cell-text.ts';
import { type ClockSetting, zoneLabel } from '#shared/model/clock.ts';
import type { QueryConfig, Sort } from '#shared/model/entities.ts';
import { exact, form, plural } from '#shared/model/format.ts';
import { fieldTypeOf } from '#shared/query/operators.ts';
import { fieldsById, valueWords } from '../query-run.ts';
import type { Selection } from './selection.ts';
import { isFiltering } from './use-rows.ts';

export interface ExportPlan {
  result: ResultSet;
  name: string;
  /** Provides labels for column values and units of sizes. */
  config: QueryConfig;
  columns: { id: string; label: string }[];
  /** Number of rows in the view, including those scrolled out of sight. */
  count: number;
  filter: LocalFilter;
  /** A local order, or undefined for the result's own. */
  sort: Sort[] | undefined;
  /** Rows that are selected, and how many. */
  selection?: Selection;
  selected?: number;
  words?: string;
}

export type Scope = 'screen' | 'everything' | 'selection';

export interface ExportOptions {
  scope: Scope;
  format: ExportFormat;
  raw: boolean;
  bom: boolean;
  zone: string;
  zip: boolean;
  password: string;
}

/** In the order of the dialog. */
const FORMAT_TEXTS: Readonly<Record<ExportFormat, { label: string; note: string }>> = {
  csv: { label: 'CSV', note: 'For spreadsheets and scripts' },
  xlsx: { label: 'XLSX', note: 'A workbook: typed cells, frozen header, filter' },
  ndjson: { label: 'NDJSON', note: 'One JSON object per line, for scripts' },
  json: { label: 'JSON', note: 'One array of objects' },
};
export const FORMATS = (Object.keys(FORMAT_TEXTS) as ExportFormat[]).map((value) => ({
  value,
  ...FORMAT_TEXTS[value],
}));

/** IANA name of a clock. */
export const zoneOf = (clock: ClockSetting): string =>
  clock === 'utc' ? 'UTC' : clock === 'local' ? zoneLabel('local') : clock.tenant;

/**
 * The columns of the file: headers name the unit of sizes and, in a workbook, whose dates have no offset, their time
 * zone; identifiers of tools and apps are replaced by labels.
 */
export function columnsOf(
  plan: ExportPlan,
  { scope, format, zone }: Pick<ExportOptions, 'scope' | 'format' | 'zone'>,
): (ExportPlan['columns'][number] & { words?: CellWords })[] {
  const { result, config, columns } = plan;
  const all =
    scope === 'everything'
      ? [
          { id: 'entity_id', label: 'entity_id' },
          ...result.columns
            .filter(({ id }) => id !== 'entity_id')
            .map(({ id, label }) => ({ id, label: label || id })),
        ]
      : columns;
  const fields = fieldsById(config);
  const types = new Map(result.columns.map(({ id, type }) => [id, fieldTypeOf(type)]));
  return all.map(({ id, label }) => {
    // The previous entries apply to all columns.
    const words = valueWords(id === COMPARISON_COLUMNS.before ? config.fields : [fields.get(id)]);
    const type = types.get(id);
    const unit =
      type === 'date' && format === 'xlsx'
        ? zone
        : type === 'bytes' && !/\bbytes\b/i.test(label)
          ? 'bytes'
          : null;
    return { id, label: unit === null ? label : `${label} (${unit})`, ...(words ? { words } : {}) };
  });
}

/** Whether the file takes all rows of the result, including those not loaded yet. */
const takesAll = ({ filter }: ExportPlan, scope: Scope): boolean =>
  scope === 'everything' || (scope === 'screen' && !isFiltering(filter));

/** Known number of rows in the file; rows not loaded count only when they can be fetched. */
export const countOf = (plan: ExportPlan, scope: Scope, offline: boolean): number => {
  if (scope === 'selection') return plan.selected ?? 0;
  if (!takesAll(plan, scope)) return plan.count;
  return offline ? plan.result.loaded : plan.result.total;
};

/** Rows of the file that are not loaded yet, or null for an unknown number. */
export const missingOf = (plan: ExportPlan, scope: Scope): number | null => {
  if (!takesAll(plan, scope)) return 0;
  const { atLeast, total, loaded } = plan.result;
  return atLeast ? null : total - loaded;
};

/** What the dialog states about the file, limited to what is certain. */
export function promiseOf(plan: ExportPlan, scope: Scope, offline: boolean): { verb: string; label: string } {
  const rows = plural(countOf(plan, scope, offline), 'row');
  const missing = missingOf(plan, scope);
  if (missing === 0) return { verb: `Export ${rows}`, label: 'rows in the file' };
  if (offline) return { verb: `Export ${rows}, PARTIAL`, label: 'rows in the file' };
  return missing === null
    ? { verb: `Export at least ${rows}`, label: 'rows in the file (at least)' }
    : { verb: `Export up to ${rows}`, label: 'rows in the file (at most)' };
}

/** Note about rows that are not loaded, or null if all are. */
export function missingNote(plan: ExportPlan, scope: Scope, offline: boolean): string | null {
  const missing = missingOf(plan, scope);
  if (missing === 0) return null;
  const partial = 'the file, its name and its manifest';
  if (offline)
    return missing === null
      ? `The service reports no exact total and can’t be reached: ${partial} will be marked PARTIAL.`
      : `${plural(missing, 'row')} ${form(missing, 'is', 'are')} not on this machine and the service can’t be reached: ${partial} will be marked PARTIAL.`;
  return missing === null
    ? `The service reports no exact total: all rows are fetched first. If any are missing, ${partial} are marked PARTIAL.`
    : `${exact(missing)} more ${form(missing, 'row is', 'rows are')} fetched first. If any are missing, ${partial} are marked PARTIAL.`;
}

export function scopeNote(plan: ExportPlan, scope: Scope): string {
  const order = scope !== 'everything' && plan.sort ? 'In the order on screen' : 'In the order of the result';
  if (scope === 'selection') return `${order}, the selected rows.`;
  if (scope === 'everything') return `${order}, all rows and all columns.`;
  return `${order}${isFiltering(plan.filter) ? ', with the filter on screen.' : ', all rows.'}`;
}
