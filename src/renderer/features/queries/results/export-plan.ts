/** What an export will hold: which rows, columns, order and clock, and how the file is made. */
import type { ExportFormat } from '#shared/bridge/operations/exports.ts';
import type { LocalFilter, ResultSet } from '#shared/bridge/operations.ts';
import { type ClockSetting, zoneLabel } from '#shared/model/clock.ts';
import type { Sort } from '#shared/model/entities.ts';
import type { Selection } from './selection.ts';
import { isFiltering } from './use-rows.ts';

export interface ExportPlan {
  result: ResultSet;
  name: string;
  /** The columns on screen, in their order. */
  columns: { id: string; label: string }[];
  /** Rows on screen, scrolled out of sight or not. */
  count: number;
  filter: LocalFilter;
  /** A local order; undefined: the result's own. */
  sort: Sort[] | undefined;
  /** Rows that are selected, and how many. */
  selection?: Selection;
  selected?: number;
  /** The query in words. */
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

export const FORMATS: readonly { value: ExportFormat; label: string; note: string }[] = [
  { value: 'csv', label: 'CSV', note: 'For spreadsheets and scripts' },
  { value: 'xlsx', label: 'XLSX', note: 'A workbook: typed cells, frozen header, filter' },
  { value: 'ndjson', label: 'NDJSON', note: 'One JSON object per line, for scripts' },
  { value: 'json', label: 'JSON', note: 'One array of objects' },
];

/** IANA name of a clock. */
export const zoneOf = (clock: ClockSetting): string =>
  clock === 'utc' ? 'UTC' : clock === 'local' ? zoneLabel('local') : clock.tenant;

export const columnsOf = (plan: ExportPlan, scope: Scope): ExportPlan['columns'] =>
  scope === 'everything'
    ? [
        { id: 'entity_id', label: 'entity_id' },
        ...plan.result.columns
          .filter(({ id }) => id !== 'entity_id')
          .map(({ id, label }) => ({ id, label: label || id })),
      ]
    : plan.columns;

/** Rows of the file, as many as there can be: what is not on this machine counts only where it can be fetched. */
export const countOf = (plan: ExportPlan, scope: Scope, offline: boolean): number => {
  if (scope === 'selection') return plan.selected ?? 0;
  const all = scope === 'everything' ? plan.result.total : plan.count;
  return offline && missingOf(plan, scope) > 0 ? Math.min(all, plan.result.loaded) : all;
};

/** Rows that the file would have but are not on this machine yet. */
export const missingOf = (plan: ExportPlan, scope: Scope): number => {
  if (scope === 'selection' || (scope === 'screen' && isFiltering(plan.filter))) return 0;
  return plan.result.total - plan.result.loaded;
};

/** Order and rows in words, under the columns. */
export function scopeWords(plan: ExportPlan, scope: Scope): string {
  const order = scope !== 'everything' && plan.sort ? 'In the order on screen' : 'In the order of the result';
  if (scope === 'selection') return `${order}, the selected rows.`;
  if (scope === 'everything') return `${order}, all rows and all columns.`;
  return `${order}${isFiltering(plan.filter) ? ', with the filter on screen.' : ', all rows.'}`;
}
