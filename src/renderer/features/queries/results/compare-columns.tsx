import { ArrowRight } from '@blueprintjs/icons';
import type { JSX, ReactNode } from 'react';
import { type CellContext, Cell as CellView, cellText, isRendered } from '#renderer/ui/cells.tsx';
import type { GridColumn } from '#renderer/ui/grid-columns.tsx';
import { COMPARISON_COLUMNS } from '#shared/bridge/operations.ts';
import { beforeOf, CHANGE_WORDS, type Change, isChange } from './compare-config.ts';
import type { ResultRow } from './result-columns.tsx';

const SIGNS: Readonly<Record<Change, string>> = { new: '+', gone: '−', changed: '→' };

/** New, gone or changed: sign, colour and word. */
export function ChangeMark({ change, text }: { change: Change; text?: string }): JSX.Element {
  return (
    <span className={`pp-change pp-change-${change}`}>
      <span aria-hidden="true">{SIGNS[change]}</span>
      {text ?? CHANGE_WORDS[change]}
    </span>
  );
}

/**
 * Columns of a comparison: cells that differ show what they held before and what they hold now. `index`: the place of
 * each column among a row's cells.
 */
export function comparisonColumns(
  columns: readonly GridColumn<ResultRow>[],
  index: ReadonlyMap<string, number>,
  context: CellContext,
): GridColumn<ResultRow>[] {
  const { change, changed, before } = COMPARISON_COLUMNS;
  const at = (row: ResultRow, id: string) => row.cells[index.get(id) ?? -1];
  const labels = new Map(columns.map(({ id, label }) => [id, label]));
  return columns
    .filter(({ id }) => id !== before)
    .map((column): GridColumn<ResultRow> => {
      if (column.id === change)
        return {
          ...column,
          pinned: true,
          render: (row) => {
            const value = at(row, change);
            return isChange(value) ? <ChangeMark change={value} /> : null;
          },
        };
      if (column.id === changed) {
        const names = (row: ResultRow) => {
          const ids = at(row, changed);
          return Array.isArray(ids) ? ids.map((id) => labels.get(String(id)) ?? String(id)).join(', ') : '';
        };
        return { ...column, notApplicable: (row) => names(row) === '', render: names, tooltip: names };
      }
      const type = column.type ?? 'text';
      const show = (row: ResultRow, value: unknown): ReactNode =>
        column.render ? (
          column.render(row, value)
        ) : isRendered(type) ? (
          <CellView value={value} type={type} context={context} />
        ) : (
          cellText(value, type, context)
        );
      /** The row as it was, when this column of it differs. */
      const earlier = (row: ResultRow): ResultRow | null => {
        const old = beforeOf(at(row, before));
        if (!Object.hasOwn(old, column.id)) return null;
        const cells = [...row.cells];
        for (const [id, value] of Object.entries(old)) {
          const place = index.get(id);
          if (place !== undefined) cells[place] = value;
        }
        return { ...row, cells };
      };
      return {
        ...column,
        render: (row, value) => {
          const old = earlier(row);
          if (old === null) return show(row, value);
          return (
            <span className="pp-was">
              <span className="pp-was-before">{show(old, column.value(old))}</span>
              <ArrowRight size={12} />
              <span className="pp-was-now">{show(row, value)}</span>
            </span>
          );
        },
        tooltip: (row) => {
          const old = earlier(row);
          const now = cellText(column.value(row), type, context);
          return old === null ? now : `Was: ${cellText(column.value(old), type, context)}\nIs: ${now}`;
        },
      };
    });
}
